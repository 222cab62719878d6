// What one takes along: a picture, a clip, a link that leads back to this scene, seen from here.
import type { Command, SceneMessage } from "../protocol";
import type { Colouring } from "../view/quantities";
import { COLOURINGS } from "../view/quantities";
import type { Stage } from "../view/stage";
import { el } from "./dom";
import { toast } from "./toasts";

const FILM_RATE = 30; // pictures a second
const DIGITS = 4;

// What a link says behind its #.
export interface Link {
  scene?: string;
  parameters: Record<string, string>;
  at?: number[];
  target?: number[];
  colour?: Colouring;
  chains?: boolean;
}

const numbers = (text: string | null): number[] | undefined => {
  const values = (text ?? "").split(",").map(Number);
  return text && values.length === 3 && values.every(Number.isFinite) ? values : undefined;
};

export function readLink(hash: string): Link {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const parameters: Record<string, string> = {};
  for (const [name, value] of words) if (name.startsWith("p.")) parameters[name.slice(2)] = value;
  const colour = words.get("colour") ?? "";
  return {
    scene: words.get("scene") ?? undefined,
    parameters,
    at: numbers(words.get("at")),
    target: numbers(words.get("target")),
    colour: Object.hasOwn(COLOURINGS, colour) ? (colour as Colouring) : undefined,
    chains: words.has("chains") ? words.get("chains") === "1" : undefined,
  };
}

export function writeLink(link: Link): string {
  const words = new URLSearchParams();
  if (link.scene) words.set("scene", link.scene);
  for (const [name, value] of Object.entries(link.parameters)) words.set(`p.${name}`, value);
  const short = (x: number) => String(Number(x.toPrecision(DIGITS)));
  if (link.at) words.set("at", link.at.map(short).join(","));
  if (link.target) words.set("target", link.target.map(short).join(","));
  if (link.colour) words.set("colour", link.colour);
  if (link.chains !== undefined) words.set("chains", link.chains ? "1" : "0");
  return `#${words.toString().replace(/%2C/g, ",")}`;
}

function save(blob: Blob, name: string): void {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export class Share {
  readonly row: HTMLElement;
  private readonly clip: HTMLButtonElement;
  private recorder: MediaRecorder | null = null;
  private shown: SceneMessage | null = null;
  private opened = false; // what the link of this page asks for was asked for

  constructor(
    private readonly stage: Stage,
    private readonly send: (command: Command) => void,
  ) {
    const button = (word: string, title: string, click: () => void) =>
      el("button", { type: "button", class: "quiet", title, click }, word);
    this.clip = button("Clip", "Record a film of the picture; press again to end it", () => this.film());
    this.clip.setAttribute("aria-pressed", "false");
    this.row = el(
      "div",
      { class: "row views", role: "group", "aria-label": "Take along" },
      button("Picture", "Save the picture as PNG", () => this.picture()),
      this.clip,
      button("Link", "Copy a link to this scene, seen from here", () => void this.link()),
    );
  }

  private get name(): string {
    return (this.shown?.name ?? "scene").replace(/[^\w.-]+/g, "-");
  }

  private picture(): void {
    this.stage.paintNow();
    this.stage.canvas.toBlob((blob) => blob && save(blob, `${this.name}.png`), "image/png");
  }

  private film(): void {
    if (this.recorder) return this.recorder.stop();
    if (typeof MediaRecorder === "undefined") return toast("This browser cannot record a film of a picture.", "error");
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(this.stage.canvas.captureStream(FILM_RATE));
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      this.recorder = null;
      this.clip.setAttribute("aria-pressed", "false");
      save(new Blob(parts, { type: recorder.mimeType }), `${this.name}.${recorder.mimeType.includes("mp4") ? "mp4" : "webm"}`);
    };
    recorder.start();
    this.recorder = recorder;
    this.clip.setAttribute("aria-pressed", "true");
    this.stage.invalidate();
  }

  private async link(): Promise<void> {
    const { position, target } = this.stage.rig.base;
    const { scene, name, parameters = {} } = this.shown ?? { name: "" };
    const said = Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, String(value)]));
    const { colouring, chains } = this.stage.shown;
    const seen = { at: position.toArray(), target: target.toArray(), colour: colouring, chains };
    history.replaceState(null, "", writeLink({ scene: scene ?? name, parameters: said, ...seen }));
    try {
      await navigator.clipboard.writeText(location.href);
      toast("The link is copied. It holds as long as this program runs; what follows its # suits later ones, too.");
    } catch {
      toast("The link stands in the address bar.");
    }
  }

  // Once, what the page's own link asks for: first the scene, then from where it is seen.
  scene(message: SceneMessage): void {
    if (message.pane !== 0) return;
    this.shown = message;
    if (this.opened) return;
    this.opened = true;
    const link = readLink(location.hash);
    const asks = Object.entries(link.parameters);
    const there = message.parameters ?? {};
    const same = link.scene === (message.scene ?? message.name) && asks.every(([key, value]) => String(there[key]) === value);
    const parameters = Object.fromEntries(asks.map(([key, v]) => [key, v !== "" && Number.isFinite(Number(v)) ? Number(v) : v]));
    if (link.scene && !same && message.scene !== undefined)
      this.send({ type: "load", scene: link.scene, ...(asks.length > 0 ? { parameters } : {}) });
    if (link.at && link.target) this.stage.plan = { at: link.at, target: link.target };
    if (link.colour || link.chains !== undefined) this.stage.wish = { colouring: link.colour, chains: link.chains };
  }
}
