// The badge: a tick only where every step met its tolerance, at a contact, with a number.
import assert from "node:assert/strict";
import test from "node:test";
import type { StepStats } from "../src/protocol";
import { verdictOf, Worst } from "../src/ui/verdict";

function step(more: Partial<StepStats> = {}): StepStats {
  const figures = { kinetic: 0, potential: 0, contacts: 4, iterations: 3, seconds: 1e-4 };
  return { time: 1e-3, natural: 1e-9, missed: false, atRest: false, bounds: 0, ...figures, ...more };
}

const verdict = (more: Partial<StepStats>) => verdictOf(step(more), 1e-8);

test("a finite figure within the tolerance at a contact has a tick", () => {
  assert.deepEqual(verdict({}), { met: "true", text: "\u2713 certificate 1e\u22129 \u2264 1e\u22128" });
  assert.equal(verdict({ natural: 0 })?.met, "true");
});

test("what is not a number is said, and is no tick", () => {
  for (const natural of [NaN, Infinity, -Infinity]) {
    const said = verdict({ natural });
    assert.equal(said?.met, "false");
    assert.match(said?.text ?? "", /not a number/);
  }
});

test("without contacts there is nothing to tick", () => {
  assert.deepEqual(verdict({ natural: 0, contacts: 0 }), { met: "none", text: "no contacts" });
  assert.equal(verdict({ natural: NaN, contacts: 0 })?.met, "false");
});

test("a missed step is never green, whatever its figure", () => {
  assert.equal(verdict({ missed: true })?.met, "false");
  assert.equal(verdict({ missed: true, natural: 0, contacts: 0 })?.met, "false");
  assert.equal(verdict({ natural: 0.3, missed: true })?.text, "\u2715 certificate 3e\u22121 > 1e\u22128");
});

test("a step out of bounds is never green, and says what is wrong", () => {
  assert.deepEqual(verdict({ bounds: 3 }), {
    met: "false",
    text: "\u2715 out of bounds: bodies overlap, energy from nowhere",
  });
  assert.equal(verdict({ bounds: 4, contacts: 0 })?.met, "false");
});

test("of several steps the worst is shown, in whichever order they come", () => {
  for (const others of [[step(), step({ natural: NaN })], [step({ natural: NaN }), step()]]) {
    const worst = new Worst();
    others.forEach((other) => worst.add(other));
    assert.equal(worst.verdict(1e-8).met, "false");
    assert.match(worst.verdict(1e-8).text, /not a number/);
  }
  const mixed = new Worst();
  mixed.add(step({ missed: true }));
  mixed.add(step({ contacts: 0, natural: 0 }));
  assert.equal(mixed.verdict(1e-8).met, "false");
});

test("the state at the start is no step", () => {
  assert.equal(verdict({ time: 0, contacts: 0, natural: 0 }), null);
});
