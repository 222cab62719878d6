// Short notes that come and go; a screen reader speaks them.
import { el, find } from "./dom";

const SECONDS = 7;
const MOST = 3;

export function toast(text: string, kind: "note" | "error" = "note"): void {
  const host = find("toasts");
  if (Array.from(host.children).some((child) => child.textContent === text)) return;
  while (host.children.length >= MOST) host.firstElementChild?.remove();
  const note = el("p", { class: `toast ${kind}` }, text);
  host.append(note);
  setTimeout(() => note.remove(), 1000 * SECONDS);
}
