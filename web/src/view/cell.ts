// The cell of a world that repeats itself: bodies are drawn in it, wherever they have come to, and those that reach over
// its border a second time on the other side.
import * as THREE from "three";
import type { Look } from "../palette";
import { BODY_FLOATS, CONTACT_WORDS, type Frame, type SceneMessage } from "../protocol";
import { bodyBox, sceneBox } from "./extent";

type Range = [number, number];

export function periodsOf(scene: SceneMessage): (Range | null)[] | null {
  const periodic = scene.periodic;
  return periodic?.some((range) => range !== null) ? periodic : null;
}

const wrapped = (x: number, [low, high]: Range): number => x - (high - low) * Math.floor((x - low) / (high - low));

// A copy of the frame with all that moves in the cell; `shifts` leads back to where it is.
export function wrapFrame(scene: SceneMessage, frame: Frame): Frame {
  const periods = periodsOf(scene);
  if (!periods) return frame;
  const poses = frame.poses.slice();
  const shifts = new Float32Array(3 * frame.bodies);
  const contactFloats = frame.contactFloats.slice();
  periods.forEach((range, axis) => {
    if (!range) return;
    scene.bodies.forEach((body, b) => {
      if (body.fixed) return;
      const at = BODY_FLOATS * b + axis;
      poses[at] = wrapped(frame.poses[at], range);
      shifts[3 * b + axis] = frame.poses[at] - poses[at];
    });
    for (let at = axis; at < contactFloats.length; at += CONTACT_WORDS)
      contactFloats[at] = wrapped(contactFloats[at], range);
  });
  return { ...frame, poses, shifts, contactFloats, contactInts: new Int32Array(contactFloats.buffer) };
}

// Shifts of the images of each body along the axes: 0 where it does not reach over the border.
export class Images {
  private readonly reach: number[];
  private readonly axes: number[] = [];
  readonly count: number; // of images that a body may have beside itself

  constructor(private readonly scene: SceneMessage) {
    const periods = periodsOf(scene);
    periods?.forEach((range, axis) => range && this.axes.push(axis));
    this.count = 2 ** this.axes.length - 1;
    this.reach = scene.bodies.map((body) => {
      const box = bodyBox(body);
      if (body.fixed || box.isEmpty()) return 0;
      return new THREE.Vector3().max(box.max.clone()).max(box.min.clone().negate()).length();
    });
  }

  // Of image `which` (from 1 on, a bit for each axis that repeats); false where there is none.
  shift(poses: Float32Array, body: number, which: number, out: [number, number, number]): boolean {
    out[0] = out[1] = out[2] = 0;
    for (let k = 0; k < this.axes.length; k++) {
      if (!(which & (1 << k))) continue;
      const axis = this.axes[k];
      const [low, high] = this.scene.periodic?.[axis] ?? [0, 0];
      const x = poses[BODY_FLOATS * body + axis];
      if (x - this.reach[body] < low) out[axis] = high - low;
      else if (x + this.reach[body] > high) out[axis] = low - high;
      else return false;
    }
    return true;
  }
}

// Its edges; along axes that do not repeat as far as the scene.
export class Cell {
  readonly group = new THREE.Group();
  private readonly material = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.55 });

  constructor(scene: SceneMessage, look: Look) {
    const periods = periodsOf(scene);
    if (periods) {
      const box = sceneBox(scene);
      periods.forEach((range, axis) => {
        if (!range) return;
        box.min.setComponent(axis, range[0]);
        box.max.setComponent(axis, range[1]);
      });
      if (scene.dimension === 2) box.min.z = box.max.z = 0;
      const size = box.getSize(new THREE.Vector3());
      const edges = new THREE.EdgesGeometry(new THREE.BoxGeometry(size.x, size.y, Math.max(size.z, 1e-9)));
      const lines = new THREE.LineSegments(edges, this.material);
      box.getCenter(lines.position);
      this.group.add(lines);
    }
    this.paint(look);
  }

  paint(look: Look): void {
    this.material.color.setHex(look.joint);
  }

  dispose(): void {
    for (const child of this.group.children) (child as THREE.LineSegments).geometry.dispose();
    this.material.dispose();
  }
}
