// Above the slider of a recording: how many contacts there were, so that one sees where something happens.
import type { Frame } from "../protocol";
import { el } from "./dom";

const HEIGHT = 16; // pixels

// The path of an area in a box of 1000 by HEIGHT.
export function areaPath(times: number[], counts: number[]): string {
  const [from, to] = [times[0], times[times.length - 1]];
  const most = Math.max(1, ...counts.filter(Number.isFinite));
  if (!(to > from)) return "";
  const point = (k: number) => {
    const x = (1000 * (times[k] - from)) / (to - from);
    return `${x.toFixed(1)} ${(HEIGHT * (1 - (counts[k] || 0) / most)).toFixed(2)}`;
  };
  return `M0 ${HEIGHT}L${times.map((_, k) => point(k)).join("L")}L1000 ${HEIGHT}z`;
}

export class Scrub {
  readonly element = el("div", { class: "scrub", "aria-hidden": "true", title: "contacts" });

  // The first frame of a recording brings the figures of its whole run.
  frame(frame: Frame): void {
    if (frame.stats.length < 3 || this.element.childElementCount > 0) return;
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", `0 0 1000 ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", areaPath(frame.stats.map((s) => s.time), frame.stats.map((s) => s.contacts)));
    svg.append(path);
    this.element.append(svg);
  }
}
