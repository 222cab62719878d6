// One geometry in many places: each of its slots follows a body.
import * as THREE from "three";
import { BODY_FLOATS } from "../protocol";
import type { Images } from "./cell";

export interface Slot {
  body: number;
  place: THREE.Matrix4; // in the body's frame
  image?: number; // of the body, in a world that repeats itself
  size?: THREE.Vector3; // of the shape: half extents
  pattern?: number; // painted on it
}

const UNIT = new THREE.Vector3(1, 1, 1);

export class Instances {
  readonly mesh: THREE.InstancedMesh;
  private readonly local: Float32Array; // 12 a slot: three columns, then the place

  constructor(
    geometry: THREE.BufferGeometry,
    material: THREE.Material,
    readonly slots: Slot[],
    private readonly images: Images | null = null,
    readonly shade = 0, // of opacity
  ) {
    this.mesh = new THREE.InstancedMesh(geometry, material, slots.length);
    this.mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * slots.length), 3);
    this.mesh.frustumCulled = false; // its bounds change with every frame
    this.local = new Float32Array(12 * slots.length);
    if (!geometry.hasAttribute("own")) geometry.setAttribute("own", geometry.getAttribute("position"));
    const half = geometry.userData.half as THREE.Vector3 | undefined; // of what is drawn in its own size
    const patterned = slots.flatMap(({ size, pattern }) => [...(half ?? size ?? UNIT).toArray(), pattern ?? 0]);
    geometry.setAttribute("patterned", new THREE.InstancedBufferAttribute(new Float32Array(patterned), 4));
    slots.forEach((slot, i) => {
      const e = slot.place.elements;
      this.local.set([e[0], e[1], e[2], e[4], e[5], e[6], e[8], e[9], e[10], e[12], e[13], e[14]], 12 * i);
    });
  }

  place(poses: Float32Array): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const l = this.local;
    const shift: [number, number, number] = [0, 0, 0];
    for (let i = 0; i < this.slots.length; i++) {
      const b = BODY_FLOATS * this.slots[i].body;
      const { image } = this.slots[i];
      if (image && !this.images?.shift(poses, this.slots[i].body, image, shift)) {
        out.fill(0, 16 * i, 16 * i + 16); // no size: nothing is drawn
        continue;
      }
      const [w, x, y, z] = [poses[b + 3], poses[b + 4], poses[b + 5], poses[b + 6]];
      const xx = 1 - 2 * (y * y + z * z),
        xy = 2 * (x * y - w * z),
        xz = 2 * (x * z + w * y);
      const yx = 2 * (x * y + w * z),
        yy = 1 - 2 * (x * x + z * z),
        yz = 2 * (y * z - w * x);
      const zx = 2 * (x * z - w * y),
        zy = 2 * (y * z + w * x),
        zz = 1 - 2 * (x * x + y * y);
      for (let c = 0; c < 4; c++) {
        const k = 12 * i + 3 * c;
        const o = 16 * i + 4 * c;
        const [u, v, t] = [l[k], l[k + 1], l[k + 2]];
        out[o] = xx * u + xy * v + xz * t;
        out[o + 1] = yx * u + yy * v + yz * t;
        out[o + 2] = zx * u + zy * v + zz * t;
        out[o + 3] = 0;
      }
      out[16 * i + 12] += poses[b] + (image ? shift[0] : 0);
      out[16 * i + 13] += poses[b + 1] + (image ? shift[1] : 0);
      out[16 * i + 14] += poses[b + 2] + (image ? shift[2] : 0);
      out[16 * i + 15] = 1;
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.dispose();
  }
}
