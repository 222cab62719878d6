// A few words for making elements. Whatever text they put on the page is made fit to be shown.
import { printable } from "../format";

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

// Attributes that are functions listen to the event of that name; true sets an attribute, false and undefined leave it out.
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  const given = children.filter((child): child is Node | string => child !== null);
  element.append(...given.map((child) => (typeof child === "string" ? printable(child) : child)));
  return element;
}

export function find<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element '${id}'`);
  return element as T;
}

// Text is set only where it changed: the page is not laid out again for nothing.
export function setText(element: HTMLElement, text: string): void {
  const shown = printable(text);
  if (element.textContent !== shown) element.textContent = shown;
}

// Strokes on a square of 24; a leading "f" fills.
const ICONS: Record<string, string> = {
  play: "fM8 5v14l11-7z",
  pause: "fM7 5h3.500v14H7zM13.500 5H17v14h-3.500z",
  step: "fM5 5v14l8-7zM15.500 5H18v14h-2.500z",
  reset: "M5 12a7 7 0 1 0 2.500-5.400M4.500 4v4h4",
  look: "M2.500 12C4 8.500 7.500 6 12 6s8 2.500 9.500 6c-1.500 3.500-5 6-9.500 6s-8-2.500-9.500-6zM12 9.200a2.800 2.800 0 1 0 0 5.600 2.800 2.800 0 0 0 0-5.600",
  pull: "M3 12h2.500L7 7.500l3 9 3-9 1.700 5M21 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0",
  shoot: "M12 5.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M12 2.500v6M12 15.500v6M2.500 12h6M15.500 12h6",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M9 9h6v6H9z",
  follow:
    "M12 3v5M12 16v5M3 12h5M16 12h5M9.500 5 12 2.500 14.500 5M9.500 19l2.500 2.500 2.500-2.500M5 9.500 2.500 12 5 14.500M19 9.500l2.500 2.500-2.500 2.500",
  layers: "M12 3.500 21 8.500l-9 5-9-5zM3.500 12.500 12 17.200l8.500-4.700M3.500 16.300 12 21l8.500-4.700",
  theme: "M12 3.500a8.500 8.500 0 1 0 0 17zM12 3.500a8.500 8.500 0 0 1 0 17",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.500 9.500a2.500 2.500 0 1 1 3.600 2.200c-.8.400-1.100.900-1.100 2M12 16.500v.800",
  gallery: "M4 4h6.500v6.500H4zM13.500 4H20v6.500h-6.500zM4 13.500h6.500V20H4zM13.500 13.500H20V20h-6.500z",
  close: "M6 6l12 12M18 6 6 18",
  save: "M12 4v11M7.500 10.500 12 15l4.500-4.500M5 20h14",
};

export function icon(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const drawing = ICONS[name] ?? "";
  const filled = drawing.startsWith("f");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", filled ? "icon filled" : "icon");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", filled ? drawing.slice(1) : drawing);
  svg.append(path);
  return svg;
}

export function iconButton(name: string, label: string, click: () => void, shortcut = ""): HTMLButtonElement {
  const title = shortcut ? `${label} (${shortcut})` : label;
  return el("button", { type: "button", class: "icon-button", "aria-label": label, title, click }, icon(name));
}
