import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { CONTACT_WORDS, ContactStatus, type Contact, type Frame, type SceneMessage } from "../src/protocol";
import { utilisation } from "../src/ui/inspector";
import { gravityAngles, gravityVector } from "../src/ui/settings";
import { Rig } from "../src/view/camera";
import { Images, wrapFrame } from "../src/view/cell";
import { commonForce } from "../src/view/contacts";
import { bodyBox, sceneBox } from "../src/view/extent";
import {
  boxGeometry,
  chainGeometry,
  cylinderGeometry,
  diskGeometry,
  polygonGeometry,
  sphereGeometry,
} from "../src/view/geometry";

test("gravity's angles and its vector are inverse to each other", () => {
  for (const dimension of [2, 3] as const)
    for (const tilt of [-60, 0, 25])
      for (const heading of dimension === 3 && tilt > 0 ? [-170, 0, 45] : [0]) {
        if (dimension === 3 && tilt < 0) continue;
        const back = gravityAngles(gravityVector(9.81, tilt, heading, dimension), dimension);
        assert.ok(
          Math.abs(back.size - 9.81) < 1e-9 &&
            Math.abs(back.tilt - tilt) < 1e-9 &&
            Math.abs(back.heading - heading) < 1e-9,
        );
      }
});

test("a contact at the edge of its cone uses all of it", () => {
  const contact: Contact = {
    point: [0, 0, 0],
    normal: [0, 0, 1],
    force: [3, 4, 10],
    slip: [0, 2, 0.5],
    gap: 0,
    mu: 0.5,
    bodies: [0, 1],
    status: ContactStatus.Slip,
  };
  const { normal, tangential, used, slip } = utilisation(contact);
  assert.deepEqual([normal, tangential, used, slip], [10, 5, 1, 2]);
});

// Edges that are drawn: pairs of corners with a zero of the same coordinate.
function drawnEdges(geometry: ReturnType<typeof boxGeometry>): number {
  const edge = geometry.getAttribute("edge");
  let count = 0;
  for (let t = 0; t < edge.count; t += 3)
    for (let k = 0; k < 3; k++) if ([0, 1, 2].filter((v) => edge.getComponent(t + v, k) === 0).length === 2) count++;
  return count;
}

test("real edges are drawn, those of the triangulation are not", () => {
  assert.equal(drawnEdges(boxGeometry()), 24); // each of twelve from both sides
  assert.equal(drawnEdges(sphereGeometry(2)), 0);
  assert.equal(drawnEdges(diskGeometry()), 64);
  assert.equal(drawnEdges(cylinderGeometry(false)), 4 * 32);
  assert.equal(
    drawnEdges(
      polygonGeometry([
        [0, 0],
        [2, 0],
        [2, 1],
        [1, 2],
        [0, 1],
      ]),
    ),
    5,
  );
  assert.ok(
    drawnEdges(
      chainGeometry(
        [
          [0, 0],
          [1, 0],
          [2, 1],
        ],
        0.1,
      ),
    ) >= 6,
  );
});

test("boxes hold their shapes; nonsense bounds give a box all the same", () => {
  const box = bodyBox({
    name: "a",
    fixed: false,
    mass: 1,
    shapes: [{ type: "capsule", radius: 1, half_length: 2, at: [0, 0, 5] }],
  });
  assert.deepEqual([box.min.z, box.max.z, box.max.x], [2, 8, 1]);
  const scene = {
    bounds: [
      [Infinity, 0, 0],
      [-Infinity, 0, 0],
    ],
  } as unknown as SceneMessage;
  assert.ok(!sceneBox(scene).isEmpty());
});

test("one impact among resting contacts does not set the scale of forces", () => {
  const contacts = 10;
  const contactFloats = new Float32Array(CONTACT_WORDS * contacts);
  for (let k = 0; k < contacts; k++) contactFloats[CONTACT_WORDS * k + 8] = k === 3 ? 1e5 : k === 4 ? 0 : 10;
  assert.equal(commonForce({ contacts, contactFloats } as unknown as Frame), 10);
  assert.equal(commonForce({ contacts: 0, contactFloats } as unknown as Frame), 0);
});

// A cell 2 wide along x, a ball of radius 0.25 beyond its right end and a fixed one.
function cellScene(): SceneMessage {
  const ball = { type: "sphere", radius: 0.25 } as const;
  const body = (fixed: boolean) => ({ name: "ball", fixed, mass: 1, shapes: [ball] });
  return {
    dimension: 3,
    periodic: [[0, 2], null, null],
    bodies: [body(false), body(true)],
    joints: [],
    bounds: [
      [0, 0, 0],
      [2, 1, 1],
    ],
  } as unknown as SceneMessage;
}

test("what moves is drawn in the cell, and again where it reaches over its border", () => {
  const scene = cellScene();
  const poses = new Float32Array([6.125, 3, 4, 1, 0, 0, 0, 7, 0, 0, 1, 0, 0, 0]);
  const contactFloats = new Float32Array(CONTACT_WORDS);
  contactFloats[0] = -0.5;
  new Int32Array(contactFloats.buffer)[14] = 1;
  const told = { bodies: 2, contacts: 1, poses, contactFloats, contactInts: new Int32Array(contactFloats.buffer) };
  const frame = wrapFrame(scene, told as unknown as Frame);
  assert.deepEqual([...frame.poses.slice(0, 3)], [0.125, 3, 4]);
  assert.equal(frame.poses[7], 7); // what stands stays
  assert.deepEqual([...(frame.shifts ?? [])], [6, 0, 0, 0, 0, 0]);
  assert.equal(frame.contactFloats[0], 1.5);
  assert.equal(frame.contactInts[14], 1);
  assert.equal(poses[0], 6.125);
  const images = new Images(scene);
  const shift: [number, number, number] = [9, 9, 9];
  assert.equal(images.count, 1);
  assert.ok(images.shift(frame.poses, 0, 1, shift));
  assert.deepEqual(shift, [2, 0, 0]);
  assert.ok(!images.shift(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]), 1, 1, shift));
  frame.poses[0] = 1;
  assert.ok(!images.shift(frame.poses, 0, 1, shift));
  assert.equal(wrapFrame({ ...scene, periodic: undefined }, told as unknown as Frame), told);
});

// Where a point is in a picture, in pixels from its left and upper edge.
function pixel(rig: Rig, p: THREE.Vector3, width: number, height: number): [number, number] {
  rig.camera.updateMatrixWorld();
  const { x, y } = p.clone().project(rig.camera);
  return [0.5 * (x + 1) * width, 0.5 * (1 - y) * height];
}

test("what is fitted keeps clear of the controls, in space and in the plane, on a wide page and on a narrow one", () => {
  const margins = { top: 84, right: 56, bottom: 46, left: 0 };
  const box = new THREE.Box3(new THREE.Vector3(-3, -1, 0), new THREE.Vector3(2, 1, 0.5));
  for (const planar of [false, true])
    for (const [width, height] of [[400, 394], [1028, 796]]) {
      const rig = new Rig(null, () => undefined);
      rig.setPlanar(planar);
      rig.resize(width, height, margins);
      rig.fit(box, 1, "iso");
      const all = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) =>
        pixel(rig, new THREE.Vector3(
          corner & 1 ? box.max.x : box.min.x,
          corner & 2 ? box.max.y : box.min.y,
          planar ? 0 : corner & 4 ? box.max.z : box.min.z,
        ), width, height));
      for (const [x, y] of all) {
        assert.ok(x > margins.left - 0.5 && x < width - margins.right + 0.5, `${x} of ${width}`);
        assert.ok(y > margins.top - 0.5 && y < height - margins.bottom + 0.5, `${y} of ${height}`);
      }
      const reach = Math.max(...all.map(([x]) => x)) - Math.min(...all.map(([x]) => x));
      assert.ok(reach > 0.75 * (width - margins.right), "no more room than needed");
    }
});
