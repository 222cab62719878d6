// What is said of the certificate of one or more steps. A tick is for a finite figure within the tolerance, of steps of
// which none missed and which had a contact at least; everything else has words of its own.
import { certificateText } from "../charts";
import type { StepStats } from "../protocol";

export type Met = "true" | "false" | "none";

export interface Verdict {
  met: Met; // none: there was nothing to meet
  text: string;
}

const TICK = "\u2713";
const CROSS = "\u2715";

export class Worst {
  private natural = 0;
  private missed = false;
  private contacts = 0;
  any = false;

  // The state at t = 0 is the end of no step.
  add(step: StepStats): void {
    if (step.time === 0) return;
    this.any = true;
    this.missed ||= step.missed;
    this.contacts = Math.max(this.contacts, step.contacts);
    this.natural = Number.isFinite(step.natural) ? Math.max(this.natural, step.natural) : NaN; // and NaN it stays
  }

  verdict(tolerance: number): Verdict {
    if (!Number.isFinite(this.natural)) return { met: "false", text: `${CROSS} certificate is not a number` };
    const within = this.natural <= tolerance;
    if (within && this.missed) return { met: "false", text: `${CROSS} a step missed its tolerance` };
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
