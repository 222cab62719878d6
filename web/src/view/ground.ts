// What the scene stands on: a half-space or a wide fixed box, drawn with a grid that fades into the background. A scene
// without one gets a faint grid below it in space, nothing in the plane.
import * as THREE from "three";
import { niceBelow } from "../format";
import type { Look } from "../palette";
import type { Body, Frame, SceneMessage, Shape } from "../protocol";
import { bodyMatrix, isEndless, quaternion, sceneBox, shapeBox, v3 } from "./extent";
import { groundMaterial, groundUniforms } from "./materials";
import { SOLID } from "./occlusion";

const WIDE = 1.5; // times what moves, to either side: a floor, not a thing
const BELOW = 2.2; // times the scene's size, where nothing but a grid lies below: room to swing

// A box far wider than what moves, and below it.
function isFloor(shape: Shape, matrix: THREE.Matrix4, moving: THREE.Box3, planar: boolean): boolean {
  if (shape.type !== "box" || !shape.half) return false;
  const box = shapeBox(shape).applyMatrix4(matrix);
  const half = moving.getSize(new THREE.Vector3()).multiplyScalar(0.5);
  const [up, top] = planar ? [half.y, box.max.y - moving.min.y] : [half.z, box.max.z - moving.min.z];
  const wide = WIDE * Math.max(half.x, planar ? 0 : half.y);
  return shape.half[0] > wide && (planar || shape.half[1] > wide) && top < 0.2 * up;
}

export class Ground {
  readonly group = new THREE.Group();
  readonly size: number; // of what moves
  private readonly uniforms = groundUniforms();
  private readonly material: THREE.Material;
  private readonly box: THREE.Box3;
  private gridOn = true;

  constructor(
    private readonly scene: SceneMessage,
    private look: Look,
    private readonly first: Frame,
  ) {
    const planar = scene.dimension === 2;
    this.box = sceneBox(scene);
    this.size = Math.max(1e-6, 0.5 * this.box.getSize(new THREE.Vector3()).length());
    this.material = groundMaterial(this.uniforms, planar);
    scene.bodies.forEach((body, b) => {
      if (this.isGround(b)) this.addBody(body, bodyMatrix(first, b));
    });
    if (this.group.children.length === 0 && !planar) {
      this.material.depthWrite = false; // it hides nothing
      this.addPlane(new THREE.Vector3(0, 0, 1), this.box.min.z - BELOW * this.size);
    }
    this.uniforms.cell.value = niceBelow(this.size / 2);
    this.uniforms.reach.value = 9 * this.size;
    this.box.getCenter(this.uniforms.centre.value);
    this.paint(look);
  }

  isGround(body: number): boolean {
    const { fixed, kind, shapes } = this.scene.bodies[body];
    if (!fixed || kind === "kinematic" || shapes.length === 0) return false;
    const matrix = bodyMatrix(this.first, body);
    return shapes.every((s) => isEndless(s) || isFloor(s, matrix, this.box, this.scene.dimension === 2));
  }

  private addBody(body: Body, matrix: THREE.Matrix4): void {
    for (const shape of body.shapes) {
      const place = new THREE.Matrix4().compose(
        v3(shape.at),
        quaternion(shape.orientation),
        new THREE.Vector3(1, 1, 1),
      );
      if (isEndless(shape)) {
        const mesh = this.addPlane(v3(shape.normal).normalize(), shape.offset ?? 0);
        mesh.applyMatrix4(matrix.clone().multiply(place));
        continue;
      }
      const half = v3(shape.half).setZ(shape.half?.[2] || this.size);
      const geometry =
        this.scene.dimension === 2
          ? new THREE.PlaneGeometry(2 * half.x, 2 * half.y)
          : new THREE.BoxGeometry(2 * half.x, 2 * half.y, 2 * half.z);
      this.add(new THREE.Mesh(geometry, this.material)).applyMatrix4(matrix.clone().multiply(place));
    }
  }

  // Solid where normal . x <= offset: in the plane a sheet below the line, in space its surface.
  private addPlane(normal: THREE.Vector3, offset: number): THREE.Mesh {
    const wide = 40 * this.size;
    const mesh = this.add(new THREE.Mesh(new THREE.PlaneGeometry(wide, wide), this.material));
    const planar = this.scene.dimension === 2;
    const from = planar ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
    mesh.quaternion.setFromUnitVectors(from, normal);
    mesh.position.copy(normal).multiplyScalar(planar ? offset - 0.5 * wide : offset);
    const along = v3(this.box.getCenter(new THREE.Vector3()).toArray());
    mesh.position.add(along.addScaledVector(normal, -along.dot(normal)));
    return mesh;
  }

  private add(mesh: THREE.Mesh): THREE.Mesh {
    mesh.receiveShadow = this.scene.dimension === 3;
    mesh.renderOrder = -1;
    if (this.material.depthWrite) mesh.layers.enable(SOLID);
    this.group.add(mesh);
    return mesh;
  }

  // Lines of the grid are this far apart, m.
  get cell(): number {
    return this.uniforms.cell.value;
  }

  showGrid(on: boolean): void {
    this.gridOn = on;
    this.paint(this.look);
  }

  paint(look: Look): void {
    this.look = look;
    this.uniforms.ground.value.setHex(look.ground);
    this.uniforms.grid.value.setHex(this.gridOn ? look.grid : look.ground);
    this.uniforms.far.value.setHex(look.background).convertLinearToSRGB(); // mixed after the conversion of the output
  }

  dispose(): void {
    for (const child of this.group.children) (child as THREE.Mesh).geometry.dispose();
    this.material.dispose();
  }
}
