// Chains of force: lines between the centres of bodies that press on each other, as wide as their force is large; to what
// does not move, up to the point of contact. All contacts of two bodies are one line.
import * as THREE from "three";
import type { Look } from "../palette";
import { BODY_FLOATS, CONTACT_WORDS, type Frame, type SceneMessage } from "../protocol";
import { bodyBox } from "./extent";
import { commonForce } from "./contacts";

const FAINTEST = 0.02; // of the common force: less is no chain
const STRONG = 4; // times the common force: as wide as a line gets

export interface Chain {
  from: [number, number, number];
  to: [number, number, number];
  force: number; // N, normal to the contacts
}

// One for each pair of bodies that presses, in the order of their contacts.
export function chainsOf(scene: SceneMessage, frame: Frame): Chain[] {
  const chains = new Map<number, Chain>();
  const [f, i] = [frame.contactFloats, frame.contactInts];
  const moves = (b: number) => b >= 0 && b < frame.bodies && !scene.bodies[b].fixed;
  const three = (x: Float32Array, at: number): [number, number, number] => [x[at], x[at + 1], x[at + 2]];
  for (let k = 0, at = 0; k < frame.contacts; k++, at += CONTACT_WORDS) {
    const force = Math.abs(f[at + 6] * f[at + 3] + f[at + 7] * f[at + 4] + f[at + 8] * f[at + 5]);
    const [a, b] = [i[at + 14], i[at + 15]];
    const both = moves(a) && moves(b);
    if (!(force > 0) || !(moves(a) || moves(b))) continue;
    const name = both ? a * frame.bodies + b : -1 - k; // each contact with the ground has its own line
    const known = chains.get(name);
    if (known) {
      known.force += force;
      continue;
    }
    const point = three(f, at);
    const centre = (body: number) => (moves(body) ? three(frame.poses, BODY_FLOATS * body) : point);
    let [from, to] = [centre(a), centre(b)];
    // In a world that repeats itself a pair may touch across the border: then up to the point of contact.
    const far = both && Math.hypot(...from.map((x, axis) => x - to[axis])) > reachOf(scene, a) + reachOf(scene, b);
    if (far) [from, to] = [from, point];
    chains.set(name, { from, to, force });
  }
  return [...chains.values()];
}

const reaches = new WeakMap<SceneMessage, number[]>();
function reachOf(scene: SceneMessage, body: number): number {
  let known = reaches.get(scene);
  if (!known) {
    known = scene.bodies.map((one) => {
      const box = bodyBox(one);
      return box.isEmpty() ? Infinity : 1.2 * Math.max(box.min.length(), box.max.length());
    });
    reaches.set(scene, known);
  }
  return known[body];
}

export class Chains {
  readonly group = new THREE.Group();
  private lines: THREE.InstancedMesh | null = null;
  private readonly material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
  private readonly geometry = new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
  private readonly thick: number;
  on = false;

  constructor(
    private readonly scene: SceneMessage,
    size: number, // of what moves, m
    look: Look,
  ) {
    const reach = scene.bodies.map((body, b) => (body.fixed ? Infinity : reachOf(scene, b)));
    const finite = reach.filter(Number.isFinite).sort((a, b) => a - b);
    this.thick = 0.15 * Math.min(finite[Math.floor(finite.length / 2)] ?? size, 0.25 * size);
    this.paint(look);
  }

  paint(look: Look): void {
    this.material.color.setHex(look.dark ? 0xffd166 : 0x8c1d18);
  }

  private reserve(count: number): THREE.InstancedMesh {
    if (this.lines && count <= this.lines.instanceMatrix.count) return this.lines;
    if (this.lines) this.group.remove(this.lines);
    this.lines?.dispose();
    this.lines = new THREE.InstancedMesh(this.geometry, this.material, Math.max(64, 2 * count));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 9;
    this.group.add(this.lines);
    return this.lines;
  }

  update(frame: Frame): void {
    this.group.visible = this.on;
    if (!this.on) return;
    const common = commonForce(frame);
    const chains = chainsOf(this.scene, frame).filter((chain) => chain.force > FAINTEST * common);
    const lines = this.reserve(chains.length);
    const [from, along, up] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(0, 1, 0)];
    const [turn, matrix] = [new THREE.Quaternion(), new THREE.Matrix4()];
    chains.forEach((chain, k) => {
      from.fromArray(chain.from);
      along.fromArray(chain.to).sub(from);
      const length = Math.max(1e-12, along.length());
      turn.setFromUnitVectors(up, along.divideScalar(length));
      const wide = this.thick * Math.min(1, chain.force / (STRONG * common));
      lines.setMatrixAt(k, matrix.compose(from, turn, new THREE.Vector3(wide, length, wide)));
    });
    lines.count = chains.length;
    lines.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.lines?.dispose();
    this.geometry.dispose();
    this.material.dispose();
  }
}
