// Keys of the page, and the page that lists them.
import { el, find, iconButton } from "./dom";

export interface Key {
  key: string; // as KeyboardEvent.key
  shown: string;
  does: string;
  act: () => void;
}

const TYPING = new Set(["INPUT", "SELECT", "TEXTAREA"]);

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return TYPING.has(target.tagName) && !(target instanceof HTMLInputElement && target.type === "checkbox");
}

export function startKeys(keys: Key[]): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) return;
    // A focused button answers to space by itself.
    if (event.key === " " && event.target instanceof HTMLElement && ["BUTTON", "A"].includes(event.target.tagName))
      return;
    const found = keys.find((key) => key.key === event.key);
    if (!found) return;
    event.preventDefault();
    found.act();
  });
}

const GESTURES: [string, string][] = [
  ["drag", "turn the view (in the plane: move it)"],
  ["right drag, two fingers", "move the view"],
  ["wheel, pinch", "zoom"],
  ["click", "select a body or a contact"],
  ["shift and drag", "pull a body with a spring"],
];

export function fillHelp(keys: Key[]): HTMLDialogElement {
  const dialog = find<HTMLDialogElement>("help-dialog");
  const list = el("dl", { class: "keys" });
  for (const key of keys.filter((k) => k.does))
    list.append(el("dt", {}, el("kbd", {}, key.shown)), el("dd", {}, key.does));
  const gestures = el("dl", { class: "keys" });
  for (const [name, does] of GESTURES) gestures.append(el("dt", {}, name), el("dd", {}, does));
  const close = iconButton("close", "Close", () => dialog.close(), "escape");
  const about = el(
    "p",
    { class: "note" },
    "The certificate says how exactly the contact law was met in a step: 1 means that no work was done, and a step whose certificate is above the tolerance is marked and counted, never hidden. The block that is shot, and all settings, are undone by going back to the start.",
  );
  dialog.append(
    el("header", {}, el("h1", {}, "Help"), close),
    el("div", { class: "help-body" }, about, el("h2", {}, "Pointer"), gestures, el("h2", {}, "Keyboard"), list),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
