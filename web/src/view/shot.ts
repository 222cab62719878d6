// Where a planned picture is taken from, at any time of the run: a place, a path through keys, a body that is followed, an
// orbit about the target. Angles are in degrees, times in seconds of the run.
import type { CameraKey, CameraLook } from "../protocol";

export type Place = [number, number, number];

// What is left out stays as the picture was fitted.
export interface Shot {
  at?: Place;
  target?: Place;
  fov?: number;
}

const isPlace = (x: number[] | undefined): x is Place => x !== undefined && x.length >= 2 && x.every(Number.isFinite);
const place = (x: number[]): Place => [x[0], x[1], x[2] ?? 0];

// The keys that say something of a member, as times and values.
function told<T>(keys: CameraKey[], of: (key: CameraKey) => T | undefined): { time: number; value: T }[] {
  return keys.flatMap((key) => {
    const value = of(key);
    return value === undefined ? [] : [{ time: key.time ?? 0, value }];
  });
}

// A smooth line through numbers: cubic pieces, with the slopes of their neighbours at either end.
export function along(times: number[], values: number[], time: number): number {
  const last = times.length - 1;
  if (time <= times[0] || last === 0) return values[0];
  if (time >= times[last]) return values[last];
  let k = 0;
  while (times[k + 1] < time) k++;
  const slope = (i: number) => {
    const [a, b] = [Math.max(0, i - 1), Math.min(last, i + 1)];
    return i === 0 || i === last ? 0 : (values[b] - values[a]) / (times[b] - times[a]);
  };
  const h = times[k + 1] - times[k];
  const s = (time - times[k]) / h;
  const [p, q, m, n] = [values[k], values[k + 1], h * slope(k), h * slope(k + 1)];
  return (
    (2 * s * s * s - 3 * s * s + 1) * p +
    (s * s * s - 2 * s * s + s) * m +
    (3 * s * s - 2 * s * s * s) * q +
    (s * s * s - s * s) * n
  );
}

function placeAlong(keys: { time: number; value: number[] }[], time: number): Place | undefined {
  if (keys.length === 0) return undefined;
  const times = keys.map((key) => key.time);
  const axis = (a: number) => along(times, keys.map((key) => key.value[a] ?? 0), time);
  return [axis(0), axis(1), axis(2)];
}

export function shotAt(plan: CameraLook, time: number): Shot {
  const keys = [...(plan.keys ?? [])].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  const fovs = told(keys, (key) => key.fov);
  const fov = fovs.length > 0 ? along(fovs.map((k) => k.time), fovs.map((k) => k.value), time) : plan.fov;
  return {
    at: placeAlong(told(keys, (key) => (isPlace(key.at) ? key.at : undefined)), time) ?? (isPlace(plan.at) ? place(plan.at) : undefined),
    target:
      placeAlong(told(keys, (key) => (isPlace(key.target) ? key.target : undefined)), time) ??
      (isPlace(plan.target) ? place(plan.target) : undefined),
    fov,
  };
}

// Whether the picture is taken from elsewhere as time passes.
export const isMoving = (plan: CameraLook): boolean =>
  (plan.keys?.length ?? 0) > 0 || (plan.orbit ?? 0) !== 0 || (plan.follow ?? -1) >= 0;
