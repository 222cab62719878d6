// Joints, drawn over the bodies: lines from the centres of both to where the joint holds them, the line between (it has no
// length where the joint is met), and the axis of those that have one.
import * as THREE from "three";
import type { Look } from "../palette";
import type { Frame, Joint, SceneMessage } from "../protocol";
import { JOINTS } from "../world_types";
import { bodyMatrix, v3 } from "./extent";

function shiftOf(frame: Frame, body: number): THREE.Vector3 {
  const at = new THREE.Vector3();
  return body >= 0 && frame.shifts ? at.fromArray(frame.shifts, 3 * body) : at;
}

const LINES = 4; // to both bodies, between the anchors, along the axis

export class Joints {
  readonly group = new THREE.Group();
  private readonly lines: THREE.LineSegments;
  private readonly dots: THREE.Points;
  private readonly lineMaterial: THREE.LineBasicMaterial;
  private readonly dotMaterial: THREE.PointsMaterial;

  constructor(
    private readonly scene: SceneMessage,
    private readonly size: number,
    look: Look,
  ) {
    const buffer = (count: number) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * count), 3));
      return geometry;
    };
    const over = { depthTest: false, transparent: true };
    this.lineMaterial = new THREE.LineBasicMaterial({ ...over, opacity: 0.8 });
    this.dotMaterial = new THREE.PointsMaterial({ ...over, size: 7, sizeAttenuation: false });
    this.lines = new THREE.LineSegments(buffer(2 * LINES * scene.joints.length), this.lineMaterial);
    this.dots = new THREE.Points(buffer(scene.joints.length), this.dotMaterial);
    for (const object of [this.lines, this.dots]) {
      object.frustumCulled = false;
      object.renderOrder = 8;
      this.group.add(object);
    }
    this.paint(look);
  }

  paint(look: Look): void {
    this.lineMaterial.color.setHex(look.joint);
    this.dotMaterial.color.setHex(look.joint);
  }

  // In a world that repeats itself both are drawn where the first body is.
  private anchor(frame: Frame, joint: Joint, side: 0 | 1): THREE.Vector3 {
    const body = joint.bodies[side];
    const at = v3(joint.anchors[side]);
    if (!(body < 0 || body >= frame.bodies)) at.applyMatrix4(bodyMatrix(frame, body));
    if (side === 1 && frame.shifts) at.add(shiftOf(frame, body)).sub(shiftOf(frame, joint.bodies[0]));
    return at;
  }

  // What is fixed needs no line.
  private centre(frame: Frame, body: number, otherwise: THREE.Vector3): THREE.Vector3 {
    if (body < 0 || body >= frame.bodies || this.scene.bodies[body].fixed) return otherwise;
    return new THREE.Vector3().setFromMatrixPosition(bodyMatrix(frame, body));
  }

  private axis(frame: Frame, joint: Joint): THREE.Vector3 {
    const body = joint.bodies[0];
    const axis = v3(joint.axes[0]);
    return body < 0 || body >= frame.bodies ? axis : axis.transformDirection(bodyMatrix(frame, body));
  }

  update(frame: Frame): void {
    if (this.scene.joints.length === 0) return;
    const line = this.lines.geometry.getAttribute("position") as THREE.BufferAttribute;
    const dot = this.dots.geometry.getAttribute("position") as THREE.BufferAttribute;
    this.scene.joints.forEach((joint, j) => {
      const [a, b] = [this.anchor(frame, joint, 0), this.anchor(frame, joint, 1)];
      const [first, second] = [this.centre(frame, joint.bodies[0], a), this.centre(frame, joint.bodies[1], b)];
      const reach = this.scene.dimension === 3 && JOINTS[joint.type].axis ? 0.06 * this.size : 0;
      const axis = this.axis(frame, joint).multiplyScalar(reach);
      const ends = [first, a, a, b, b, second, a.clone().sub(axis), a.clone().add(axis)];
      ends.forEach((p, k) => line.setXYZ(2 * LINES * j + k, p.x, p.y, p.z));
      dot.setXYZ(j, a.x, a.y, a.z);
    });
    line.needsUpdate = dot.needsUpdate = true;
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.dots.geometry.dispose();
    this.lineMaterial.dispose();
    this.dotMaterial.dispose();
  }
}
