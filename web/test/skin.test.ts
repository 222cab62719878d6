// Skins of deformable bodies: split at creases, bent by amplitudes, found again under the pointer.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { niceAbove } from "../src/format";
import type { Frame, SceneMessage, Shape } from "../src/protocol";
import { LIGHT } from "../src/palette";
import { lagText, shareText } from "../src/ui/hud";
import { Bodies } from "../src/view/bodies";
import { DeformedSkin, skinOf, type Skin } from "../src/view/skin";

// A cube of edge 2; mode 0 lifts its top, mode 1 stretches it along x.
function cube(): Shape {
  const vertices = Array.from({ length: 8 }, (_, v) => [v & 1, (v >> 1) & 1, v >> 2].map((bit) => 2 * bit - 1));
  const quads = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  const triangles = quads.flatMap(([a, b, c, d]) => [
    [a, b, c],
    [a, c, d],
  ]);
  const U = new Float32Array(8 * 3 * 2);
  vertices.forEach(([x, , z], v) => {
    if (z > 0) U[(3 * v + 2) * 2] = 0.5;
    U[3 * v * 2 + 1] = x;
  });
  const basis = Buffer.from(U.buffer).toString("base64");
  return { type: "soft", vertices, triangles, basis, modes: 2, first_mode: 1 };
}

test("a cube has three normals at a corner and twelve creases", () => {
  const skin = skinOf(cube()) as Skin;
  assert.equal(skin.rest.length, 3 * 24);
  assert.equal(skin.creases.length, 2 * 12);
  assert.deepEqual(skin.reach, [0.5, 1]);
  const drawn = new DeformedSkin(skin);
  const [p, n] = ["position", "normal"].map((name) => drawn.geometry.getAttribute(name));
  for (let v = 0; v < 24; v++) {
    const normal = new THREE.Vector3().fromBufferAttribute(n, v);
    assert.ok(Math.abs(normal.length() - 1) < 1e-6);
    assert.ok(Math.abs(normal.dot(new THREE.Vector3().fromBufferAttribute(p, v)) - 1) < 1e-6); // outward, along an axis
  }
});

// Stretched by e along x and not across: s e along x and poisson s e across, s = young / (1 - poisson^2).
test("the stress of a stretched skin is that of plane stress", () => {
  const [young, poisson, e] = [1e6, 0.25, 0.01];
  const drawn = new DeformedSkin(skinOf({ ...cube(), young, poisson }) as Skin);
  assert.ok(drawn.deform(Float32Array.of(0, 0, e), 1));
  const s = (young / (1 - poisson * poisson)) * e;
  assert.ok(Math.abs(drawn.most("stress") / (s * Math.sqrt(1 - poisson + poisson * poisson)) - 1) < 1e-4);
  assert.ok(Math.abs(drawn.most("strain") / e - 1) < 1e-4);
});

// Turned along straight lines, as a mode turns, it swells by sqrt(1 + q^2) and has no small strain.
test("the stress of a modal body is that of its small strains", () => {
  const [q, young] = [0.5, 1e6];
  const turned = (linear: boolean): number => {
    const shape = cube();
    const U = new Float32Array(8 * 3);
    shape.vertices?.forEach(([x, y], v) => U.set([-y, x, 0], 3 * v));
    const basis = Buffer.from(U.buffer).toString("base64");
    const drawn = new DeformedSkin(skinOf({ ...shape, basis, modes: 1, young, poisson: 0, linear }) as Skin);
    assert.ok(drawn.deform(Float32Array.of(q), 0));
    return drawn.most("stress");
  };
  assert.ok(turned(true) < 1e-3);
  assert.ok(Math.abs(turned(false) / (young * (Math.sqrt(1 + q * q) - 1)) - 1) < 1e-4);
});

test("what is no skin is refused", () => {
  assert.equal(skinOf({ ...cube(), basis: "AAAA" }), null);
  assert.equal(skinOf({ type: "mesh", vertices: [[0, 0, 0]], triangles: [[0, 0, 0]] }), null);
});

test("amplitudes bend it, and small changes are not drawn", () => {
  const drawn = new DeformedSkin(skinOf(cube()) as Skin);
  const frame = Float32Array.of(99, 0.4, 0.25);
  assert.ok(drawn.deform(frame, 1));
  const box = new THREE.Box3().setFromBufferAttribute(drawn.geometry.getAttribute("position") as THREE.BufferAttribute);
  assert.ok(box.min.distanceTo(new THREE.Vector3(-1.25, -1, -1)) < 1e-6);
  assert.ok(box.max.distanceTo(new THREE.Vector3(1.25, 1, 1.2)) < 1e-6);
  assert.ok(Math.abs(drawn.displacement - Math.hypot(0.2, 0.25)) < 1e-6);
  assert.ok(!drawn.deform(Float32Array.of(99, 0.4 + 1e-9, 0.25), 1));
  const place = drawn.locate(2, new THREE.Vector3(0.5, 0.5, 1.2)); // on the top
  assert.ok(Math.abs(place.weights.reduce((sum, w) => sum + w, 0) - 1) < 1e-9);
  assert.ok(drawn.point(place).distanceTo(new THREE.Vector3(0.5, 0.5, 1.2)) < 1e-6);
  drawn.deform(Float32Array.of(99, 0, 0), 1);
  assert.ok(drawn.point(place).distanceTo(new THREE.Vector3(0.4, 0.5, 1)) < 1e-6); // it moves with the skin
});

test("a soft body is picked where it is now, and tells where on its skin", () => {
  const shape = cube();
  const bodies = [{ name: "soft", fixed: false, mass: 1, shapes: [shape] }];
  const bounds = [
    [-1, -1, -1],
    [1, 1, 1],
  ];
  const scene = { type: "scene", dimension: 3, bodies, joints: [], bounds } as unknown as SceneMessage;
  const frame = {
    bodies: 1,
    poses: Float32Array.of(10, 0, 0, 1, 0, 0, 0),
    modes: Float32Array.of(0, 4, 0),
    islands: Int32Array.of(0),
  } as unknown as Frame;
  const picture = new Bodies(scene, LIGHT, frame, () => false, { full: 0 });
  picture.colouring = "displacement";
  picture.update(frame);
  const down = new THREE.Raycaster(new THREE.Vector3(10.2, 0.3, 9), new THREE.Vector3(0, 0, -1));
  const hit = picture.pick(down);
  assert.ok(hit?.skin && Math.abs(hit.point.z - 3) < 1e-6); // the top was lifted by two
  const local = picture.skinPoint(0, hit.skin) as THREE.Vector3;
  assert.ok(local.distanceTo(new THREE.Vector3(0.2, 0.3, 3)) < 1e-5);
  assert.ok(Math.abs((picture.deformation(0)?.displacement ?? 0) - 2) < 1e-6);
  picture.dispose();
});

test("scales end at a round number, and a share is never rounded up", () => {
  assert.deepEqual([0.9, 1, 1.2, 2.1, 6].map(niceAbove), [1, 1, 2, 5, 10]);
  assert.deepEqual([1, 0.9999, 0.952, 0].map(shareText), ["100 %", "99.9 %", "95.2 %", "0 %"]);
  assert.deepEqual([0, 0.016, 0.12].map(lagText), ["on the clock", "on the clock", "120 ms behind the clock"]);
});
