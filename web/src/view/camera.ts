// Two cameras behind one set of gestures: orbit, pan and zoom in space; pan and zoom in the plane.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import type { Shot } from "./shot";

export type Direction = "iso" | "front" | "top";

const FOV = 38; // degrees, up and down
const GLIDE = 0.22; // s in which most of a way is gone

export interface Base {
  position: THREE.Vector3;
  target: THREE.Vector3;
}

// Pixels at the edges of a picture that controls lie over: what is fitted keeps clear of them.
export interface Margins {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export const NO_MARGINS: Margins = { top: 0, right: 0, bottom: 0, left: 0 };
const LEAST_FREE = 0.3; // of a side: narrower than that, margins give way

// Where a camera goes to by and by.
interface Goal extends Base {
  half: number; // of a picture in the plane, m
}

const DIRECTIONS: Record<Direction, THREE.Vector3> = {
  iso: new THREE.Vector3(0.55, -1, 0.42).normalize(),
  front: new THREE.Vector3(0, -1, 0.02).normalize(),
  top: new THREE.Vector3(0, -0.001, 1).normalize(),
};

export class Rig {
  private readonly space = new THREE.PerspectiveCamera(FOV, 1, 0.01, 1000);
  private readonly plane = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private readonly orbit: OrbitControls;
  private readonly slide: OrbitControls;
  private planar = false;
  private followed: THREE.Vector3 | null = null;
  private aspect = 1;
  private free = { wide: 1, tall: 1 }; // shares of the picture that controls leave free
  private goal: Goal | null = null;
  touched = false; // by the reader, whose view it then is

  constructor(element: HTMLElement | null, changed: () => void) {
    this.space.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.space, element);
    this.slide = new OrbitControls(this.plane, element);
    this.slide.enableRotate = false;
    this.slide.screenSpacePanning = true;
    this.slide.mouseButtons = { LEFT: THREE.MOUSE.PAN, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.PAN };
    this.slide.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    for (const controls of [this.orbit, this.slide]) {
      controls.enableDamping = false;
      controls.addEventListener("change", changed);
      controls.addEventListener("start", () => this.take());
    }
    this.orbit.maxPolarAngle = 0.98 * Math.PI;
    this.slide.enabled = false;
  }

  private take(): void {
    this.touched = true;
    this.goal = null;
  }

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.planar ? this.plane : this.space;
  }

  get controls(): OrbitControls {
    return this.planar ? this.slide : this.orbit;
  }

  get target(): THREE.Vector3 {
    return this.controls.target;
  }

  set enabled(on: boolean) {
    this.controls.enabled = on;
  }

  setPlanar(planar: boolean): void {
    this.planar = planar;
    this.orbit.enabled = !planar;
    this.slide.enabled = planar;
  }

  // The middle of the view lies in the middle of what the margins leave.
  resize(width: number, height: number, margins = NO_MARGINS): void {
    this.shape(width / Math.max(1, height));
    const share = (near: number, far: number, whole: number) =>
      Math.min(1, (1 - LEAST_FREE) / Math.max(1e-9, (near + far) / Math.max(1, whole)));
    const [tall, wide] = [share(margins.top, margins.bottom, height), share(margins.left, margins.right, width)];
    this.free = {
      tall: 1 - (tall * (margins.top + margins.bottom)) / Math.max(1, height),
      wide: 1 - (wide * (margins.left + margins.right)) / Math.max(1, width),
    };
    const aside = 0.5 * wide * (margins.right - margins.left);
    const down = 0.5 * tall * (margins.bottom - margins.top);
    for (const camera of [this.space, this.plane])
      if (aside === 0 && down === 0) camera.clearViewOffset();
      else camera.setViewOffset(width, height, aside, down, width, height);
  }

  private shape(aspect: number): void {
    this.aspect = Math.max(1e-3, aspect);
    this.space.aspect = this.aspect;
    this.space.updateProjectionMatrix();
    const half = this.plane.top;
    this.plane.left = -half * this.aspect;
    this.plane.right = half * this.aspect;
    this.plane.updateProjectionMatrix();
  }

  // `air` times as much as the box needs.
  fit(box: THREE.Box3, air: number, direction: Direction = "iso", fov = FOV): void {
    const centre = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    this.touched = false;
    this.goal = null;
    this.space.fov = fov;
    if (this.planar) this.fitPlane(centre, size, air);
    else this.fitSpace(box, centre, Math.max(1e-6, 0.5 * size.length()), DIRECTIONS[direction], air);
    this.controls.update();
  }

  // The same, but it goes there by and by; `glide` moves it.
  fitSlowly(box: THREE.Box3, air: number, direction: Direction): void {
    const { position, target, half } = this.here();
    this.fit(box, air, direction, this.space.fov);
    this.goal = this.here();
    this.go({ position, target, half });
  }

  private here(): Goal {
    return { position: this.camera.position.clone(), target: this.target.clone(), half: this.plane.top };
  }

  private go({ position, target, half }: Goal): void {
    this.camera.position.copy(position);
    this.target.copy(target);
    this.plane.top = half;
    this.plane.bottom = -half;
    if (this.planar) this.shape(this.aspect);
    this.controls.update();
  }

  // A part of the way, for so many seconds; says whether some is left.
  glide(seconds: number): boolean {
    if (!this.goal) return false;
    const share = 1 - Math.exp(-Math.min(0.5, seconds) / GLIDE);
    const here = this.here();
    const left = here.position.distanceTo(this.goal.position) + Math.abs(here.half - this.goal.half);
    const done = left < 1e-3 * Math.max(1e-9, this.goal.position.distanceTo(this.goal.target));
    const to = this.goal;
    if (done) this.goal = null;
    const part = done ? 1 : share;
    this.go({
      position: here.position.lerp(to.position, part),
      target: here.target.lerp(to.target, part),
      half: here.half + part * (to.half - here.half),
    });
    return !done;
  }

  // The view as it is, to begin a planned shot from.
  get base(): Base {
    return { position: this.camera.position.clone(), target: this.target.clone() };
  }

  // Where the shot says; what it leaves out is as in `base`. Shifted, and turned about its target by degrees.
  shoot(base: Base, shot: Shot, shift: THREE.Vector3, degrees: number): void {
    this.goal = null;
    if (shot.target) this.target.fromArray(shot.target);
    else this.target.copy(base.target).add(shift);
    if (shot.at) this.camera.position.fromArray(shot.at);
    else this.camera.position.copy(base.position).add(shift);
    if (this.planar) {
      this.target.z = 0;
      this.plane.position.set(this.target.x, this.target.y, 10);
    } else {
      if (shot.fov) this.space.fov = shot.fov;
      const arm = this.space.position.clone().sub(this.orbit.target);
      arm.applyAxisAngle(this.space.up, (degrees * Math.PI) / 180);
      this.space.position.copy(this.orbit.target).add(arm);
      this.space.near = Math.max(1e-4, 0.01 * arm.length());
      this.space.far = Math.max(this.space.far, 60 * arm.length());
      this.space.updateProjectionMatrix();
    }
    this.controls.update();
  }

  private fitPlane(centre: THREE.Vector3, size: THREE.Vector3, air: number): void {
    const half = 0.5 * air * Math.max(size.y / this.free.tall, size.x / (this.aspect * this.free.wide), 1e-6);
    this.plane.top = half;
    this.plane.bottom = -half;
    this.plane.zoom = 1;
    this.plane.position.set(centre.x, centre.y, 10);
    this.slide.target.set(centre.x, centre.y, 0);
    this.shape(this.aspect);
  }

  // The nearest distance from which all corners of the box lie within the picture.
  private fitSpace(
    box: THREE.Box3,
    centre: THREE.Vector3,
    radius: number,
    direction: THREE.Vector3,
    air: number,
  ): void {
    const [right, up] = [new THREE.Vector3(), new THREE.Vector3()];
    right.crossVectors(this.space.up, direction).normalize();
    up.crossVectors(direction, right);
    const half = Math.tan((0.5 * this.space.fov * Math.PI) / 180);
    const [tall, wide] = [half * this.free.tall, half * this.aspect * this.free.wide];
    let distance = 0.2 * radius;
    for (let corner = 0; corner < 8; corner++) {
      const p = new THREE.Vector3(
        corner & 1 ? box.max.x : box.min.x,
        corner & 2 ? box.max.y : box.min.y,
        corner & 4 ? box.max.z : box.min.z,
      ).sub(centre);
      const reach = Math.max(Math.abs(p.dot(up)) / tall, Math.abs(p.dot(right)) / wide);
      distance = Math.max(distance, air * reach + p.dot(direction));
    }
    this.space.near = Math.max(1e-4, 0.01 * distance);
    this.space.far = 60 * (distance + radius);
    this.space.position.copy(centre).addScaledVector(direction, distance);
    this.space.updateProjectionMatrix();
    this.orbit.target.copy(centre);
  }

  // Keeps a moving point where it is in the picture; null lets go.
  follow(point: THREE.Vector3 | null): void {
    if (point && this.followed) {
      const moved = point.clone().sub(this.followed);
      if (this.planar) moved.z = 0;
      this.target.add(moved);
      this.camera.position.add(moved);
    }
    this.followed = point?.clone() ?? null;
  }

  // A direction as seen in the picture: to the right, and up.
  inPicture(x: number, y: number, z: number): [number, number] {
    const seen = new THREE.Vector3(x, y, z).applyQuaternion(this.camera.quaternion.clone().invert());
    return [seen.x, seen.y];
  }

  // Metres a pixel at the target, for a picture of that height.
  metresPerPixel(height: number): number {
    if (this.planar) return (this.plane.top - this.plane.bottom) / this.plane.zoom / height;
    const distance = this.space.position.distanceTo(this.orbit.target);
    return (2 * distance * Math.tan((0.5 * this.space.fov * Math.PI) / 180)) / height;
  }

  // By keyboard: turn by degrees, or nothing in the plane.
  turn(aside: number, upward: number): void {
    if (this.planar) return;
    this.take();
    const arm = new THREE.Spherical().setFromVector3(
      this.space.position
        .clone()
        .sub(this.orbit.target)
        .applyQuaternion(new THREE.Quaternion().setFromUnitVectors(this.space.up, new THREE.Vector3(0, 1, 0))),
    );
    arm.theta += (aside * Math.PI) / 180;
    arm.phi = Math.min(0.98 * Math.PI, Math.max(0.02, arm.phi - (upward * Math.PI) / 180));
    const back = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.space.up);
    this.space.position.copy(new THREE.Vector3().setFromSpherical(arm).applyQuaternion(back).add(this.orbit.target));
    this.controls.update();
  }

  zoom(factor: number, byReader = true): void {
    if (byReader) this.take();
    if (this.planar) {
      this.plane.zoom *= factor;
      this.plane.updateProjectionMatrix();
    } else {
      this.space.position.lerp(this.orbit.target, 1 - 1 / factor);
    }
    this.controls.update();
  }
}
