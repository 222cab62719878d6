// What one should know at a glance: how exactly the last steps were solved, how fast it goes, what the marks mean, how long
// a metre is.
import { niceBelow, number, quantity } from "../format";
import { CONTACT_NAMES, SCALE_COLOURS } from "../palette";
import type { Panel } from "../panel";
import { CONTACT_WORDS, type Frame, type HelloMessage, type LoopMessage, type SceneMessage, type StateMessage } from "../protocol";
import { COLOURINGS, isSoftQuantity } from "../view/quantities";
import type { Margins } from "../view/camera";
import type { Rectangle, Stage } from "../view/stage";
import { el, setText } from "./dom";
import { Worst } from "./verdict";

const LONG_MS = 1200; // without a picture while it runs: a step takes that long
const REFRESH_MS = 150; // numbers that change faster cannot be read

// A share as percents that does not say 100 where one step was missed.
export function shareText(share: number): string {
  const percent = Math.floor(1000 * share) / 10;
  return `${percent === Math.round(percent) ? percent.toFixed(0) : percent.toFixed(1)} %`;
}

// How far behind the clock: less than a picture is nothing to be seen.
export function lagText(seconds: number): string {
  return seconds < 1 / 60 ? "on the clock" : `${quantity(seconds, "s", 2)} behind the clock`;
}

// What the budget of time allows: whether steps are exact, and whether they keep up with the speed that was asked for.
export function budgetText(met: number, factor: number, speed: number): string {
  const asked = speed > 0 ? speed : 1;
  const fluent = factor >= 0.95 * asked;
  const exact = met >= 1;
  if (fluent) return exact ? "exact and fluent" : "fluent, not exact";
  const slower = factor < 0.95 && asked >= 1 ? "slower than life" : "slower than asked";
  return `${exact ? "exact" : "not exact"}, ${slower}`;
}

// What lies over a picture: lines above, tools above or, on a narrow page, at the right, marks and scales below. The sizes
// are those of style.css.
export function covered(pane: Rectangle, two: boolean): Margins {
  const narrow = matchMedia("(max-width: 760px)").matches;
  if (!narrow) return { top: two ? 92 : 68, right: 0, bottom: 48, left: 0 };
  return two ? { top: 46, right: 56, bottom: 10, left: 0 } : { top: 84, right: 56, bottom: pane.height > 300 ? 46 : 10, left: 0 };
}

// One pane's: the worst certificate since the last time it was shown.
class Chip {
  readonly element = el("p", { class: "chip" });
  private readonly label = el("strong", { class: "chip-label", hidden: true });
  private readonly certificate = el("span", { class: "certificate" }, "no step yet");
  private readonly rest = el("span", { class: "rest", hidden: true }, "at rest");
  private readonly law = el("span", { class: "rest", hidden: true });
  private worst = new Worst();
  private drawn = 0;

  constructor() {
    this.element.append(this.label, this.certificate, this.law, this.rest);
  }

  name(text: string): void {
    this.label.hidden = text === "";
    setText(this.label, text);
  }

  // What the certificate speaks of, where that is not rigid contact.
  speaksOf(contact: string | undefined): void {
    this.law.hidden = contact === undefined || contact === "rigid";
    setText(this.law, `${contact ?? ""} contact`);
  }

  clear(): void {
    this.worst = new Worst();
    this.drawn = 0;
    this.rest.hidden = true;
    setText(this.certificate, "no step yet");
    delete this.element.dataset.met;
  }

  frame(frame: Frame, tolerance: number): void {
    for (const step of frame.stats) this.worst.add(step);
    const now = performance.now();
    if (!this.worst.any || (frame.running && now - this.drawn < REFRESH_MS)) return;
    this.drawn = now;
    const { met, text } = this.worst.verdict(tolerance);
    this.element.dataset.met = met;
    setText(this.certificate, text);
    this.rest.hidden = !frame.stats[frame.stats.length - 1]?.atRest;
    this.worst = new Worst();
  }
}

export class Hud implements Panel {
  private readonly chips: Chip[] = [];
  private readonly loopLine = el("p", { class: "loop", id: "loop" });
  private readonly legend: HTMLElement;
  private readonly keys = new Map<number, HTMLElement>(); // by what the contact does; some only once it was seen
  private readonly arrowBar = el("span", { class: "arrow-bar" });
  private readonly arrowText = el("span", {});
  private readonly arrow = el("span", { class: "arrow-scale" }, this.arrowBar, this.arrowText);
  private readonly colourBar = el("span", { class: "colour-bar" });
  private readonly colourText = el("span", {});
  private readonly colours = el(
    "div",
    { class: "scale colours", role: "note", "aria-label": "Scale of colours", hidden: true },
    "0",
    this.colourBar,
    this.colourText,
  );
  private readonly scaleText = el("span", {}, "1 m");
  private readonly scaleBar = el("span", { class: "scale-bar" });
  private readonly needle = el("span", { class: "needle" }, el("span", {}));
  private readonly gravity = el(
    "div",
    { class: "gravity", role: "note", title: "Direction of gravity" },
    this.needle,
    "gravity",
  );
  private gravityVector: number[] = [0, 0, -9.81];
  private tolerance = 1e-8;
  private drawing = ""; // what the picture leaves out on a slow machine
  private speed = 1; // times life, as it was asked for
  private live = false;
  private running = false;
  private lastFrame = 0; // when it came, ms

  constructor(
    private readonly host: HTMLElement,
    private readonly stage: Stage,
    foot: HTMLElement,
  ) {
    for (const status of [1, 2, 4, 5, 3])
      this.keys.set(status, el("span", { class: `key status-${status}`, hidden: status > 3 }, CONTACT_NAMES[status]));
    const keys = this.keys.values();
    this.legend = el("div", { class: "legend", role: "note", "aria-label": "Contact marks" }, ...keys, this.arrow);
    this.colourBar.style.background = `linear-gradient(to right, ${SCALE_COLOURS.join(", ")})`;
    foot.append(
      el("div", { class: "scale", role: "note", "aria-label": "Scale" }, this.scaleBar, this.scaleText),
      this.gravity,
      this.colours,
      this.legend,
    );
    host.append(this.loopLine);
    this.addChip();
    setInterval(() => this.tellLongStep(), LONG_MS / 2);
    stage.onDraw = () => this.measure();
    stage.covered = (pane) => covered(pane, this.chips.length > 1);
  }

  private addChip(): void {
    const chip = new Chip();
    this.chips.push(chip);
    this.host.insertBefore(chip.element, this.loopLine);
  }

  hello(message: HelloMessage): void {
    this.live = message.mode === "live";
  }

  // Nothing moves while a step is being solved: better a word than a page that seems dead.
  private tellLongStep(): void {
    const seconds = (performance.now() - this.lastFrame) / 1000;
    if (this.live && this.running && this.lastFrame > 0 && 1000 * seconds > LONG_MS)
      setText(this.loopLine, `one step has taken ${seconds.toFixed(0)} s so far`);
  }

  scene(message: SceneMessage): void {
    while (this.chips.length < message.panes) this.addChip();
    while (this.chips.length > Math.max(1, message.panes)) this.chips.pop()?.element.remove();
    this.tolerance = message.tolerance;
    this.gravityVector = message.gravity;
    this.chips[message.pane]?.clear();
    this.chips[message.pane]?.speaksOf(message.contact);
    this.chips.forEach((chip, i) => chip.name(message.panes > 1 ? (message.methods?.[i] ?? "") : ""));
  }

  state(message: StateMessage): void {
    if (message.tolerance !== undefined) this.tolerance = message.tolerance;
    if (message.gravity) this.gravityVector = message.gravity;
    this.speed = message.speed;
    this.running = message.running;
    this.measure();
  }

  frame(frame: Frame): void {
    this.lastFrame = performance.now();
    this.chips[frame.pane]?.frame(frame, this.tolerance);
    for (let at = 16; at < frame.contactInts.length; at += CONTACT_WORDS) {
      const key = this.keys.get(frame.contactInts[at]);
      if (key?.hidden) key.hidden = false;
    }
  }

  loop(message: LoopMessage): void {
    const parts: string[] = [];
    if (typeof message.met === "number" && message.real_time_factor)
      parts.push(budgetText(message.met, message.real_time_factor, this.speed));
    if (message.steps_per_second) parts.push(`${message.steps_per_second.toFixed(0)} steps/s`);
    if (message.real_time_factor) parts.push(`${message.real_time_factor.toFixed(2)} \u00d7 real time`);
    if (typeof message.met === "number") parts.push(`${shareText(message.met)} met`);
    if (typeof message.behind_seconds === "number") parts.push(lagText(message.behind_seconds));
    if (typeof message.distance === "number") parts.push(`${quantity(message.distance, "m")} apart`);
    if (this.drawing) parts.push(this.drawing);
    setText(this.loopLine, parts.join(" \u00b7 "));
  }

  // Said with the speed, since it has the same reason.
  note(text: string): void {
    this.drawing = text;
  }

  // After every picture. The bar has a round length between 50 and 130 pixels.
  private measure(): void {
    const perPixel = this.stage.rig.metresPerPixel(this.stage.rectangle(0).height);
    const metres = niceBelow(130 * perPixel);
    this.scaleBar.style.width = `${(metres / perPixel).toFixed(1)}px`;
    setText(this.scaleText, quantity(metres, "m"));
    const shown = this.stage.shown;
    this.legend.hidden = !(shown.points || shown.forces || shown.cones);
    const { length, force } = this.stage.panes[0].arrow;
    this.arrow.hidden = !shown.forces || !(force > 0);
    const perNewton = length / force / perPixel;
    const newtons = niceBelow(70 / perNewton);
    this.arrowBar.style.width = `${(newtons * perNewton).toFixed(1)}px`;
    setText(this.arrowText, quantity(newtons, "N"));
    this.showColours();
    this.showGravity();
    this.placeChips();
  }

  private showColours(): void {
    const { colouring, scale } = this.stage.shown;
    const { unit, label } = COLOURINGS[colouring];
    const none = isSoftQuantity(colouring) && !this.stage.panes.some((pane) => pane.hasSoft);
    this.colours.hidden = unit === undefined || none;
    const seen = scale.full > 0; // else nothing has moved yet, or one frame does not tell
    const end = !seen ? "not known yet" : unit ? quantity(scale.full, unit) : `${number(100 * scale.full)} %`;
    setText(this.colourText, label && seen ? `${end} ${label}` : end);
  }

  // Each in the corner of its pane; of two side by side, below the tools.
  private placeChips(): void {
    const two = this.chips.length > 1;
    this.chips.forEach((chip, i) => {
      const r = this.stage.rectangle(i);
      chip.element.style.left = `${r.x.toFixed(0)}px`;
      chip.element.style.top = `${(r.y + (two && this.stage.sideBySide ? 44 : 0)).toFixed(0)}px`;
    });
    this.loopLine.style.top = two && this.stage.sideBySide ? "2px" : "34px";
  }

  // As it points in the picture; shorter where it points into it.
  private showGravity(): void {
    const [x, y, z] = [0, 1, 2].map((i) => this.gravityVector[i] ?? 0);
    const size = Math.hypot(x, y, z);
    this.gravity.hidden = size === 0;
    if (size === 0) return;
    const [right, up] = this.stage.rig.inPicture(x / size, y / size, z / size);
    const angle = Math.atan2(right, -up); // 0: straight down
    this.needle.style.transform = `rotate(${(-angle).toFixed(3)}rad) scaleY(${Math.max(0.25, Math.hypot(right, up)).toFixed(3)})`;
  }
}
