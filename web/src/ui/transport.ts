// Run, pause, single step, reset, speed, and where one is in time; in a recording a slider as well.
import { number } from "../format";
import type { Panel } from "../panel";
import type { Command, Frame, HelloMessage, StateMessage } from "../protocol";
import { el, icon, iconButton, setText } from "./dom";
import { Scrub } from "./scrub";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 0];
const speedText = (speed: number) => (speed === 0 ? "full speed" : `${number(speed)} \u00d7 real time`);

export class Transport implements Panel {
  private running = false;
  private readonly runButton: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly time = el("span", { id: "time", class: "figure time" }, "0.000 s");
  private readonly step = el("span", { id: "steps", class: "figure step" }, "step 0");
  private readonly slider: HTMLInputElement;
  private readonly scrub = new Scrub();
  private readonly seeking = el("div", { class: "seeking", hidden: true });
  private readonly pressed: HTMLElement[];
  private sliding = false;
  private follows = false; // another program steps: there is nothing to press
  private readonly note = el("span", { id: "follows", class: "note", hidden: true });

  constructor(
    host: HTMLElement,
    private readonly send: (command: Command) => void,
  ) {
    this.runButton = this.button("play", "Run", () => this.toggle(), "space", "run");
    this.runButton.classList.add("primary");
    const reset = this.button("reset", "Back to the start", () => this.reset(), "r", "reset");
    const once = this.button("step", "One step", () => this.once(), ".", "step");
    this.speed = el("select", {
      id: "speed",
      "aria-label": "Speed",
      change: () => this.send({ type: "speed", value: Number(this.speed.value) }),
    });
    for (const speed of SPEEDS) this.addSpeed(speed);
    this.slider = el("input", { type: "range", id: "seek", min: 0, max: 1, step: "any", value: 0 });
    this.slider.setAttribute("aria-label", "Time in the recording");
    this.slider.addEventListener("input", () => this.send({ type: "seek", time: Number(this.slider.value) }));
    this.slider.addEventListener("pointerdown", () => (this.sliding = true));
    addEventListener("pointerup", () => (this.sliding = false));
    const clock = el("span", { class: "clock" }, this.time, this.step);
    this.pressed = [reset, this.runButton, once, this.speed];
    host.append(reset, this.runButton, once, this.speed, this.note, this.seeking, clock);
    this.seeking.append(this.scrub.element, this.slider);
  }

  private button(name: string, label: string, click: () => void, key: string, id: string): HTMLButtonElement {
    const button = iconButton(name, label, click, key);
    button.id = id;
    return button;
  }

  private addSpeed(speed: number): void {
    if (Array.from(this.speed.options).some((option) => Number(option.value) === speed)) return;
    this.speed.append(el("option", { value: speed }, speedText(speed)));
  }

  toggle(): void {
    if (this.follows) return;
    this.send({ type: this.running ? "pause" : "run" });
  }

  once(): void {
    if (this.follows) return;
    this.send({ type: "step" });
  }

  reset(): void {
    if (this.follows) return;
    this.send({ type: "reset" });
  }

  hello(message: HelloMessage): void {
    this.seeking.hidden = this.slider.hidden = message.mode !== "replay";
    this.follows = message.mode === "follow";
    this.note.hidden = !this.follows;
    for (const control of this.pressed) control.hidden = this.follows;
  }

  state(message: StateMessage): void {
    this.showRunning(message.running);
    this.addSpeed(message.speed);
    this.speed.value = String(message.speed);
    const doing = message.running ? "Your program is stepping" : "Your program waits";
    setText(this.note, message.over ? "The simulation has ended" : doing);
    if (!message.range) return;
    this.slider.min = String(message.range[0]);
    this.slider.max = String(message.range[1]);
  }

  frame(frame: Frame): void {
    if (frame.pane !== 0) return;
    if (!this.seeking.hidden) this.scrub.frame(frame);
    this.showRunning(frame.running);
    setText(this.time, `${frame.time.toFixed(3)} s`);
    setText(this.step, `step ${frame.step}`);
    if (!this.sliding) this.slider.value = String(frame.time);
  }

  private showRunning(running: boolean): void {
    if (running === this.running && this.runButton.dataset.state) return;
    this.running = running;
    this.runButton.dataset.state = running ? "running" : "paused";
    this.runButton.replaceChildren(icon(running ? "pause" : "play"));
    this.runButton.setAttribute("aria-label", running ? "Pause" : "Run");
    this.runButton.title = `${running ? "Pause" : "Run"} (space)`;
  }
}
