// What can be changed while it runs: the physics, how a step is solved, what is shot, two methods side by side.
import { number, quantity } from "../format";
import type { Panel } from "../panel";
import type { Command, HelloMessage, LoopMessage, SceneMessage, StateMessage } from "../protocol";
import { el, icon, setText } from "./dom";
import { choiceField, numberField, rangeField, section, switchField } from "./fields";
import type { Shot } from "./pointer";

const CONES = ["circular", "elliptic", "polygon:4", "polygon:8", "polygon:16", "outer-polygon:4", "outer-polygon:8"];
const TOLERANCES = ["1e-4", "1e-6", "1e-8", "1e-10", "1e-12"];
const DEGREES = Math.PI / 180;

// Tilt from straight down and heading from x (plane: tilt to the right only), both in degrees.
export function gravityAngles(gravity: number[], dimension: 2 | 3): { size: number; tilt: number; heading: number } {
  const [x, y, z] = [gravity[0] ?? 0, gravity[1] ?? 0, gravity[2] ?? 0];
  const size = Math.hypot(x, y, dimension === 3 ? z : 0);
  if (dimension === 2) return { size, tilt: Math.atan2(x, -y) / DEGREES, heading: 0 };
  const aside = Math.hypot(x, y);
  return { size, tilt: Math.atan2(aside, -z) / DEGREES, heading: aside > 1e-9 * size ? Math.atan2(y, x) / DEGREES : 0 };
}

export function gravityVector(size: number, tilt: number, heading: number, dimension: 2 | 3): number[] {
  const [s, c] = [size * Math.sin(tilt * DEGREES), size * Math.cos(tilt * DEGREES)];
  const clean = (x: number) => (Math.abs(x) < 1e-12 * size ? 0 : x);
  if (dimension === 2) return [clean(s), clean(-c)];
  return [clean(s * Math.cos(heading * DEGREES)), clean(s * Math.sin(heading * DEGREES)), clean(-c)];
}

export class Settings implements Panel {
  private dimension: 2 | 3 = 3;
  private readonly set = (name: string) => (value: number | string | boolean | number[] | null) =>
    this.send({ type: "set", name, value });
  private readonly pull = () =>
    this.set("gravity")(gravityVector(this.gravity.value, this.tilt.value, this.heading.value, this.dimension));

  private readonly mu = rangeField(
    "Friction \u00b5",
    { id: "mu", min: 0, max: 1.5, step: 0.01, hint: "of all contacts" },
    this.set("mu"),
  );
  private readonly muNote = el("p", { class: "note" }, "Friction is as the materials say, until the slider is moved.");
  private readonly gravity = numberField("Gravity", { id: "gravity", unit: "m/s\u00b2", min: 0, max: 1000 }, this.pull);
  private readonly tilt = rangeField(
    "Tilt",
    { id: "tilt", unit: "\u00b0", min: -90, max: 90, step: 1, hint: "of gravity, from straight down" },
    this.pull,
  );
  private readonly heading = rangeField(
    "Heading",
    { id: "heading", unit: "\u00b0", min: -180, max: 180, step: 5, hint: "of the tilt, from x towards y" },
    this.pull,
  );
  private readonly method = choiceField("Method", "method", ["auto"], this.set("method"));
  private readonly cone = choiceField(
    "Cone",
    "cone",
    CONES,
    this.set("cone"),
    "of friction: the circle, or a polygon inside or around it",
  );
  private readonly tolerance = choiceField(
    "Tolerance",
    "tolerance",
    TOLERANCES,
    (text) => this.set("tolerance")(Number(text)),
    "on the certificate of every step",
  );
  private readonly h = numberField("Step h", { id: "h", unit: "ms", min: 0.001, max: 100 }, (ms) =>
    this.set("h")(ms / 1000),
  );
  private readonly limit = numberField(
    "Time limit",
    {
      id: "limit",
      unit: "ms",
      min: 0.1,
      max: 60000,
      empty: "adapts",
      cleared: () => this.set("limit")(null),
      hint: "of one solve; the best iterate so far is then taken",
    },
    (ms) => this.set("limit")(ms / 1000),
  );
  private readonly pace = choiceField(
    "Late steps",
    "pace",
    ["exact", "fluent"],
    this.set("pace"),
    "exact: every step is solved, and the scene slows down; fluent: it keeps time, with the best answer until then",
  );
  private readonly rest = switchField(
    "Keep rest",
    "rest",
    this.set("rest"),
    "what is certified to rest is not solved again",
  );
  private readonly shotSpeed = numberField("Speed", { id: "shot-speed", unit: "m/s", min: 0, max: 1000 }, () => {});
  private readonly shotMass = numberField("Mass", { id: "shot-mass", unit: "kg", min: 1e-6, max: 1e6 }, () => {});
  private readonly shotSize = numberField("Edge", { id: "shot-size", unit: "m", min: 1e-4, max: 1000 }, () => {});
  private readonly first = choiceField("Left", "compare-first", ["pgs"], () => {});
  private readonly second = choiceField("Right", "compare-second", ["auto"], () => {});
  private readonly compareButton = el(
    "button",
    { type: "button", id: "compare", class: "wide", click: () => this.compare() },
    "Compare",
  );
  private readonly loopTable = el("dl", { class: "figures" });
  private readonly problems: HTMLAnchorElement[]; // one a pane
  private comparing = false;
  private sceneName = "";
  private ownFriction = 0.5; // of the material of what moves

  constructor(
    host: HTMLElement,
    private readonly send: (command: Command) => void,
    shoot: () => void,
    problemAddress: (pane: number) => string | null,
  ) {
    const shootButton = el(
      "button",
      { type: "button", id: "shoot", class: "wide", click: shoot },
      "Shoot at the middle",
    );
    this.problems = [0, 1].flatMap((pane) => {
      const href = problemAddress(pane);
      const label = el("span", {}, "This step as an FCLIB file");
      return href
        ? [
            el(
              "a",
              { class: "button wide", id: `problem-${pane}`, href, download: "problem.hdf5", hidden: pane > 0 },
              icon("save"),
              label,
            ),
          ]
        : [];
    });
    host.append(
      section("Physics", this.mu.element, this.muNote, this.gravity.element, this.tilt.element, this.heading.element),
      section(
        "Solving",
        this.method.element,
        this.cone.element,
        this.tolerance.element,
        this.h.element,
        this.pace.element,
        this.limit.element,
        this.rest.element,
        ...this.problems,
      ),
      section("Two methods side by side", this.first.element, this.second.element, this.compareButton),
      section("Block to shoot", this.shotSpeed.element, this.shotMass.element, this.shotSize.element, shootButton),
      section("Interaction loop", this.loopTable),
    );
    this.second.value = "auto";
    this.heading.value = 0;
    this.loop({ type: "loop" });
  }

  // What flies from the stage.
  shot(): Shot {
    const fine = (x: number, otherwise: number) => (Number.isFinite(x) && x > 0 ? x : otherwise);
    return {
      speed: fine(this.shotSpeed.value, 5),
      mass: fine(this.shotMass.value, 1),
      size: fine(this.shotSize.value, 0.1),
    };
  }

  private compare(): void {
    this.send({ type: "compare", methods: this.comparing ? [] : [this.first.value, this.second.value] });
  }

  hello(message: HelloMessage): void {
    for (const field of [this.method, this.first, this.second]) field.offer(message.methods);
    if (message.methods.includes("pgs")) this.first.value = "pgs";
    if (message.methods.includes("auto")) this.second.value = "auto";
  }

  scene(message: SceneMessage): void {
    if (message.pane !== 0) return;
    this.dimension = message.dimension;
    this.heading.element.hidden = message.dimension === 2;
    this.tilt.lowest = message.dimension === 2 ? -90 : 0; // in space the heading does the rest
    if (message.panes > 1 && message.methods) [this.first.value, this.second.value] = message.methods;
    if (message.name !== this.sceneName) this.proposeShot(message);
    const moving = message.bodies.find((body) => !body.fixed)?.material;
    const material = message.materials?.find((m) => m.name === moving) ?? message.materials?.[0];
    this.ownFriction = material?.friction[0] ?? 0.5;
    this.sceneName = message.name;
  }

  // Small beside the scene, as heavy as what lies there, as fast as a fall over its size: it knocks down a part.
  private proposeShot(message: SceneMessage): void {
    const size = Math.hypot(...message.bounds[1].map((high, i) => high - message.bounds[0][i]));
    const masses = message.bodies
      .filter((b) => !b.fixed && b.mass)
      .map((b) => b.mass ?? 1)
      .sort((a, b) => a - b);
    const gravity = Math.hypot(...message.gravity) || 9.81;
    this.shotSize.value = Number((0.06 * size).toPrecision(2));
    this.shotMass.value = Number((masses[Math.floor(masses.length / 2)] ?? 0.5).toPrecision(2));
    this.shotSpeed.value = Number(Math.sqrt(2 * gravity * size).toPrecision(2));
  }

  state(message: StateMessage): void {
    this.muNote.hidden = typeof message.mu === "number";
    this.mu.value = message.mu ?? this.ownFriction;
    if (message.gravity) this.showGravity(message.gravity);
    if (message.method) this.method.value = message.method;
    if (message.cone) this.cone.value = message.cone;
    if (message.tolerance) this.tolerance.value = message.tolerance.toExponential().replace("e+", "e");
    if (message.h) this.h.value = 1000 * message.h;
    this.limit.value = 1000 * (message.limit ?? NaN);
    if (message.pace) this.pace.value = message.pace;
    if (message.rest !== undefined) this.rest.value = message.rest;
    this.comparing = message.compare ?? false;
    this.problems.forEach((link, pane) => {
      link.hidden = pane > 0 && !this.comparing;
      const whose = this.comparing ? ` (${message.methods?.[pane] ?? ""})` : "";
      setText(link.lastElementChild as HTMLElement, `This step as an FCLIB file${whose}`);
    });
    setText(this.compareButton, this.comparing ? "End the comparison" : "Compare");
  }

  private showGravity(gravity: number[]): void {
    const { size, tilt, heading } = gravityAngles(gravity, this.dimension);
    this.gravity.value = size;
    if (size === 0) return;
    this.tilt.value = tilt;
    if (Math.abs(tilt) > 1e-6) this.heading.value = heading;
  }

  loop(message: LoopMessage): void {
    const percent = (x: number | null | undefined) => (typeof x === "number" ? `${number(100 * x)} %` : "\u2013");
    const seconds = (x: number | null | undefined) => (typeof x === "number" ? quantity(x, "s") : "\u2013");
    const figures: [string, string][] = [
      ["Steps a second", typeof message.steps_per_second === "number" ? message.steps_per_second.toFixed(0) : "\u2013"],
      ["Met the tolerance", percent(message.met)],
      ["A step may take", seconds(message.limit)],
      ["Kept that limit", percent(message.in_time)],
      ["Both", percent(message.met_in_time)],
      ["A step takes", seconds(message.step_seconds)],
      ["The slowest took", seconds(message.slowest_step_seconds)],
      ["Behind the clock", seconds(message.behind_seconds)],
      ["Processor busy", percent(message.busy)],
    ];
    if (this.loopTable.children.length === 0)
      for (const [name] of figures) this.loopTable.append(el("dt", {}, name), el("dd", { class: "figure" }));
    figures.forEach(([, value], i) => setText(this.loopTable.children[2 * i + 1] as HTMLElement, value));
  }
}
