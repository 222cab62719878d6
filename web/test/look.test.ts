// How things look: colours that eyes tell apart, cameras on their way, chains of force, what bodies are coloured by.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unrepeated } from "../src/charts";
import { contrast, DARK, LIGHT, scaleColour, SCALE_COLOURS } from "../src/palette";
import { BODY_FLOATS, CONTACT_WORDS, type Frame, type SceneMessage } from "../src/protocol";
import { budgetText } from "../src/ui/hud";
import { areaPath } from "../src/ui/scrub";
import { readLink, writeLink } from "../src/ui/share";
import { chainsOf } from "../src/view/chains";
import { cutOf, pictureBox } from "../src/view/extent";
import { colourBodies, neighbours } from "../src/view/neighbours";
import { loads, Quantities, speeds } from "../src/view/quantities";
import { along, isMoving, shotAt } from "../src/view/shot";

// How a colour is seen by eyes without one of the three kinds of cones: Vienot, Brettel and Mollon (1999).
function seenBy(hex: number, kind: "all" | "protan" | "deutan"): number[] {
  const linear = (c: number) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = [hex >> 16, (hex >> 8) & 255, hex & 255].map(linear);
  if (kind === "all") return [r, g, b];
  const share = kind === "protan" ? [0.11238, 0.88762] : [0.29275, 0.70725];
  const yellow = share[0] * r + share[1] * g;
  return [yellow, yellow, kind === "protan" ? 0.00401 * r - 0.00401 * g + b : -0.02234 * r + 0.02234 * g + b];
}

// CIE 1976 distance.
function distance(a: number[], b: number[]): number {
  const lab = ([r, g, bl]: number[]) => {
    const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
    const x = f((0.4124 * r + 0.3576 * g + 0.1805 * bl) / 0.9505);
    const y = f(0.2126 * r + 0.7152 * g + 0.0722 * bl);
    const z = f((0.0193 * r + 0.1192 * g + 0.9505 * bl) / 1.089);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  const [p, q] = [lab(a), lab(b)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

test("contact marks stand out from every body, in lightness alone", () => {
  for (const look of [LIGHT, DARK])
    for (const mark of look.contact.slice(1))
      for (const body of look.bodies) {
        const against = contrast(mark, body);
        assert.ok(against >= 1.5, `${mark.toString(16)} on ${body.toString(16)}: ${against.toFixed(2)}`);
        assert.ok(Math.max(against, contrast(look.rim, body), contrast(look.rim, mark)) >= 2.5);
      }
});

test("no two colours of bodies are one colour to any eye", () => {
  for (const look of [LIGHT, DARK])
    for (const kind of ["all", "protan", "deutan"] as const)
      look.bodies.forEach((a, i) =>
        look.bodies.slice(i + 1).forEach((b) => {
          const apart = distance(seenBy(a, kind), seenBy(b, kind));
          assert.ok(apart > 5, `${kind}: ${a.toString(16)} and ${b.toString(16)} are ${apart.toFixed(1)} apart`);
        }),
      );
});

test("the scale of a quantity ascends in lightness, and what is no number is no colour of it", () => {
  const light = (share: number) => scaleColour(share).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  for (let k = 0; k < 20; k++) assert.ok(light((k + 1) / 20) > light(k / 20));
  assert.deepEqual(scaleColour(NaN), [0, 0, 0]);
  assert.deepEqual(scaleColour(7), scaleColour(1));
  assert.equal(SCALE_COLOURS.length, 5);
});

// A row of balls of radius 1, 2 apart, on the floor.
function row(count: number): { scene: SceneMessage; frame: Frame } {
  const ball = { name: "ball", fixed: false, mass: 2, shapes: [{ type: "sphere", radius: 1 }] };
  const floor = { name: "floor", fixed: true, mass: null, shapes: [] };
  const scene = { dimension: 3, bodies: [...Array.from({ length: count }, () => ball), floor], joints: [] };
  const poses = new Float32Array(BODY_FLOATS * (count + 1));
  for (let b = 0; b <= count; b++) poses.set([2 * b, 0, 1, 1, 0, 0, 0], BODY_FLOATS * b);
  const frame = { time: 0, bodies: count + 1, contacts: 0, poses, ...contactsOf([]) };
  return { scene: scene as unknown as SceneMessage, frame: frame as unknown as Frame };
}

// Pairs of bodies with a normal force along x between them.
function contactsOf(list: [number, number, number][]) {
  const contactFloats = new Float32Array(CONTACT_WORDS * list.length);
  const contactInts = new Int32Array(contactFloats.buffer);
  list.forEach(([a, b, force], k) => {
    contactFloats.set([2 * a + 1, 0, 1, 1, 0, 0, force, 0, 0], CONTACT_WORDS * k);
    contactInts.set([a, b], CONTACT_WORDS * k + 14);
  });
  return { contacts: list.length, contactFloats, contactInts };
}

test("neighbours never share a colour where there are enough", () => {
  const { scene, frame } = row(50);
  const near = neighbours(scene, frame);
  assert.deepEqual(near[3].sort(), [2, 4]);
  const colours = colourBodies(scene, frame, 8);
  near.forEach((others, b) => others.forEach((other) => assert.notEqual(colours[b], colours[other])));
  assert.equal(colours[50], -1);
  assert.ok(new Set(colours.slice(0, 50)).size >= 7); // all of them are used
});

test("contacts of one pair are one chain between centres; a floor's end at the point", () => {
  const { scene, frame } = row(3);
  const told = { ...frame, ...contactsOf([[0, 1, 5], [0, 1, 7], [1, 3, 4]]) } as unknown as Frame;
  const chains = chainsOf(scene, told);
  assert.equal(chains.length, 2);
  assert.deepEqual([chains[0].force, chains[0].from[0], chains[0].to[0]], [12, 0, 2]);
  assert.deepEqual([chains[1].force, chains[1].to[0]], [4, 3]);
});

test("speeds are what bodies moved over the time between; loads are half of what presses", () => {
  const { scene, frame } = row(2);
  const later = { ...frame, time: 0.1, poses: frame.poses.slice() };
  later.poses[0] += 0.25;
  const out = new Float32Array(3);
  speeds(later, frame, out);
  assert.ok(Math.abs(out[0] - 2.5) < 1e-5);
  assert.equal(out[1], 0);
  speeds(later, null, out);
  assert.equal(out[0], 0);
  loads({ ...frame, ...contactsOf([[0, 1, 6], [1, 2, 4]]) } as unknown as Frame, out);
  assert.deepEqual([...out], [3, 5, 2]);
  const told = new Quantities(scene);
  told.update("energy", frame);
  assert.ok(Math.abs(told.update("energy", later)[0] - 6.25) < 1e-4);
  assert.ok(Math.abs(told.update("energy", later)[0] - 6.25) < 1e-4); // drawn again
});

test("age is the time since a contact came or went", () => {
  const { scene, frame } = row(3);
  const told = new Quantities(scene);
  const at = (time: number, list: [number, number, number][]) =>
    [...told.update("age", { ...frame, time, ...contactsOf(list) } as unknown as Frame)].slice(0, 3);
  at(0, [[0, 1, 1]]);
  assert.deepEqual(at(2, [[0, 1, 1]]), [2, 2, 2]);
  assert.deepEqual(at(3, [[0, 1, 1], [1, 2, 1]]), [3, 0, 0]);
  assert.deepEqual(at(5, [[1, 2, 1]]), [0, 0, 2]);
});

test("a camera goes through its keys, smoothly, and stays at its ends", () => {
  const keys = [
    { time: 0, at: [0, 0, 0], target: [0, 0, 1] },
    { time: 1, at: [1, 0, 0] },
    { time: 3, at: [3, 4, 0], fov: 20 },
  ];
  assert.deepEqual(shotAt({ keys }, -1).at, [0, 0, 0]);
  assert.deepEqual(shotAt({ keys }, 1).at, [1, 0, 0]);
  assert.deepEqual(shotAt({ keys }, 9).at, [3, 4, 0]);
  assert.deepEqual(shotAt({ keys }, 2).target, [0, 0, 1]);
  assert.equal(shotAt({ keys }, 0).fov, 20);
  const [before, after] = [0.999, 1.001].map((t) => shotAt({ keys }, t).at ?? [0, 0, 0]);
  assert.ok(Math.abs(after[0] - before[0] - 0.002) < 1e-3);
  assert.equal(along([2], [5], 7), 5);
  assert.deepEqual([isMoving({ at: [1, 2, 3] }), isMoving({ orbit: 3 }), isMoving({ keys })], [false, true, true]);
});

test("words for the budget of time are true", () => {
  assert.equal(budgetText(1, 1, 1), "exact and fluent");
  assert.equal(budgetText(1, 0.04, 1), "exact, slower than life");
  assert.equal(budgetText(0.9, 1, 1), "fluent, not exact");
  assert.equal(budgetText(0.9, 0.5, 1), "not exact, slower than life");
  assert.equal(budgetText(1, 0.1, 0.1), "exact and fluent");
  assert.equal(budgetText(1, 1.5, 5), "exact, slower than asked");
});

test("no tick reads as the one before it", () => assert.deepEqual(unrepeated(["0", "1", "1", "2"]), ["0", "1", "", "2"]));

test("a link says what was seen, and nothing that is no number gets in", () => {
  const link = { scene: "cards", parameters: { levels: "5" }, at: [1, -2.5, 3], target: [0, 0, 1], colour: "speed" as const, chains: true };
  assert.deepEqual(readLink(writeLink(link)), link);
  const odd = readLink("#at=1,NaN,2&target=1,2&colour=constructor&p.levels=<b>");
  assert.equal(odd.colour, undefined);
  assert.deepEqual([odd.at, odd.target, odd.scene, odd.parameters], [undefined, undefined, undefined, { levels: "<b>" }]);
});

test("the area of contacts begins and ends on the floor of its box", () => {
  assert.equal(areaPath([0, 1, 2], [0, 4, NaN]), "M0 16L0.0 16.00L500.0 0.00L1000.0 16.00L1000 16z");
  assert.equal(areaPath([1], [3]), "");
});

test("a recording with a row every two seconds tells speeds all the same", () => {
  const scene = { bodies: [{ shapes: [], fixed: false }], joints: [] } as unknown as SceneMessage;
  const at = (time: number, x: number, beside: Frame | null = null) =>
    ({ time, bodies: 1, contacts: 0, poses: Float32Array.of(x, 0, 0, 1, 0, 0, 0), beside }) as unknown as Frame;
  const sought = new Quantities(scene);
  sought.update("speed", at(0, 0));
  assert.ok(Math.abs(sought.update("speed", at(2, 1))[0] - 0.5) < 1e-6);
  assert.equal(sought.update("speed", at(20, 9))[0], 0); // a jump says nothing
  assert.ok(Math.abs(new Quantities(scene).update("speed", at(2, 1, at(5, 4)))[0] - 1) < 1e-6); // the next row
});

test("walls far above what moves are cut there, and the picture holds what is left of them", () => {
  const ball = { fixed: false, shapes: [{ type: "sphere", radius: 1 }] };
  const wall = { fixed: true, shapes: [{ type: "box", half: [2, 2, 20], at: [0, 0, 20] }] };
  const low = { fixed: true, shapes: [{ type: "box", half: [1.5, 1.5, 1.5], at: [0, 0, 1.5] }] };
  const seen = (other: object) => {
    const scene = { dimension: 3, bounds: [[-1, -1, 0], [1, 1, 2]], joints: [], bodies: [ball, other] };
    const poses = Float32Array.of(0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
    return [scene as unknown as SceneMessage, { bodies: 2, poses } as unknown as Frame] as const;
  };
  const cut = cutOf(...seen(wall)) ?? NaN;
  assert.ok(cut > 2 && cut < 4, String(cut));
  assert.deepEqual(pictureBox(...seen(wall)).max.toArray(), [2, 2, cut]);
  assert.equal(cutOf(...seen(low)), null);
  assert.deepEqual(pictureBox(...seen(low)).max.toArray(), [1.5, 1.5, 3]);
});
