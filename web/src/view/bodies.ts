// All bodies of a scene as instances of few geometries: a shape is a slot in one of them, placed by
//   world = T(position) R(orientation) [ T(at) R(shape) S(size) ]
// where the bracket is fixed and kept as nine numbers and three.
import * as THREE from "three";
import { niceAbove } from "../format";
import { scaleColour, type Look } from "../palette";
import { BODY_FLOATS, type Frame, type SceneMessage } from "../protocol";
import { bodyBox, cutOf, isEndless, quaternion, sceneBox, v3 } from "./extent";
import { pieces, type Piece } from "./forms";
import { sphereGeometry } from "./geometry";
import { bodyMaterial, type Worn, type WornUniforms } from "./materials";
import { Images } from "./cell";
import { Instances, type Slot } from "./instances";
import { colourBodies } from "./neighbours";
import { SOLID } from "./occlusion";
import { isQuantity, isSoftQuantity, Quantities, type Colouring } from "./quantities";
import { skinOf, type SkinPlace, type SkinQuantity } from "./skin";
import { Soft } from "./soft";
import { wornBy } from "./textures";

// Of colours by a quantity, for all panes.
export interface Scale {
  full: number; // its end: what was seen so far, rounded up, in the quantity's unit
}

export interface BodyHit {
  body: number;
  point: THREE.Vector3;
  distance: number;
  skin?: SkinPlace; // of a deformable body
}

const MANY = 3000; // beyond so many balls each has fewer triangles
const SHADES = 32; // of opacity, from nothing to all: bodies of one shade share a material
const GHOST = 0.22; // opacity of bodies through which chains of force are seen
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

// The number of a colour that a scene gives as "#rrggbb"; null where it gives none.
function given(colour: string | undefined): number | null {
  return colour && /^#[0-9a-f]{6}$/i.test(colour) ? parseInt(colour.slice(1), 16) : null;
}

const keyOf = (worn: Worn | null): string => (worn ? `${worn.map.uuid} ${worn.size} ${worn.placed}` : "");

const PATTERNS = ["plain", "checks", "stripes", "card"];

interface Group {
  make: Piece["make"];
  hidden: boolean;
  shade: number;
  worn: Worn | null;
  slots: Slot[];
}

export class Bodies {
  readonly group = new THREE.Group();
  private readonly sets: Instances[] = [];
  private readonly softs: Soft[] = [];
  private readonly lined: THREE.Material;
  private readonly crease = new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.5 });
  private readonly marked = new THREE.LineBasicMaterial();
  private painted = 0; // end of the scale by which points were last coloured
  private readonly materialOf: number[] = []; // number of the body's material, in order of appearance
  private readonly colourBy: Int16Array; // number of the body's own colour, other than those of its neighbours
  private readonly materials = new Map<string, THREE.Material>(); // by shade and what is worn
  private readonly wearers: Set<number> = new Set(); // bodies with a picture on them
  private readonly seeThrough: THREE.Material;
  private readonly quantities: Quantities;
  private islandColour: Int32Array;
  private frame: Frame;
  private ghosts = false;
  colouring: Colouring = "body";
  selected = -1;

  constructor(
    private readonly scene: SceneMessage,
    private look: Look,
    first: Frame,
    skip: (body: number) => boolean, // drawn by somebody else: the ground
    private readonly scale: Scale,
  ) {
    const planar = scene.dimension === 2;
    this.frame = first;
    this.quantities = new Quantities(scene);
    this.colourBy = colourBodies(scene, first, look.bodies.length);
    const cut = cutOf(scene, first);
    const fade = 0.05 * sceneBox(scene).getSize(new THREE.Vector3()).z;
    this.seeThrough = bodyMaterial(planar, 0.09, false, null, cut === null ? null : [cut - fade, cut]);
    this.lined = bodyMaterial(planar, 1, true);
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

  private material(shade: number, worn: Worn | null, lined = false): THREE.Material {
    const key = `${shade}${lined} ${keyOf(worn)}`;
    const known = this.materials.get(key) ?? bodyMaterial(this.scene.dimension === 2, shade / SHADES, lined, worn);
    this.materials.set(key, known);
    return known;
  }

  private build(planar: boolean, first: Frame, skip: (body: number) => boolean): void {
    const moving = sceneBox(this.scene);
    const images = new Images(this.scene);
    const copies = this.scene.bodies.length <= MANY_IMAGES ? images.count : 0;
    const band = 0.02 * moving.getSize(new THREE.Vector3()).length();
    const detail = this.scene.bodies.length > MANY ? 3 : 8;
    const ball = () => sphereGeometry(detail);
    const found = new Map<string, Group>();
    this.scene.bodies.forEach((body, b) => {
      if (skip(b)) return;
      const shade = Math.round(SHADES * Math.min(1, Math.max(0, body.look?.opacity ?? 1)));
      const hidden = body.look?.opacity === undefined && hides(this.scene, b, moving, first);
      const wears = hidden ? null : wornBy(this.scene, b);
      if (wears) this.wearers.add(b);
      for (const shape of body.shapes) {
        if (isEndless(shape)) continue;
        const place = new THREE.Matrix4().compose(v3(shape.at), quaternion(shape.orientation), cube(1));
        const skin = skinOf(shape);
        if (skin) {
          const material = wears ? this.material(SHADES, { ...wears, placed: false }, true) : this.lined;
          this.softs.push(new Soft(shape, skin, material, this.crease, { body: b, place }));
          continue;
        }
        for (const piece of pieces(shape, planar, ball, band)) {
          const worn = wears && { ...wears, placed: shape.uv !== undefined };
          const key = `${hidden}${shade} ${keyOf(worn)} ${piece.key}`;
          if (!found.has(key)) found.set(key, { make: piece.make, hidden, shade, worn, slots: [] });
          const own = new THREE.Matrix4().compose(piece.at ?? new THREE.Vector3(), new THREE.Quaternion(), piece.size);
          const pattern = Math.max(0, PATTERNS.indexOf(body.look?.pattern ?? "plain"));
          const slot = { body: b, place: place.clone().multiply(own), size: piece.size, pattern };
          found.get(key)?.slots.push(slot);
          for (let image = 1; !body.fixed && image <= copies; image++) found.get(key)?.slots.push({ ...slot, image });
        }
      }
    });
    for (const one of found.values()) this.addSet(one, images, planar);
    for (const { set } of this.softs) {
      set.mesh.castShadow = set.mesh.receiveShadow = !planar;
      set.mesh.layers.enable(SOLID);
      this.sets.push(set);
      this.group.add(set.mesh);
    }
  }

  private addSet({ make, hidden, shade, worn, slots }: Group, images: Images, planar: boolean): void {
    const set = new Instances(make(), hidden ? this.seeThrough : this.material(shade, worn), slots, images, shade);
    set.mesh.userData.worn = worn;
    const solid = !hidden && shade === SHADES;
    set.mesh.castShadow = solid && !planar;
    set.mesh.receiveShadow = !hidden && !planar;
    if (solid) set.mesh.layers.enable(SOLID);
    else set.mesh.renderOrder = 2;
    this.sets.push(set);
    this.group.add(set.mesh);
  }

  // Bodies become so pale that one sees what they carry.
  showGhosts(on: boolean): void {
    if (on === this.ghosts) return;
    this.ghosts = on;
    for (const set of this.sets) {
      if (set.mesh.material === this.seeThrough) continue;
      const soft = this.softs.some((one) => one.set === set);
      const shade = on ? Math.round(GHOST * Math.min(set.shade, SHADES)) : set.shade;
      if (!soft) set.mesh.material = this.material(shade, set.mesh.userData.worn as Worn | null);
      set.mesh.castShadow = !on && this.scene.dimension === 3 && set.shade === SHADES;
      set.mesh.renderOrder = on || set.shade < SHADES ? 2 : 0;
      if (set.shade === SHADES || soft) set.mesh.layers[on && !soft ? "disable" : "enable"](SOLID);
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
    this.frame = frame;
    for (const set of this.sets) set.place(frame.poses);
    const moved = this.softs.filter((soft) => soft.update(frame));
    if (isSoftQuantity(this.colouring)) {
      const before = this.scale.full;
      for (const soft of moved) this.grow(soft.skin.most(this.colouring as SkinQuantity));
      this.paintSkins(this.scale.full === before && before === this.painted ? moved : this.softs);
    } else if (isQuantity(this.colouring)) this.paintQuantity();
    if (this.colouring === "island" && this.takeIslands(frame)) this.paint();
  }

  private grow(most: number): void {
    if (most > this.scale.full && Number.isFinite(most)) this.scale.full = niceAbove(most);
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

  private paintSkins(softs: Soft[]): void {
    this.painted = this.scale.full;
    for (const soft of softs) soft.skin.paint(isSoftQuantity(this.colouring) ? this.painted || 1 : 0);
  }

  private paintQuantity(): void {
    const values = this.quantities.update(this.colouring, this.frame);
    let most = 0;
    this.scene.bodies.forEach((body, b) => (most = body.fixed ? most : Math.max(most, values[b] || 0)));
    this.grow(most);
    this.paintInstances();
  }

  private quantityColour(body: number, out: THREE.Color): THREE.Color {
    const share = this.quantities.values[body] / (this.scale.full || 1);
    return out.setRGB(...scaleColour(share));
  }

  // Where bodies are told apart and not measured.
  private get showsPictures(): boolean {
    return this.colouring === "body" || this.colouring === "material";
  }

  private showPictures(): void {
    for (const material of this.materials.values()) {
      const worn = material.userData.worn as WornUniforms | null;
      if (worn) worn.wornShown.value = this.showsPictures && worn.worn.value?.userData.ready ? 1 : 0;
    }
  }

  // What the scene says holds, where bodies are told apart and not measured; bodies of one colour differ a little in
  // lightness.
  private colourOf(body: number, out: THREE.Color): THREE.Color {
    if (isSoftQuantity(this.colouring) && this.soft(body)) return out.setHex(0xffffff);
    if (body === this.selected) return out.setHex(this.look.mark);
    if (isSoftQuantity(this.colouring)) return out.setHex(this.look.fixed);
    const { fixed, look } = this.scene.bodies[body];
    if (isQuantity(this.colouring)) return fixed ? out.setHex(this.look.fixed) : this.quantityColour(body, out);
    const own = this.colouring === "island" ? null : given(look?.colour);
    if (own !== null) return out.setHex(own);
    if (this.wearers.has(body) && this.showsPictures) return out.setHex(0xffffff);
    const index = { body: this.colourBy, material: this.materialOf, island: this.islandColour }[
      this.colouring as "body" | "material" | "island"
    ][body];
    if (fixed || index < 0) return out.setHex(this.look.fixed);
    const shade = this.colouring === "body" ? 1 : 0.92 + 0.12 * ((body * 0.618034) % 1);
    return out.setHex(this.look.bodies[index % this.look.bodies.length]).multiplyScalar(shade);
  }

  private paintInstances(): void {
    const colour = new THREE.Color();
    for (const set of this.sets) {
      const out = set.mesh.instanceColor;
      if (!out) continue;
      set.slots.forEach((slot, i) => this.colourOf(slot.body, colour).toArray(out.array as Float32Array, 3 * i));
      out.needsUpdate = true;
    }
  }

  paint(look: Look = this.look): void {
    this.look = look;
    this.showPictures();
    if (isSoftQuantity(this.colouring))
      for (const soft of this.softs) this.grow(soft.skin.most(this.colouring as SkinQuantity));
    this.paintSkins(this.softs);
    this.marked.color.setHex(look.mark);
    for (const soft of this.softs) soft.line(soft.body === this.selected ? this.marked : this.crease);
    this.paintInstances();
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
    for (const material of this.materials.values()) material.dispose();
    this.seeThrough.dispose();
  }
}
