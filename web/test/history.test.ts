// Histories: bounded, and no missed step is lost.
import assert from "node:assert/strict";
import test from "node:test";
import { History } from "../src/history";
import type { StepStats } from "../src/protocol";

function step(k: number, more: Partial<StepStats> = {}): StepStats {
  return {
    time: k * 1e-3,
    natural: 1e-9,
    kinetic: k,
    potential: -k,
    contacts: 4,
    iterations: 3,
    seconds: 1e-4,
    missed: false,
    atRest: false,
    bounds: 0,
    ...more,
  };
}

test("a long run stays bounded and keeps its worst step", () => {
  const history = new History(256);
  for (let k = 0; k < 100000; k++) history.add(step(k, k === 54321 ? { natural: 1e-3, missed: true } : {}));
  assert.ok(history.length <= 256 && history.length > 60);
  const missed = history.all().filter((bucket) => bucket.missed);
  assert.equal(missed.length, 1);
  assert.equal(missed[0].natural, 1e-3);
  assert.ok(missed[0].from <= 54.321 && missed[0].time >= 54.321);
  assert.equal(history.missed, 1);
  assert.equal(history.last?.kinetic, 99999);
});

test("buckets follow each other in time and leave nothing out", () => {
  const history = new History(100);
  for (let k = 0; k < 12345; k++) history.add(step(k));
  const buckets = history.all();
  assert.equal(buckets[0].from, 0);
  for (let k = 1; k < buckets.length; k++) assert.ok(Math.abs(buckets[k].from - buckets[k - 1].time - 1e-3) < 1e-9);
});

test("a certificate that is no number is the worst", () => {
  const history = new History(4);
  for (let k = 0; k < 100; k++) history.add(step(k, k === 10 ? { natural: NaN } : {}));
  assert.equal(history.all().filter((bucket) => Number.isNaN(bucket.natural)).length, 1);
});

test("a window forgets what is older", () => {
  const history = new History(500, 10);
  for (let k = 0; k < 60000; k++) history.add(step(k));
  assert.ok(history.length <= 600);
  assert.ok((history.last?.time ?? 0) - history.all()[0].time < 12);
});

test("what is played again adds nothing, what was skipped is put in its place", () => {
  const history = new History(1000);
  for (let k = 0; k < 50; k++) history.add(step(k));
  for (let k = 100; k < 150; k++) history.add(step(k));
  for (let k = 20; k < 120; k++) history.add(step(k));
  assert.equal(history.length, 150);
  const times = history.all().map((bucket) => bucket.time);
  assert.deepEqual(times, [...times].sort((a, b) => a - b));
  assert.equal(history.at(0.0755)?.time, 0.075);
});
