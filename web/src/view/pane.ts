// One simulation's picture: everything that is drawn of one scene. Compare mode shows two of them.
import * as THREE from "three";
import type { Look } from "../palette";
import { modeCount, type Frame, type SceneMessage } from "../protocol";
import { Cell, wrapFrame } from "./cell";
import { Bodies, type BodyHit, type Scale } from "./bodies";
import { Chains } from "./chains";
import { Contacts, type ContactOptions } from "./contacts";
import { bodyBox, bodyMatrix, movingBox, pictureBox, sceneBox } from "./extent";
import { Ground } from "./ground";
import { Joints } from "./joints";
import { Occlusion } from "./occlusion";
import type { Colouring } from "./quantities";
import type { SkinPlace } from "./skin";

export interface Shown extends ContactOptions {
  colouring: Colouring;
  scale: Scale; // of a quantity that bodies are coloured by
  chains: boolean;
  joints: boolean;
  shadows: boolean;
  occlusion: boolean; // of light in corners and gaps
  grid: boolean;
}

interface Parts {
  bodies: Bodies;
  contacts: Contacts;
  joints: Joints;
  chains: Chains;
  ground: Ground;
  cell: Cell;
}

// About as long as a body is wide, within reason.
function arrowLength(scene: SceneMessage, size: number): number {
  const widths = scene.bodies
    .filter((body) => !body.fixed)
    .map((body) => bodyBox(body).getSize(new THREE.Vector3()).length());
  const middle = widths.sort((a, b) => a - b)[Math.floor(widths.length / 2)] ?? size;
  return Math.min(0.22 * size, Math.max(0.05 * size, Number.isFinite(middle) ? 0.7 * middle : size));
}

export class Pane {
  readonly world = new THREE.Scene();
  scene: SceneMessage | null = null;
  frame: Frame | null = null;
  private modes = 0; // amplitudes in a frame of the scene
  private parts: Parts | null = null;
  private stale = false; // the parts are those of an older scene
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.1);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xcfd3da, 1.7);
  private occlusion: Occlusion | null = null; // made when it is wanted
  private readonly spring = new THREE.Line(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ depthTest: false }),
  );
  private readonly springEnds = new THREE.Points(
    this.spring.geometry,
    new THREE.PointsMaterial({ depthTest: false, transparent: true, size: 9, sizeAttenuation: false }),
  );

  constructor(
    private look: Look,
    private shown: Shown,
  ) {
    this.spring.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3));
    this.spring.frustumCulled = this.springEnds.frustumCulled = false;
    this.spring.visible = false;
    this.spring.renderOrder = this.springEnds.renderOrder = 20;
    this.spring.add(this.springEnds);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.world.add(this.sun, this.sun.target, this.sky, this.spring);
    this.paint(look);
  }

  // The old picture stays until the first frame of the new scene: nothing flickers.
  load(scene: SceneMessage): void {
    this.scene = scene;
    this.modes = modeCount(scene);
    this.paint(this.look);
    this.frame = null;
    this.stale = true;
  }

  private build(scene: SceneMessage, first: Frame): Parts {
    const ground = new Ground(scene, { ...this.look, background: this.background() }, first);
    const parts = {
      ground,
      bodies: new Bodies(scene, this.look, first, (b) => ground.isGround(b), this.shown.scale),
      contacts: new Contacts(arrowLength(scene, ground.size), this.look),
      joints: new Joints(scene, ground.size, this.look),
      chains: new Chains(scene, ground.size, this.look),
      cell: new Cell(scene, this.look),
    };
    for (const part of Object.values(parts)) this.world.add(part.group);
    this.aimSun(sceneBox(scene), ground.size);
    return parts;
  }

  private aimSun(box: THREE.Box3, size: number): void {
    const centre = box.getCenter(this.sun.target.position);
    this.sun.position.copy(centre).addScaledVector(new THREE.Vector3(0.5, -0.62, 1).normalize(), 4 * size);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.7 * size;
    camera.right = camera.top = 1.7 * size;
    camera.near = 0.5 * size;
    camera.far = 9 * size;
    camera.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.004 * size;
  }

  // Frames of another generation belong to a scene that is gone, or to come.
  show(told: Frame): boolean {
    const scene = this.scene;
    if (!scene || told.generation !== scene.generation || told.bodies !== scene.bodies.length) return false;
    if (told.modes.length !== this.modes) return false;
    const frame = wrapFrame(scene, told);
    this.frame = frame;
    if (this.stale) this.clear();
    if (!this.parts) {
      this.parts = this.build(scene, frame);
      this.apply();
    } else {
      this.draw();
    }
    return true;
  }

  private draw(): void {
    if (!this.parts || !this.frame) return;
    this.parts.bodies.update(this.frame);
    this.parts.contacts.update(this.frame);
    this.parts.chains.update(this.frame);
    if (this.parts.joints.group.visible) this.parts.joints.update(this.frame);
  }

  // After any change of `shown` or of the selection.
  apply(): void {
    const parts = this.parts;
    if (!parts || this.stale) return;
    parts.bodies.colouring = this.shown.colouring;
    parts.bodies.showGhosts(this.shown.chains);
    parts.contacts.options = this.shown;
    parts.chains.on = this.shown.chains;
    parts.joints.group.visible = this.shown.joints;
    parts.ground.showGrid(this.shown.grid);
    this.sun.castShadow = this.shown.shadows && this.scene?.dimension === 3;
    this.draw();
    parts.bodies.paint();
  }

  select(body: number, contact: number): void {
    if (!this.parts || this.stale) return;
    this.parts.bodies.selected = body;
    this.parts.contacts.selected = contact;
    this.parts.bodies.paint();
    this.draw();
  }

  paint(look: Look): void {
    this.look = look;
    this.world.background = new THREE.Color(this.background());
    this.sky.groundColor.setHex(look.dark ? 0x4a5260 : 0xcfd3da);
    this.sky.intensity = look.dark ? 1.4 : 1.75;
    (this.spring.material as THREE.LineBasicMaterial).color.setHex(look.mark);
    this.springEnds.material.color.setHex(look.mark);
    const own = { ...look, background: this.background() };
    for (const part of Object.values(this.parts ?? {})) (part as { paint(look: Look): void }).paint(own);
    if (!this.stale) this.draw();
  }

  // Onto its part of the canvas, when that is drawn.
  occlude(renderer: THREE.WebGLRenderer, camera: THREE.Camera, part: THREE.Vector4): void {
    if (!this.shown.occlusion || !(camera instanceof THREE.PerspectiveCamera) || !this.parts || this.stale) return;
    this.occlusion ??= new Occlusion(this.world);
    this.occlusion.draw(renderer, camera, part, { centre: this.sun.target.position, size: this.size });
  }

  // A finer map with softer edges, where the machine has the means.
  softenShadows(): void {
    this.sun.shadow.mapSize.set(4096, 4096);
    this.sun.shadow.radius = 5;
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }

  setScale(pixelsPerMetre: number, pixelRatio: number): void {
    this.parts?.contacts.setScale(pixelsPerMetre, pixelRatio);
  }

  showSpring(ends: [THREE.Vector3, THREE.Vector3] | null): void {
    this.spring.visible = ends !== null;
    const position = this.spring.geometry.getAttribute("position") as THREE.BufferAttribute;
    ends?.forEach((p, i) => position.setXYZ(i, p.x, p.y, p.z));
    position.needsUpdate = true;
  }

  pick(ray: THREE.Raycaster): BodyHit | null {
    return this.stale ? null : (this.parts?.bodies.pick(ray) ?? null);
  }

  // A place on a deformable body as it is now, in the body's frame.
  skinPoint(body: number, place: SkinPlace): THREE.Vector3 | null {
    return this.stale ? null : (this.parts?.bodies.skinPoint(body, place) ?? null);
  }

  deformation(body: number): ReturnType<Bodies["deformation"]> {
    return this.stale ? null : (this.parts?.bodies.deformation(body) ?? null);
  }

  get hasSoft(): boolean {
    return this.modes > 0;
  }

  get size(): number {
    return this.parts?.ground.size ?? 1;
  }

  get arrow(): { length: number; force: number } {
    return this.parts?.contacts.arrow ?? { length: 0, force: 0 };
  }

  // Around what moves.
  box(): THREE.Box3 {
    if (this.scene && this.frame) return movingBox(this.scene, this.frame);
    return this.scene
      ? sceneBox(this.scene)
      : new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  }

  // A scene may bring its own, whatever the page's colours are.
  private background(): number {
    const own = this.scene?.look?.background;
    return own && /^#[0-9a-f]{6}$/i.test(own) ? parseInt(own.slice(1), 16) : this.look.background;
  }

  // Where what moves is now, as far as it is within the room.
  boxWithin(room: THREE.Box3): THREE.Box3 | null {
    return this.scene && this.frame ? movingBox(this.scene, this.frame, room) : null;
  }

  // What a fitted picture shows.
  pictureBox(): THREE.Box3 {
    return this.scene && this.frame ? pictureBox(this.scene, this.frame) : this.box();
  }

  bodyMatrix(body: number): THREE.Matrix4 | null {
    return this.frame && body >= 0 && body < this.frame.bodies ? bodyMatrix(this.frame, body) : null;
  }

  // A point near a body as it is drawn, where the body is.
  unwrapped(body: number, point: THREE.Vector3): THREE.Vector3 {
    const shifts = this.frame?.shifts;
    return shifts ? point.clone().add(new THREE.Vector3().fromArray(shifts, 3 * body)) : point;
  }

  private clear(): void {
    for (const part of Object.values(this.parts ?? {})) {
      this.world.remove(part.group);
      part.dispose();
    }
    this.parts = null;
    this.stale = false;
  }
}
