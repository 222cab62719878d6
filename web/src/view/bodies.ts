// All bodies of a scene as instances of few geometries: a shape is a slot in one of them, placed by
//   world = T(position) R(orientation) [ T(at) R(shape) S(size) ]
// where the bracket is fixed and kept as nine numbers and three.
import * as THREE from "three";
import { niceAbove } from "../format";
import { BODY_COLOURS, type Look } from "../palette";
import { BODY_FLOATS, type Frame, type SceneMessage } from "../protocol";
import { bodyBox, isEndless, quaternion, sceneBox, v3 } from "./extent";
import { pieces, type Piece } from "./forms";
import { sphereGeometry } from "./geometry";
import { bodyMaterial } from "./materials";
import { Images } from "./cell";
import { Instances, type Slot } from "./instances";
import { skinOf, type SkinPlace } from "./skin";
import { Soft } from "./soft";

export type Colouring = "material" | "island" | "displacement";

// Of the colours by displacement, for all panes.
export interface DisplacementScale {
  full: number; // its end: what was seen so far, rounded up, m
}

export interface BodyHit {
  body: number;
  point: THREE.Vector3;
  distance: number;
  skin?: SkinPlace; // of a deformable body
}

const MANY = 3000; // beyond so many balls each has fewer triangles
const MANY_IMAGES = 20000; // and beyond so many bodies of a cell that repeats itself none is drawn twice

function cube(x: number): THREE.Vector3 {
  return new THREE.Vector3(x, x, x);
}

// A fixed thing that reaches above the foot of what moves (a vessel, a wall) would hide it: one looks through.
function hides(scene: SceneMessage, body: number, moving: THREE.Box3, frame: Frame): boolean {
  if (scene.dimension === 2 || !scene.bodies[body].fixed) return false;
  const box = bodyBox(scene.bodies[body]);
  if (box.isEmpty()) return false;
  box.translate(v3(Array.from(frame.poses.subarray(BODY_FLOATS * body, BODY_FLOATS * body + 3))));
  const foot = moving.min.z + 0.15 * (moving.max.z - moving.min.z);
  return box.max.z > foot && box.intersectsBox(moving);
}

export class Bodies {
  readonly group = new THREE.Group();
  private readonly sets: Instances[] = [];
  private readonly softs: Soft[] = [];
  private readonly lined: THREE.Material;
  private readonly crease = new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.5 });
  private readonly marked = new THREE.LineBasicMaterial();
  private painted = 0; // end of the scale by which displacements were last coloured
  private readonly materialOf: number[] = []; // number of the body's material, in order of appearance
  private readonly opaque: THREE.Material;
  private readonly seeThrough: THREE.Material;
  private islandColour: Int32Array;
  colouring: Colouring = "material";
  selected = -1;

  constructor(
    private readonly scene: SceneMessage,
    private look: Look,
    first: Frame,
    skip: (body: number) => boolean, // drawn by somebody else: the ground
    private readonly scale: DisplacementScale,
  ) {
    const planar = scene.dimension === 2;
    this.opaque = bodyMaterial(planar, false);
    this.seeThrough = bodyMaterial(planar, true);
    this.lined = bodyMaterial(planar, false, true);
    this.islandColour = new Int32Array(scene.bodies.length).fill(-1);
    this.build(planar, first, skip);
    const names = new Map<string, number>();
    for (const body of scene.bodies) {
      const name = body.material ?? "default";
      if (!body.fixed && !names.has(name)) names.set(name, names.size);
      this.materialOf.push(body.fixed ? -1 : (names.get(name) ?? 0));
    }
    this.paint();
  }

  private build(planar: boolean, first: Frame, skip: (body: number) => boolean): void {
    const moving = sceneBox(this.scene);
    const images = new Images(this.scene);
    const copies = this.scene.bodies.length <= MANY_IMAGES ? images.count : 0;
    const band = 0.02 * moving.getSize(new THREE.Vector3()).length();
    const detail = this.scene.bodies.length > MANY ? 3 : 8;
    const ball = () => sphereGeometry(detail);
    const found = new Map<string, { make: Piece["make"]; hidden: boolean; slots: Slot[] }>();
    this.scene.bodies.forEach((body, b) => {
      if (skip(b)) return;
      const hidden = hides(this.scene, b, moving, first);
      for (const shape of body.shapes) {
        if (isEndless(shape)) continue;
        const place = new THREE.Matrix4().compose(v3(shape.at), quaternion(shape.orientation), cube(1));
        const skin = skinOf(shape);
        if (skin) {
          this.softs.push(new Soft(shape, skin, this.lined, this.crease, { body: b, place }));
          continue;
        }
        for (const piece of pieces(shape, planar, ball, band)) {
          const key = `${hidden}${piece.key}`;
          if (!found.has(key)) found.set(key, { make: piece.make, hidden, slots: [] });
          const own = new THREE.Matrix4().compose(piece.at ?? new THREE.Vector3(), new THREE.Quaternion(), piece.size);
          const slot = { body: b, place: place.clone().multiply(own) };
          found.get(key)?.slots.push(slot);
          for (let image = 1; !body.fixed && image <= copies; image++) found.get(key)?.slots.push({ ...slot, image });
        }
      }
    });
    for (const { make, hidden, slots } of found.values()) {
      const set = new Instances(make(), hidden ? this.seeThrough : this.opaque, slots, images);
      set.mesh.castShadow = !hidden && !planar;
      set.mesh.receiveShadow = !hidden && !planar;
      if (hidden) set.mesh.renderOrder = 2;
      this.sets.push(set);
      this.group.add(set.mesh);
    }
    for (const { set } of this.softs) {
      set.mesh.castShadow = set.mesh.receiveShadow = !planar;
      this.sets.push(set);
      this.group.add(set.mesh);
    }
  }

  private soft(body: number): Soft | undefined {
    return this.softs.find((soft) => soft.body === body);
  }

  // The largest displacement of a deformable body's points, and how much of it a unit of each amplitude makes.
  deformation(body: number): { displacement: number; reach: number[] } | null {
    const soft = this.soft(body);
    return soft ? { displacement: soft.skin.displacement, reach: soft.skin.skin.reach } : null;
  }

  // In the body's frame.
  skinPoint(body: number, place: SkinPlace): THREE.Vector3 | null {
    return this.soft(body)?.skin.point(place) ?? null;
  }

  update(frame: Frame): void {
    for (const set of this.sets) set.place(frame.poses);
    const moved = this.softs.filter((soft) => soft.update(frame));
    const most = Math.max(0, ...moved.map((soft) => soft.skin.displacement));
    if (most > this.scale.full) this.scale.full = niceAbove(most);
    if (this.colouring === "displacement")
      this.paintDisplacements(this.scale.full === this.painted ? moved : this.softs);
    if (this.colouring === "island" && this.takeIslands(frame)) this.paint();
  }

  // An island takes the colour of its first body, so that it keeps it while others come and go. Says whether any changed.
  private takeIslands(frame: Frame): boolean {
    const first = new Map<number, number>();
    let changed = false;
    for (let b = 0; b < frame.bodies; b++) {
      const island = frame.islands[b];
      if (island >= 0 && !first.has(island)) first.set(island, b);
      const colour = island < 0 ? -1 : (first.get(island) ?? b);
      changed ||= this.islandColour[b] !== colour;
      this.islandColour[b] = colour;
    }
    return changed;
  }

  private paintDisplacements(softs: Soft[]): void {
    this.painted = this.scale.full;
    for (const soft of softs) soft.skin.paint(this.colouring === "displacement" ? this.painted || 1 : 0);
  }

  // Bodies of one colour differ a little in lightness, by which neighbours are told apart.
  private colourOf(body: number, out: THREE.Color): THREE.Color {
    if (this.colouring === "displacement" && this.soft(body)) return out.setHex(0xffffff);
    if (body === this.selected) return out.setHex(this.look.mark);
    if (this.colouring === "displacement") return out.setHex(this.look.fixed);
    const index = this.colouring === "island" ? this.islandColour[body] : this.materialOf[body];
    if (index < 0 || this.scene.bodies[body].fixed) return out.setHex(this.look.fixed);
    out.setHex(BODY_COLOURS[index % BODY_COLOURS.length]);
    const shade = 0.94 + 0.12 * ((body * 0.618034) % 1);
    return out
      .lerp(new THREE.Color(this.look.dark ? 0x20262e : 0xffffff), this.look.dark ? 0.38 : 0.3)
      .multiplyScalar(shade);
  }

  paint(look: Look = this.look): void {
    this.look = look;
    const colour = new THREE.Color();
    this.paintDisplacements(this.softs);
    this.marked.color.setHex(look.mark);
    for (const soft of this.softs) soft.line(soft.body === this.selected ? this.marked : this.crease);
    for (const set of this.sets) {
      const out = set.mesh.instanceColor;
      if (!out) continue;
      set.slots.forEach((slot, i) => this.colourOf(slot.body, colour).toArray(out.array as Float32Array, 3 * i));
      out.needsUpdate = true;
    }
  }

  // The nearest body on the ray, and where it is hit.
  pick(ray: THREE.Raycaster): BodyHit | null {
    let best: BodyHit | null = null;
    let face = -1;
    for (const set of this.sets) {
      if (set.mesh.material === this.seeThrough) continue;
      for (const hit of ray.intersectObject(set.mesh, false)) {
        if (hit.instanceId === undefined || (best && hit.distance >= best.distance)) continue;
        best = { body: set.slots[hit.instanceId].body, point: hit.point.clone(), distance: hit.distance };
        face = hit.faceIndex ?? -1;
      }
    }
    return best && this.onSkin(best, face);
  }

  private onSkin(hit: BodyHit, face: number): BodyHit {
    const soft = this.soft(hit.body);
    if (!soft || face < 0) return hit;
    return { ...hit, skin: soft.skin.locate(face, hit.point.clone().applyMatrix4(soft.matrix.invert())) };
  }

  dispose(): void {
    for (const set of this.sets) set.dispose();
    for (const soft of this.softs) soft.dispose();
    this.lined.dispose();
    this.crease.dispose();
    this.marked.dispose();
    this.opaque.dispose();
    this.seeThrough.dispose();
  }
}
