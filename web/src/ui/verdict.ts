// What is said of the certificate of one or more steps. A tick is for a finite figure within the tolerance, of steps of
// which none missed and which had a contact at least, with overlap, energy and motion in bounds; everything else has
// words of its own.
import { certificateText } from "../charts";
import { Bound, type StepStats } from "../protocol";

export type Met = "true" | "false" | "none";

export interface Verdict {
  met: Met; // none: there was nothing to meet
  text: string;
}

const TICK = "\u2713";
const CROSS = "\u2715";

// What is wrong beside the law.
export function boundsText(bounds: number): string {
  const words = [
    bounds & Bound.Penetration ? "bodies overlap" : "",
    bounds & Bound.Energy ? "energy from nowhere" : "",
    bounds & Bound.Motion ? "bodies passed through others" : "",
  ];
  return `out of bounds: ${words.filter((word) => word).join(", ")}`;
}

export class Worst {
  private natural = 0;
  private missed = false;
  private contacts = 0;
  private bounds = 0;
  any = false;

  // The state at t = 0 is the end of no step.
  add(step: StepStats): void {
    if (step.time === 0) return;
    this.any = true;
    this.missed ||= step.missed;
    this.bounds |= step.bounds;
    this.contacts = Math.max(this.contacts, step.contacts);
    this.natural = Number.isFinite(step.natural) ? Math.max(this.natural, step.natural) : NaN; // and NaN it stays
  }

  verdict(tolerance: number): Verdict {
    if (!Number.isFinite(this.natural)) return { met: "false", text: `${CROSS} certificate is not a number` };
    const within = this.natural <= tolerance;
    if (within && this.missed) return { met: "false", text: `${CROSS} a step missed its tolerance` };
    if (within && this.bounds) return { met: "false", text: `${CROSS} ${boundsText(this.bounds)}` };
    if (within && !(this.contacts > 0)) return { met: "none", text: "no contacts" };
    const relation = `${certificateText(this.natural)} ${within ? "\u2264" : ">"} ${certificateText(tolerance)}`;
    return { met: within ? "true" : "false", text: `${within ? TICK : CROSS} certificate ${relation}` };
  }
}

export function verdictOf(step: StepStats, tolerance: number): Verdict | null {
  const worst = new Worst();
  worst.add(step);
  return worst.any ? worst.verdict(tolerance) : null;
}
