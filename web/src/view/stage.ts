// The canvas: one renderer, one camera, one pane or two side by side. It draws when something changed, and not otherwise.
import * as THREE from "three";
import { DARK, LIGHT, type Look } from "../palette";
import type { Panel } from "../panel";
import { CONTACT_WORDS, ContactStatus, modeCount, type CameraLook, type Frame, type SceneMessage } from "../protocol";
import type { BodyHit } from "./bodies";
import { NO_MARGINS, Rig, type Base, type Direction, type Margins } from "./camera";
import { roomAround } from "./extent";
import { Pane, type Shown } from "./pane";
import { COLOURINGS, isSoftQuantity, type Colouring } from "./quantities";
import { isMoving, shotAt } from "./shot";
import { onTexture } from "./textures";

export interface Hit extends BodyHit {
  pane: number;
}

export interface Rectangle {
  x: number;
  y: number; // from the top
  width: number;
  height: number;
}

const PICK_PIXELS = 12; // how near a click must come to a contact
const SLOW = 1 / 24; // seconds a picture: beyond it, quality goes down by a notch
const AHEAD = 0.8; // s that the camera looks ahead,
const MOST_AHEAD = 0.15; // and how far, in diagonals of what moves
const PATIENCE = 1.5; // seconds of slow pictures in a row, three at least
const FEW = 400; // bodies: of more, contacts are not drawn unasked
const FEW_FOR_SOFTWARE = 1000; // bodies: of more, a machine without a graphics processor draws no shadows unasked

function drawsBySoftware(context: WebGLRenderingContext | WebGL2RenderingContext): boolean {
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage implements Panel {
  readonly rig: Rig;
  readonly panes: Pane[] = [];
  readonly shown: Shown = {
    points: true,
    forces: true,
    cones: false,
    colouring: "body",
    scale: { full: 0 },
    chains: false,
    joints: true,
    shadows: true,
    occlusion: false,
    grid: true,
  };
  private readonly renderer: THREE.WebGLRenderer;
  private look: Look = LIGHT;
  private wanted = false;
  private fitted = ""; // the scene that the camera was fitted to
  private direction: Direction = "iso";
  private room = new THREE.Box3(); // beyond it bodies leave the picture
  private seen = new THREE.Box3(); // what the picture was fitted to
  private last: { box: THREE.Box3; time: number; wall: number } | null = null; // where what moves was a while ago
  private begun: { base: Base; time: number; body: THREE.Vector3 } | null = null; // of a camera that is planned
  plan: CameraLook = {}; // of whoever makes pictures; it goes before the scene's
  wish: { colouring?: Colouring; chains?: boolean } | null = null; // of a link: for the next scene
  covered: (pane: Rectangle) => Margins = () => NO_MARGINS; // by controls
  steady = false; // the camera does not go after what leaves the picture
  private lastPicture = 0;
  private slow = { pictures: 0, seconds: 0 }; // in a row
  private readonly software: boolean;
  private fine: boolean; // soft shadows
  private framesSince = 0; // arrived since the last picture
  private selection = { pane: 0, body: -1, contact: -1 };
  following = false;
  shadowsChosen = false; // by the reader, whose word holds
  onDraw: (() => void) | null = null;
  onShown: (() => void) | null = null; // what is drawn or selected changed
  onSlower: ((what: string) => void) | null = null;

  constructor(readonly element: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setScissorTest(true);
    this.software = drawsBySoftware(this.renderer.getContext());
    this.fine = !this.software;
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The scene. Arrow keys turn the view, plus and minus zoom, F fits it.");
    canvas.addEventListener("webglcontextrestored", () => this.invalidate());
    element.append(canvas);
    this.rig = new Rig(canvas, () => this.invalidate());
    this.shown.occlusion = !this.software;
    this.addPane();
    onTexture(() => this.apply());
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
  }

  private addPane(): void {
    const pane = new Pane(this.look, this.shown);
    if (this.fine) pane.softenShadows();
    this.panes.push(pane);
  }

  // Pictures that nobody waits for: all that light does, on any machine.
  takeTime(): void {
    this.fine = this.shown.occlusion = this.shown.shadows = true;
    for (const pane of this.panes) pane.softenShadows();
    this.apply();
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  invalidate(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame((now) => this.draw(now));
  }

  // ----------------------------------------------------------------------------------------------------- what arrives

  scene(message: SceneMessage): void {
    if (this.panes.length !== message.panes) this.fitted = "";
    while (this.panes.length < message.panes) this.addPane();
    this.panes.length = Math.max(1, message.panes);
    this.element.dataset.panes = String(this.panes.length);
    const pane = this.panes[message.pane];
    if (!pane) return;
    const before = this.panes[0].scene;
    const same = before && before.name === message.name && before.bodies.length <= message.bodies.length;
    if (message.pane === 0 && !same) this.forget(message);
    pane.load(message);
    this.onShown?.();
    if (message.pane === 0) this.rig.setPlanar(message.dimension === 2);
    this.resize();
  }

  // Another scene: nothing of the old one stays selected, and many contacts are not drawn unasked.
  private forget(message: SceneMessage): void {
    this.fitted = "";
    this.following = false;
    this.shown.scale.full = 0;
    if (isSoftQuantity(this.shown.colouring) && modeCount(message) === 0) this.shown.colouring = "body";
    this.selection = { pane: 0, body: -1, contact: -1 };
    const few = message.bodies.length <= FEW && !message.look?.chains;
    this.shown.points = message.look?.contacts ?? few;
    this.shown.forces = message.look?.contacts ?? few;
    this.shown.chains = message.look?.chains ?? false;
    const colour = message.look?.colour_by;
    if (colour && Object.hasOwn(COLOURINGS, colour)) this.shown.colouring = colour as Colouring;
    if (this.wish?.colouring) this.shown.colouring = this.wish.colouring;
    if (this.wish?.chains !== undefined) this.shown.chains = this.wish.chains;
    if (this.software && !this.shadowsChosen) this.shown.shadows = message.bodies.length <= FEW_FOR_SOFTWARE;
    this.onShown?.();
  }

  frame(frame: Frame): void {
    const pane = this.panes[frame.pane];
    const first = pane?.frame === null;
    if (!pane?.show(frame)) return;
    if (frame.pane === 0) this.framesSince++;
    if (first) pane.select(...this.selectionIn(frame.pane));
    if (frame.pane === 0 && this.fitted !== pane.scene?.name) {
      this.fitted = pane.scene?.name ?? "";
      this.fit();
    }
    this.keepInSight(pane);
    if (frame.pane === 0) this.goOnAsPlanned(frame.time);
    if (this.following && frame.pane === this.selection.pane) this.followSelection();
    this.invalidate();
  }

  theme(dark: boolean): void {
    this.look = dark ? DARK : LIGHT;
    for (const pane of this.panes) pane.paint(this.look);
    this.invalidate();
  }

  // ------------------------------------------------------------------------------------------------------------- camera

  private get air(): number {
    const moving = this.panes[0].scene?.bodies.filter((body) => !body.fixed).length ?? 0;
    const [many, few] = this.steady ? [1.2, 1.8] : [1.08, 1.4]; // the page's margins are room already
    return moving > 2 ? many : few; // one body alone does not fill the picture
  }

  private get camera(): CameraLook {
    return { ...this.panes[0].scene?.look?.camera, ...this.plan };
  }

  // To all of the scene, or as it says; from a direction that is asked for, whatever the scene says.
  fit(direction?: Direction, more = 1): void {
    const plan = this.camera;
    this.direction = direction ?? plan.view ?? "iso";
    this.seen = this.panes[0].pictureBox();
    this.room = roomAround(this.seen);
    this.shapeView();
    this.rig.fit(this.seen, more * this.air, this.direction, plan.fov);
    this.begun = null;
    if (!direction) this.begin(plan);
    this.invalidate();
  }

  private begin(plan: CameraLook): void {
    const frame = this.panes[0].frame;
    const said = plan.at ?? plan.target ?? plan.keys ?? plan.orbit ?? (plan.follow !== undefined ? true : undefined);
    if (!frame || said === undefined) return;
    this.begun = { base: this.rig.base, time: frame.time, body: this.centreOf(plan.follow) };
    this.goOnAsPlanned(frame.time);
  }

  private centreOf(body: number | undefined): THREE.Vector3 {
    const matrix = body === undefined ? null : this.panes[0].bodyMatrix(body);
    return matrix ? new THREE.Vector3().setFromMatrixPosition(matrix) : new THREE.Vector3();
  }

  // A camera that the scene moves, until the reader takes it.
  private goOnAsPlanned(time: number): void {
    if (!this.begun || this.rig.touched) return;
    const plan = this.camera;
    const first = time === this.begun.time;
    if (!first && !isMoving(plan)) return;
    const shift = this.centreOf(plan.follow).sub(this.begun.body);
    this.rig.shoot(this.begun.base, shotAt(plan, time), shift, (plan.orbit ?? 0) * (time - this.begun.time));
  }

  // What moves out of the picture is followed by a wider view, as long as nobody chose another one.
  private keepInSight(pane: Pane): void {
    if (this.steady || this.rig.touched || this.following || this.begun) return;
    const box = pane.boxWithin(this.room);
    if (!box || box.isEmpty()) return;
    const soon = this.soon(box, pane.frame?.time ?? 0);
    if (this.seen.containsBox(soon)) return;
    const wider = this.seen.clone().union(soon);
    const size = wider.getSize(new THREE.Vector3());
    // A little more, so that the camera seldom moves.
    for (const [side, other] of [["min", -1], ["max", 1]] as const)
      for (const axis of ["x", "y", "z"] as const)
        if (other * (wider[side][axis] - this.seen[side][axis]) > 0) wider[side][axis] += other * 0.2 * size[axis];
    this.seen = wider;
    this.rig.fitSlowly(wider, this.air, this.direction);
  }

  // Where what moves will be when the camera has gone there, if it goes on as it does.
  private soon(box: THREE.Box3, time: number): THREE.Box3 {
    const now = performance.now() / 1000;
    const { last } = this;
    if (last && time > last.time && now - last.wall < AHEAD / 4) return box;
    this.last = { box: box.clone(), time, wall: now };
    if (!last || time <= last.time || now - last.wall > 4 * AHEAD) return box;
    const share = AHEAD / (now - last.wall);
    const most = MOST_AHEAD * box.getSize(new THREE.Vector3()).length();
    const soon = box.clone();
    for (const axis of ["x", "y", "z"] as const) {
      soon.max[axis] += Math.min(most, share * Math.max(0, box.max[axis] - last.box.max[axis]));
      soon.min[axis] += Math.max(-most, share * Math.min(0, box.min[axis] - last.box.min[axis]));
    }
    return soon.intersect(this.room);
  }

  get canFollow(): boolean {
    return this.selection.body >= 0;
  }

  follow(on: boolean): void {
    this.following = on && this.selection.body >= 0;
    this.rig.follow(null);
    if (this.following) this.followSelection();
  }

  private followSelection(): void {
    const matrix = this.panes[this.selection.pane]?.bodyMatrix(this.selection.body);
    if (matrix) this.rig.follow(new THREE.Vector3().setFromMatrixPosition(matrix));
  }

  // ---------------------------------------------------------------------------------------------------------- selection

  private selectionIn(pane: number): [number, number] {
    return pane === this.selection.pane ? [this.selection.body, this.selection.contact] : [this.selection.body, -1];
  }

  select(pane: number, body: number, contact: number): void {
    this.selection = { pane, body, contact };
    if (body < 0) this.follow(false);
    this.panes.forEach((p, i) => p.select(...this.selectionIn(i)));
    this.onShown?.();
    this.invalidate();
  }

  apply(): void {
    for (const pane of this.panes) pane.apply();
    this.invalidate();
  }

  // ------------------------------------------------------------------------------------------------------------ pointing

  get sideBySide(): boolean {
    return this.element.clientWidth >= this.element.clientHeight;
  }

  rectangle(pane: number): Rectangle {
    const { clientWidth: width, clientHeight: height } = this.element;
    const n = this.panes.length;
    if (this.sideBySide) return { x: (pane * width) / n, y: 0, width: width / n, height };
    return { x: 0, y: (pane * height) / n, width, height: height / n };
  }

  private paneAt(x: number, y: number): number {
    const found = this.panes.findIndex((_, i) => {
      const r = this.rectangle(i);
      return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
    });
    return Math.max(0, found);
  }

  // The ray through a point of the window.
  ray(clientX: number, clientY: number): { pane: number; ray: THREE.Raycaster } {
    const bounds = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - bounds.left, clientY - bounds.top];
    const pane = this.paneAt(x, y);
    const r = this.rectangle(pane);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(
      new THREE.Vector2((2 * (x - r.x)) / r.width - 1, 1 - (2 * (y - r.y)) / r.height),
      this.rig.camera,
    );
    return { pane, ray };
  }

  pickBody(clientX: number, clientY: number): Hit | null {
    const { pane, ray } = this.ray(clientX, clientY);
    const hit = this.panes[pane].pick(ray);
    return hit ? { pane, ...hit } : null;
  }

  pickContact(clientX: number, clientY: number): { pane: number; contact: number } | null {
    const bounds = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - bounds.left, clientY - bounds.top];
    const pane = this.paneAt(x, y);
    const frame = this.panes[pane].frame;
    if (!frame || !(this.shown.points || this.shown.forces)) return null;
    const r = this.rectangle(pane);
    const p = new THREE.Vector3();
    let best = { distance: PICK_PIXELS, contact: -1 };
    for (let k = 0; k < frame.contacts; k++) {
      const at = CONTACT_WORDS * k;
      if (frame.contactInts[at + 16] === ContactStatus.Open) continue;
      p.fromArray(frame.contactFloats, at).project(this.rig.camera);
      const distance = Math.hypot(r.x + 0.5 * (p.x + 1) * r.width - x, r.y + 0.5 * (1 - p.y) * r.height - y);
      if (p.z < 1 && distance < best.distance) best = { distance, contact: k };
    }
    return best.contact < 0 ? null : { pane, contact: best.contact };
  }

  // ------------------------------------------------------------------------------------------------------------- drawing

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.shapeView();
    if (this.fitted !== "" && !this.seen.isEmpty() && !this.rig.touched && !this.following && !this.begun && !this.steady)
      this.rig.fit(this.seen, this.air, this.direction, this.camera.fov);
    this.paint();
  }

  // The part of a pane that the page's controls leave free.
  private get margins(): Margins {
    return this.steady ? NO_MARGINS : this.covered(this.rectangle(0));
  }

  private shapeView(): void {
    const { width, height } = this.rectangle(0);
    if (width > 0 && height > 0) this.rig.resize(width, height, this.margins);
  }

  // The middle of what is free in the first pane, in pixels of the window.
  get centre(): { x: number; y: number } {
    const bounds = this.canvas.getBoundingClientRect();
    const { x, y, width, height } = this.rectangle(0);
    const { top, right, bottom, left } = this.margins;
    return { x: bounds.left + x + 0.5 * (width + left - right), y: bounds.top + y + 0.5 * (height + top - bottom) };
  }

  // The picture is then in the canvas, to be read at once.
  paintNow(): void {
    this.paint();
  }

  private draw(now: number): void {
    this.wanted = false;
    if (this.rig.glide((now - this.lastPicture) / 1000)) this.invalidate();
    this.watchSpeed(now);
    this.paint();
    this.onDraw?.();
  }

  private paint(): void {
    const height = this.element.clientHeight;
    this.panes.forEach((pane, i) => {
      const r = this.rectangle(i);
      this.renderer.setViewport(r.x, height - r.y - r.height, r.width, r.height);
      this.renderer.setScissor(r.x, height - r.y - r.height, r.width, r.height);
      pane.setScale(1 / this.rig.metresPerPixel(r.height), this.renderer.getPixelRatio());
      this.renderer.render(pane.world, this.rig.camera);
      pane.occlude(this.renderer, this.rig.camera, new THREE.Vector4(r.x, height - r.y - r.height, r.width, r.height));
    });
  }

  // A machine that draws more slowly than frames arrive gets fewer pixels first, then no occlusion, then no shadows.
  private watchSpeed(now: number): void {
    const took = (now - this.lastPicture) / 1000;
    const behind = this.framesSince > 1;
    this.lastPicture = now;
    this.framesSince = 0;
    this.slow =
      behind && took > SLOW
        ? { pictures: this.slow.pictures + 1, seconds: this.slow.seconds + took }
        : { pictures: 0, seconds: 0 };
    if (this.slow.pictures < 3 || this.slow.seconds < PATIENCE) return;
    this.slow = { pictures: 0, seconds: 0 };
    if (this.renderer.getPixelRatio() > 1) {
      this.renderer.setPixelRatio(1);
      this.resize();
    } else if (this.shown.occlusion && !this.shadowsChosen) {
      this.shown.occlusion = false;
      this.invalidate();
      this.onSlower?.("no occlusion");
    } else if (this.shown.shadows && !this.shadowsChosen && this.panes[0].scene?.dimension === 3) {
      this.shown.shadows = false;
      this.apply();
      this.onSlower?.("no shadows");
    }
  }
}
