// What bodies are coloured by, a row each: a name, a unit, and how a frame tells it.
//
// Frames bring places, not velocities: how fast a body moves is what it moved since the frame before, over the time
// between. That is its mean velocity over a picture, which is what one sees.
import { BODY_FLOATS, CONTACT_WORDS, type Frame, type SceneMessage } from "../protocol";

export type Colouring =
  | "body"
  | "material"
  | "island"
  | "speed"
  | "energy"
  | "force"
  | "age"
  | "displacement"
  | "strain"
  | "stress";

export interface ColouringRow {
  word: string; // in the menu
  unit?: string; // of a quantity, which has a scale
  label?: string; // at the scale's end
  soft?: boolean; // of deformable bodies, point by point
}

export const COLOURINGS: Record<Colouring, ColouringRow> = {
  body: { word: "body" },
  material: { word: "material" },
  island: { word: "island" },
  speed: { word: "speed", unit: "m/s", label: "" },
  energy: { word: "kinetic energy", unit: "J", label: "of motion" },
  force: { word: "contact force", unit: "N", label: "carried" },
  age: { word: "age of contacts", unit: "s", label: "unchanged" },
  displacement: { word: "displacement", unit: "m", label: "displaced", soft: true },
  strain: { word: "strain of the skin", unit: "", label: "strain", soft: true },
  stress: { word: "stress of the skin", unit: "Pa", label: "stress", soft: true },
};

export const isQuantity = (colouring: Colouring): boolean => COLOURINGS[colouring].unit !== undefined;
export const isSoftQuantity = (colouring: Colouring): boolean => COLOURINGS[colouring].soft === true;

const LONGEST = 1; // s between two frames, beyond which a difference says nothing,
const ROWS = 3; // unless frames are that sparse: as many of the shortest time between two

// Speeds of centres, m/s; zero where no frame before tells them.
export function speeds(frame: Frame, before: Frame | null, out: Float32Array, longest = LONGEST): void {
  const dt = before ? Math.abs(frame.time - before.time) : 0;
  out.fill(0);
  if (!before || !(dt > 0) || dt > longest || before.poses.length !== frame.poses.length) return;
  const [x, y] = [frame.poses, before.poses];
  const shift = (k: number) => (frame.shifts?.[k] ?? 0) - (before.shifts?.[k] ?? 0); // of a cell that repeats itself
  for (let b = 0, at = 0; b < out.length; b++, at += BODY_FLOATS) {
    const moved = [0, 1, 2].map((a) => x[at + a] - y[at + a] + shift(3 * b + a));
    out[b] = Math.hypot(moved[0], moved[1], moved[2]) / dt;
  }
}

// What a body carries: half the sum of the normal forces on it, which is its load where it stands between two others.
export function loads(frame: Frame, out: Float32Array): void {
  out.fill(0);
  const [f, i] = [frame.contactFloats, frame.contactInts];
  for (let k = 0, at = 0; k < frame.contacts; k++, at += CONTACT_WORDS) {
    const normal = f[at + 6] * f[at + 3] + f[at + 7] * f[at + 4] + f[at + 8] * f[at + 5];
    for (const b of [i[at + 14], i[at + 15]]) if (b >= 0 && b < out.length) out[b] += 0.5 * Math.abs(normal);
  }
}

// For how long a body has touched what it touches: the time since a contact pair of it came or went.
class Ages {
  private pairs = new Set<number>();
  private since = new Float64Array(0);
  private last = -Infinity;

  update(frame: Frame, out: Float32Array): void {
    if (this.since.length !== frame.bodies || frame.time < this.last) {
      this.since = new Float64Array(frame.bodies).fill(frame.time);
      this.pairs = new Set();
    }
    this.last = frame.time;
    const now = new Set<number>();
    for (let k = 0, at = 0; k < frame.contacts; k++, at += CONTACT_WORDS)
      now.add((frame.contactInts[at + 14] + 1) * (frame.bodies + 1) + frame.contactInts[at + 15] + 1);
    const changed = (pair: number) => {
      const [a, b] = [Math.floor(pair / (frame.bodies + 1)) - 1, (pair % (frame.bodies + 1)) - 1];
      for (const body of [a, b]) if (body >= 0 && body < frame.bodies) this.since[body] = frame.time;
    };
    for (const pair of now) if (!this.pairs.has(pair)) changed(pair);
    for (const pair of this.pairs) if (!now.has(pair)) changed(pair);
    this.pairs = now;
    for (let b = 0; b < out.length; b++) out[b] = frame.time - this.since[b];
  }
}

// Values of one scene's bodies, frame after frame.
export class Quantities {
  readonly values: Float32Array;
  private before: Frame | null = null;
  private last: Frame | null = null;
  private shortest = Infinity; // s between two frames
  private readonly ages = new Ages();

  constructor(private readonly scene: SceneMessage) {
    this.values = new Float32Array(scene.bodies.length);
  }

  // A frame that stands by itself, as of a recording, tells what comes after it.
  update(colouring: Colouring, frame: Frame): Float32Array {
    if (this.last?.time !== frame.time) {
      if (this.last) this.shortest = Math.min(this.shortest, Math.abs(frame.time - this.last.time));
      [this.before, this.last] = [this.last, frame]; // not one that is drawn again
    }
    const before = frame.beside ?? this.before;
    const longest = frame.beside ? Infinity : Math.max(LONGEST, ROWS * this.shortest); // what lies beside it is the next row
    if (colouring === "speed" || colouring === "energy") speeds(frame, before, this.values, longest);
    if (colouring === "energy")
      this.scene.bodies.forEach((body, b) => (this.values[b] *= 0.5 * (body.mass ?? 0) * this.values[b]));
    if (colouring === "force") loads(frame, this.values);
    if (colouring === "age") this.ages.update(frame, this.values);
    return this.values;
  }
}
