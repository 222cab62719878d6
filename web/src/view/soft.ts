// A deformable body in the picture: a surface of its own, and lines along its creases.
import * as THREE from "three";
import type { Frame, Shape } from "../protocol";
import { Instances, type Slot } from "./instances";
import { DeformedSkin, type Skin } from "./skin";

export class Soft {
  readonly set: Instances;
  readonly skin: DeformedSkin;
  private readonly first: number; // of its amplitudes in a frame
  private readonly lines: THREE.LineSegments;

  constructor(shape: Shape, skin: Skin, material: THREE.Material, crease: THREE.Material, slot: Slot) {
    this.first = shape.first_mode ?? 0;
    this.skin = new DeformedSkin(skin);
    this.set = new Instances(this.skin.geometry, material, [slot]);
    this.lines = new THREE.LineSegments(this.skin.creases, crease);
    this.lines.frustumCulled = this.lines.matrixAutoUpdate = false;
    this.set.mesh.add(this.lines);
  }

  get body(): number {
    return this.set.slots[0].body;
  }

  get matrix(): THREE.Matrix4 {
    return new THREE.Matrix4().fromArray(this.set.mesh.instanceMatrix.array);
  }

  // After its set was placed. Says whether it bends otherwise than before.
  update(frame: Frame): boolean {
    this.lines.matrix.copy(this.matrix);
    this.lines.matrixWorldNeedsUpdate = true;
    return this.skin.deform(frame.modes, this.first);
  }

  // Its creases say that it is selected, where its colour cannot.
  line(material: THREE.Material): void {
    this.lines.material = material;
  }

  dispose(): void {
    this.skin.dispose();
  }
}
