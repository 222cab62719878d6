// What the charts remember of a run: a bounded number of buckets, however long it goes.
//
// A bucket is what happened within a span of time: the worst certificate, the most iterations, the slowest step, the
// last energies. When all are full, the span doubles and neighbours become one: no missed step is ever lost.
import type { StepStats } from "./protocol";

export interface Bucket extends StepStats {
  from: number; // time of its first step; `time` is that of its last
}

function worse(a: number, b: number): number {
  return Number.isNaN(a) || a > b ? a : b; // NaN is the worst
}

function absorb(bucket: Bucket, step: StepStats): void {
  bucket.time = step.time;
  bucket.natural = worse(bucket.natural, step.natural);
  bucket.kinetic = step.kinetic;
  bucket.potential = step.potential;
  bucket.contacts = step.contacts;
  bucket.iterations = Math.max(bucket.iterations, step.iterations);
  bucket.seconds = Math.max(bucket.seconds, step.seconds);
  bucket.missed ||= step.missed;
  bucket.atRest = step.atRest;
  bucket.bounds |= step.bounds;
}

export class History {
  private buckets: Bucket[] = [];
  private width = 0;
  missed = 0; // buckets told of that hold a missed step
  outOfBounds = 0; // and of steps that are out of bounds

  // `span`: only the last so many seconds are kept, in buckets of equal width.
  constructor(
    private readonly most = 1024,
    private readonly span = Infinity,
  ) {
    if (span < Infinity) this.width = span / most;
  }

  get length(): number {
    return this.buckets.length;
  }

  get last(): Bucket | undefined {
    return this.buckets[this.buckets.length - 1];
  }

  all(): readonly Bucket[] {
    return this.buckets;
  }

  add(step: StepStats): void {
    if (!Number.isFinite(step.time)) return;
    const last = this.last;
    if (last && step.time <= last.time) return this.insert(step);
    if (step.missed) this.missed++;
    if (step.bounds) this.outOfBounds++;
    if (last && step.time - last.from < this.width) absorb(last, step);
    else this.buckets.push({ ...step, from: step.time });
    if (this.span < Infinity) this.dropOld();
    else if (this.buckets.length > this.most) this.condense();
  }

  // The bucket that shows a moment: the last that is not later.
  at(time: number): Bucket | undefined {
    return this.buckets[this.place(time) - 1] ?? this.buckets[0];
  }

  // How many buckets are not later than `time`.
  private place(time: number): number {
    let low = 0;
    let high = this.buckets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.buckets[middle].from <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // A recording that is played again, or from an earlier moment: what is known already stays as it is.
  private insert(step: StepStats): void {
    const place = this.place(step.time);
    const before = this.buckets[place - 1];
    const least = Math.max(this.width, 1e-9);
    if (before && step.time <= before.time + least) return;
    if (this.buckets[place] && this.buckets[place].from <= step.time + least) return;
    this.buckets.splice(place, 0, { ...step, from: step.time });
    if (step.missed) this.missed++;
    if (step.bounds) this.outOfBounds++;
    if (this.buckets.length > this.most) this.condense();
  }

  private dropOld(): void {
    const oldest = this.buckets[this.buckets.length - 1].time - this.span;
    let gone = 0;
    while (this.buckets[gone].time < oldest) gone++;
    if (gone > this.most / 8) this.buckets.splice(0, gone);
  }

  private condense(): void {
    const range = this.buckets[this.buckets.length - 1].time - this.buckets[0].from;
    this.width = Math.max(2 * this.width, (2 * range) / this.most);
    const kept: Bucket[] = [];
    for (const bucket of this.buckets) {
      const last = kept[kept.length - 1];
      if (last && bucket.time - last.from < this.width) absorb(last, bucket);
      else kept.push(bucket);
    }
    this.buckets = kept;
  }
}
