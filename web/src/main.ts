// The page: one source, and panels that follow it.
import "./style.css";
import { createCharts } from "./charts";
import type { Panel } from "./panel";
import type { Command, ServerMessage } from "./protocol";
import { offerPictures } from "./picture";
import { recordingOf } from "./recording";
import { ReplaySource } from "./replay";
import { SocketSource } from "./socket_source";
import type { Connection, Source } from "./source";
import { find, setText } from "./ui/dom";
import { Gallery } from "./ui/gallery";
import { Hud } from "./ui/hud";
import { Inspector } from "./ui/inspector";
import { fillHelp, startKeys, type Key } from "./ui/keys";
import { Pointer } from "./ui/pointer";
import { Settings } from "./ui/settings";
import { Share } from "./ui/share";
import { Tabs } from "./ui/tabs";
import { startTheme } from "./ui/theme";
import { toast } from "./ui/toasts";
import { Transport } from "./ui/transport";
import { ViewMenu } from "./ui/view_menu";
import { Stage } from "./view/stage";

function chooseSource(): Source {
  const recording = recordingOf(document);
  if (recording) return new ReplaySource(recording);
  return new SocketSource(location);
}

// Without it there is nothing to see: better a word than an empty page.
function needWebgl(): void {
  if (document.createElement("canvas").getContext("webgl2")) return;
  document.documentElement.dataset.connection = "lost";
  setText(find("connection"), "This page draws with WebGL 2, which this browser does not offer or has switched off.");
  throw new Error("no WebGL 2");
}

// ------------------------------------------------------------------------------------------------------------- the parts

needWebgl();
const source = chooseSource();
const send = (command: Command) => source.send(command);
const stage = new Stage(find("stage"));
const tabs = new Tabs(find("tabs"));
const transport = new Transport(find("transport"), send);
const settings = new Settings(
  find("settings"),
  send,
  () => pointer.shootAtCentre(),
  (pane) => source.problemAddress(pane),
);
const pointer = new Pointer(stage, send, () => settings.shot());
const menu = new ViewMenu(find("tools"), stage, pointer);
const share = new Share(stage, send);
menu.add(share.row);
const hud = new Hud(find("hud"), stage, find("foot"));
const inspector = new Inspector(find("inspect"), stage, send);
const gallery = new Gallery(send);
const charts = createCharts(find("charts"), (time) => send({ type: "seek", time }));

// A recording can be watched and inspected, not changed.
const mode: Panel = {
  hello: (message) => {
    const live = message.mode === "live";
    document.documentElement.dataset.mode = message.mode;
    menu.allowPoking(live);
    pointer.allowPoking(live);
    find("tab-settings").hidden = !live;
  },
};
const panels: Panel[] = [
  mode,
  { scene: (message) => share.scene(message) },
  stage,
  transport,
  hud,
  settings,
  inspector,
  gallery,
  charts,
];

pointer.onSelect = (pane, body, contact) => {
  inspector.select(pane, body, contact);
  if (body >= 0 || contact >= 0) tabs.show("inspect");
};
stage.onSlower = (what) => {
  menu.refresh();
  hud.note(what);
};
startTheme(find<HTMLButtonElement>("theme"), (dark) => panels.forEach((panel) => panel.theme?.(dark)));

// ------------------------------------------------------------------------------------------------------------------ keys

function selectNext(): void {
  inspector.selectNext();
  tabs.show("inspect");
}

const keys: Key[] = [
  { key: " ", shown: "space", does: "run or pause", act: () => transport.toggle() },
  { key: ".", shown: ".", does: "one step", act: () => transport.once() },
  { key: "r", shown: "r", does: "back to the start", act: () => transport.reset() },
  { key: "f", shown: "f", does: "fit the view to the scene", act: () => stage.fit() },
  { key: "n", shown: "n", does: "select the next body", act: () => selectNext() },
  { key: "o", shown: "o", does: "follow the selected body", act: () => menu.toggleFollow() },
  { key: "v", shown: "v", does: "what is drawn", act: () => menu.toggle() },
  { key: "g", shown: "g", does: "scenes", act: () => gallery.open() },
  { key: "1", shown: "1", does: "the pointer looks", act: () => pointer.use("look") },
  { key: "2", shown: "2", does: "the pointer pulls", act: () => pointer.use("pull") },
  { key: "3", shown: "3", does: "the pointer shoots", act: () => pointer.use("shoot") },
  { key: "b", shown: "b", does: "shoot a block at the middle of the view", act: () => pointer.shootAtCentre() },
  { key: "ArrowLeft", shown: "arrows", does: "turn the view", act: () => stage.rig.turn(-10, 0) },
  { key: "ArrowRight", shown: "", does: "", act: () => stage.rig.turn(10, 0) },
  { key: "ArrowUp", shown: "", does: "", act: () => stage.rig.turn(0, 10) },
  { key: "ArrowDown", shown: "", does: "", act: () => stage.rig.turn(0, -10) },
  { key: "+", shown: "+ \u2212", does: "zoom", act: () => stage.rig.zoom(1.2) },
  { key: "-", shown: "", does: "", act: () => stage.rig.zoom(1 / 1.2) },
  { key: "d", shown: "d", does: "light or dark", act: () => find("theme").click() },
  { key: "?", shown: "?", does: "this page", act: () => help.showModal() },
];
const help = fillHelp(keys);
find("help").addEventListener("click", () => help.showModal());
startKeys(keys);

// ------------------------------------------------------------------------------------------------------------ the stream

function tell(message: ServerMessage): void {
  for (const panel of panels) {
    if (message.type === "hello") panel.hello?.(message);
    else if (message.type === "scene") panel.scene?.(message);
    else if (message.type === "state") panel.state?.(message);
    else if (message.type === "loop") panel.loop?.(message);
    else if (message.type === "body") panel.bodyState?.(message);
    else if (message.type === "contact") panel.contactState?.(message);
  }
  if (message.type === "error") toast(message.text, "error");
}

function showConnection(connection: Connection): void {
  const words = { connecting: "Connecting \u2026", open: "Connected", lost: "" };
  const lost = connection.state === "lost";
  const wait = lost ? Math.ceil(connection.retrySeconds) : 0;
  const text = lost
    ? `Connection lost. Is cardhouse still running? Trying again in ${wait} s`
    : words[connection.state];
  setText(find("connection"), text);
  document.documentElement.dataset.connection = connection.state;
}

tabs.show("charts");
if (source instanceof ReplaySource) offerPictures(source, stage);
source.start({
  message: tell,
  frame: (frame) => panels.forEach((panel) => panel.frame?.(frame)),
  connection: showConnection,
});
