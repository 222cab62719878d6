// The pointer on the stage: a click selects a body or a contact, a drag pulls a body with a spring, a shot throws a block.
import * as THREE from "three";
import type { Command, Vec3 } from "../protocol";
import type { SkinPlace } from "../view/skin";
import type { Stage } from "../view/stage";

export type Tool = "look" | "pull" | "shoot";

export interface Shot {
  speed: number; // m/s
  mass: number; // kg
  size: number; // of an edge, m
}

const CLICK_PIXELS = 5; // a press that moves less is a click

const triple = (v: THREE.Vector3): Vec3 => [v.x, v.y, v.z];

interface Pull {
  pane: number;
  body: number;
  local: THREE.Vector3; // in the body's frame
  skin?: SkinPlace; // of a deformable body, in whose frame it moves
  plane: THREE.Plane; // through the point, facing the camera
  target: THREE.Vector3;
  moved: boolean;
}

interface Line {
  origin: THREE.Vector3;
  direction: THREE.Vector3;
}

export class Pointer {
  tool: Tool = "look";
  onTool: (() => void) | null = null;
  onSelect: ((pane: number, body: number, contact: number) => void) | null = null;
  private allowed = true;
  private pressed: { x: number; y: number } | null = null;
  private pull: Pull | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly send: (command: Command) => void,
    private readonly shot: () => Shot,
  ) {
    const canvas = stage.canvas;
    // Ahead of the camera's own listener, which sits on the canvas: a pull must not turn the view.
    stage.element.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.release());
  }

  use(tool: Tool): void {
    this.tool = this.allowed ? tool : "look";
    this.stage.canvas.dataset.tool = this.tool;
    this.onTool?.();
  }

  allowPoking(allowed: boolean): void {
    this.allowed = allowed;
    if (!allowed) this.use("look");
  }

  private down(event: PointerEvent): void {
    if (event.target !== this.stage.canvas || event.button !== 0) return;
    this.pressed = { x: event.clientX, y: event.clientY };
    if (this.allowed && (this.tool === "pull" || event.shiftKey)) this.grip(event);
  }

  private grip(event: PointerEvent): void {
    const hit = this.stage.pickBody(event.clientX, event.clientY);
    const pane = hit ? this.stage.panes[hit.pane] : null;
    const matrix = hit ? pane?.bodyMatrix(hit.body) : null;
    if (!hit || !matrix || pane?.scene?.bodies[hit.body].fixed) return;
    const facing = this.stage.rig.camera.getWorldDirection(new THREE.Vector3());
    this.pull = {
      pane: hit.pane,
      body: hit.body,
      local: hit.point.clone().applyMatrix4(matrix.clone().invert()),
      skin: hit.skin,
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
      target: hit.point,
      moved: false,
    };
    this.stage.rig.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (!this.pull) return;
    const { ray } = this.stage.ray(event.clientX, event.clientY);
    const target = ray.ray.intersectPlane(this.pull.plane, new THREE.Vector3());
    if (!target) return;
    const first = !this.pull.moved;
    this.pull.target = target;
    this.pull.moved = true;
    if (first) this.keepPulling(this.pull);
  }

  // Once a picture, for the body moves even where the pointer rests.
  private keepPulling(pull: Pull): void {
    if (this.pull !== pull) return;
    const pane = this.stage.panes[pull.pane];
    if (pane?.scene?.dimension === 2) pull.target.z = pull.local.z = 0;
    if (pull.skin) pull.local = pane?.skinPoint(pull.body, pull.skin) ?? pull.local;
    this.send({
      type: "drag",
      pane: pull.pane,
      body: pull.body,
      local: triple(pull.local),
      target: triple(pane?.unwrapped(pull.body, pull.target) ?? pull.target),
      ...pull.skin,
    });
    const matrix = pane?.bodyMatrix(pull.body);
    if (matrix) pane.showSpring([pull.local.clone().applyMatrix4(matrix), pull.target]);
    this.stage.invalidate();
    requestAnimationFrame(() => this.keepPulling(pull));
  }

  private release(): void {
    if (!this.pull) return;
    if (this.pull.moved) this.send({ type: "release" });
    this.stage.panes[this.pull.pane]?.showSpring(null);
    this.pull = null;
    this.stage.rig.enabled = true;
    this.stage.invalidate();
  }

  private up(event: PointerEvent): void {
    const from = this.pressed;
    this.pressed = null;
    this.release();
    if (!from || event.button !== 0 || Math.hypot(event.clientX - from.x, event.clientY - from.y) >= CLICK_PIXELS)
      return;
    if (this.tool === "shoot") this.shoot(event.clientX, event.clientY);
    else this.choose(event.clientX, event.clientY);
  }

  private choose(x: number, y: number): void {
    const contact = this.stage.pickContact(x, y);
    const hit = contact ? null : this.stage.pickBody(x, y);
    this.onSelect?.(contact?.pane ?? hit?.pane ?? 0, hit?.body ?? -1, contact?.contact ?? -1);
  }

  shootAtCentre(): void {
    const { x, y } = this.stage.centre;
    this.shoot(x, y);
  }

  // In space from the reader's side along the line of sight, in the plane from the nearer side of the picture.
  private shoot(x: number, y: number): void {
    if (!this.allowed) return;
    const { pane, ray } = this.stage.ray(x, y);
    const planar = this.stage.panes[pane].scene?.dimension === 2;
    const { origin, direction } = planar ? this.fromTheSide(ray) : this.fromTheReader(pane, ray);
    this.send({ type: "shoot", origin: triple(origin), direction: triple(direction), ...this.shot() });
  }

  private fromTheReader(pane: number, ray: THREE.Raycaster): Line {
    const picture = this.stage.panes[pane];
    const box = picture.box();
    const centre = box.getCenter(new THREE.Vector3());
    const nearest = ray.ray.closestPointToPoint(centre, new THREE.Vector3());
    const aim = picture.pick(ray)?.point ?? nearest;
    const reach = Math.min(
      1.2 * box.getBoundingSphere(new THREE.Sphere()).radius,
      0.9 * aim.distanceTo(ray.ray.origin),
    );
    const origin = aim.clone().addScaledVector(ray.ray.direction, -reach);
    origin.z = Math.max(origin.z, box.min.z + this.shot().size);
    return { origin, direction: aim.sub(origin).normalize() };
  }

  private fromTheSide(ray: THREE.Raycaster): Line {
    const aim = ray.ray.origin.clone().setZ(0);
    const box = this.stage.panes[0].box();
    const room = 0.15 * (box.max.x - box.min.x) + 2 * this.shot().size;
    const left = aim.x <= 0.5 * (box.min.x + box.max.x);
    const origin = new THREE.Vector3(left ? box.min.x - room : box.max.x + room, aim.y, 0);
    return { origin, direction: aim.sub(origin).normalize() };
  }
}
