// Contacts: a mark at every point, an arrow for the force, optionally the cone of friction. Colour and mark say what the
// contact does: it sticks (disc), slips (diamond), is about to open (ring), rolls (triangle) or spins (square). They are
// drawn over the bodies, between which they lie, with a rim by which they stand out from any colour below.
import * as THREE from "three";
import { niceBelow } from "../format";
import type { Look } from "../palette";
import { CONTACT_WORDS, ContactStatus, type Frame } from "../protocol";

export interface ContactOptions {
  points: boolean;
  forces: boolean;
  cones: boolean;
}

const VERTEX = `
  attribute vec3 tint;
  attribute float mark;
  uniform float size;
  uniform float open;
  varying vec3 vTint;
  varying float vMark;
  void main() {
    vTint = tint;
    vMark = mark;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = mark < 0.5 ? open * size : size;
  }`;
const FRAGMENT = `
  uniform vec3 rim;
  varying vec3 vTint;
  varying float vMark;
  void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    bool ring = vMark < 0.5 || (vMark > 2.5 && vMark < 3.5);
    float r = length(p);
    if (vMark > 1.5 && vMark < 2.5) r = abs(p.x) + abs(p.y);
    if (vMark > 3.5 && vMark < 4.5) r = max(p.y + 0.25, 0.87 * abs(p.x) - 0.5 * (p.y + 0.25) + 0.12) * 1.25;
    if (vMark > 4.5) r = 1.2 * max(abs(p.x), abs(p.y));
    float blur = max(fwidth(length(p)), 1e-3);
    float inside = 1.0 - smoothstep(1.0 - blur, 1.0, r);
    if (inside < 0.02) discard;
    float border = smoothstep(0.72, 0.72 + blur, r);
    if (ring) border = max(border, 1.0 - smoothstep(0.34, 0.34 + blur, r));
    gl_FragColor = vec4(mix(vTint, rim, border), inside * (ring && r < 0.34 ? 0.55 : 1.0));
    #include <colorspace_fragment>
  }`;

const SAMPLE = 256; // contacts
const FEW_OPEN = 60; // contacts that carry nothing: of more, marks are smaller, so that one sees the bodies
const LONGEST = 1.6; // times the common force: what a full arrow stands for, or a little less

function grown(old: number, wanted: number): number {
  return wanted <= old ? old : Math.max(64, 2 * old, wanted);
}

// Four of five contacts carry less, of those that carry anything; from a sample where there are many.
export function commonForce(frame: Frame): number {
  const forces: number[] = [];
  const stride = Math.max(1, Math.floor(frame.contacts / SAMPLE));
  for (let k = 0; k < frame.contacts; k += stride) {
    const at = CONTACT_WORDS * k + 6;
    forces.push(Math.hypot(...frame.contactFloats.subarray(at, at + 3)));
  }
  const least = 1e-6 * Math.max(0, ...forces);
  const carrying = forces.filter((force) => force > least).sort((a, b) => a - b);
  return carrying[Math.floor(0.8 * carrying.length)] ?? 0;
}

export class Contacts {
  readonly group = new THREE.Group();
  private room = 0;
  private points: THREE.Points | null = null;
  private readonly pointMaterial: THREE.ShaderMaterial;
  private readonly overlay: THREE.MeshBasicMaterial;
  private readonly rim: THREE.MeshBasicMaterial; // around arrows
  private readonly coneMaterial: THREE.MeshBasicMaterial;
  private shafts: THREE.InstancedMesh | null = null;
  private heads: THREE.InstancedMesh | null = null;
  private rims: [THREE.InstancedMesh, THREE.InstancedMesh] | null = null; // of shafts and heads
  private cones: THREE.InstancedMesh | null = null;
  private colours: THREE.Color[] = [];
  private reference = 0; // newton of a full-length arrow
  private pixel = 0; // m
  options: ContactOptions = { points: true, forces: true, cones: false };
  selected = -1;

  constructor(
    private readonly unit: number, // length of a full arrow, m
    private look: Look,
  ) {
    this.pointMaterial = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { size: { value: 11 }, open: { value: 0.6 }, rim: { value: new THREE.Color(0xffffff) } },
      transparent: true,
      depthTest: false,
    });
    this.overlay = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
    this.rim = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 });
    this.coneMaterial = new THREE.MeshBasicMaterial({
      depthTest: false,
      depthWrite: false,
      transparent: true,
      opacity: 0.22,
      side: THREE.DoubleSide,
    });
    this.paint(look);
  }

  paint(look: Look): void {
    this.look = look;
    this.colours = look.contact.map((c) => new THREE.Color(c));
    (this.pointMaterial.uniforms.rim.value as THREE.Color).setHex(look.rim);
    this.rim.color.setHex(look.rim);
  }

  // Marks are smaller where bodies are small in the picture.
  setScale(pixelsPerMetre: number, pixelRatio: number): void {
    this.pointMaterial.uniforms.size.value = pixelRatio * Math.min(12, Math.max(5, 0.22 * this.unit * pixelsPerMetre));
    this.pixel = 1 / pixelsPerMetre;
  }

  // Length of a full arrow, m, and the force it stands for, N.
  get arrow(): { length: number; force: number } {
    return { length: this.unit, force: this.reference };
  }

  private reserve(count: number): void {
    if (count <= this.room) return;
    this.room = grown(this.room, count);
    this.clear();
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute(
      "position",
      new THREE.BufferAttribute(new Float32Array(3 * this.room), 3).setUsage(THREE.DynamicDrawUsage),
    );
    geometry.setAttribute(
      "tint",
      new THREE.BufferAttribute(new Float32Array(3 * this.room), 3).setUsage(THREE.DynamicDrawUsage),
    );
    geometry.setAttribute(
      "mark",
      new THREE.BufferAttribute(new Float32Array(this.room), 1).setUsage(THREE.DynamicDrawUsage),
    );
    this.points = new THREE.Points(geometry, this.pointMaterial);
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0);
    this.rims = [this.instances(shaft, this.rim, false), this.instances(head, this.rim, false)];
    this.shafts = this.instances(shaft, this.overlay);
    this.heads = this.instances(head, this.overlay);
    this.cones = this.instances(
      new THREE.ConeGeometry(1, 1, 24, 1, true).rotateX(Math.PI).translate(0, 0.5, 0),
      this.coneMaterial,
    );
    [this.cones, ...this.rims, this.shafts, this.heads, this.points].forEach((object, i) => {
      object.frustumCulled = false;
      object.renderOrder = 10 + i;
      this.group.add(object);
    });
  }

  private instances(geometry: THREE.BufferGeometry, material: THREE.Material, tinted = true): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(geometry, material, this.room);
    if (tinted) mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * this.room), 3);
    return mesh;
  }

  private clear(): void {
    for (const object of [this.points, this.shafts, this.heads, this.cones]) object?.geometry.dispose();
    for (const object of [this.shafts, this.heads, this.cones, ...(this.rims ?? [])]) object?.dispose();
    this.group.clear();
  }

  // Arrows keep one scale until forces leave it far behind: pictures do not jump. A single impact does not set it.
  private chooseReference(frame: Frame): void {
    const force = LONGEST * commonForce(frame);
    if (force > 0 && (force > 2.6 * this.reference || force < 0.4 * this.reference)) this.reference = niceBelow(force);
  }

  update(frame: Frame): void {
    const any = this.options.points || this.options.forces || this.options.cones;
    this.group.visible = any;
    if (!any) return;
    this.reserve(frame.contacts);
    if (!this.points || !this.shafts || !this.heads || !this.cones || !this.rims) return;
    this.chooseReference(frame);
    this.updatePoints(this.points, frame);
    const arrows = this.options.forces ? this.updateArrows(this.shafts, this.heads, frame) : 0;
    this.shafts.count = this.heads.count = this.rims[0].count = this.rims[1].count = arrows;
    this.cones.count = this.options.cones ? this.updateCones(this.cones, frame) : 0;
  }

  private updatePoints(points: THREE.Points, frame: Frame): void {
    points.visible = this.options.points;
    if (!this.options.points) return;
    const attribute = (name: string) => points.geometry.getAttribute(name) as THREE.BufferAttribute;
    const [position, tint, mark] = [attribute("position"), attribute("tint"), attribute("mark")];
    const chosen = new THREE.Color(this.look.mark);
    const put = (k: number, place: number) => {
      const at = CONTACT_WORDS * k;
      const status = frame.contactInts[at + 16] as ContactStatus;
      position.setXYZ(place, frame.contactFloats[at], frame.contactFloats[at + 1], frame.contactFloats[at + 2]);
      const colour = k === this.selected ? chosen : (this.colours[status] ?? this.colours[0]);
      colour.toArray(tint.array as Float32Array, 3 * place);
      mark.setX(place, status);
    };
    // Those that are open first, so that they lie below the others.
    const isOpen = (k: number) => frame.contactInts[CONTACT_WORDS * k + 16] === (ContactStatus.Open as number);
    let [below, above] = [0, frame.contacts];
    for (let k = 0; k < frame.contacts; k++) put(k, isOpen(k) ? below++ : --above);
    this.pointMaterial.uniforms.open.value = Math.max(0.25, 0.6 * Math.min(1, Math.sqrt(FEW_OPEN / Math.max(1, below))));
    for (const a of [position, tint, mark]) a.needsUpdate = true;
    points.geometry.setDrawRange(0, frame.contacts);
  }

  private updateArrows(shafts: THREE.InstancedMesh, heads: THREE.InstancedMesh, frame: Frame): number {
    const [behindShafts, behindHeads] = this.rims ?? [shafts, heads];
    const f = frame.contactFloats;
    const { length: full, force: reference } = this.arrow;
    const thick = 0.024 * this.unit * Math.min(1, Math.max(0.5, Math.sqrt(150 / Math.max(1, frame.contacts))));
    const rim = Math.min(1.5 * this.pixel, 0.8 * thick);
    const [from, along] = [new THREE.Vector3(), new THREE.Vector3()];
    const [turn, up, matrix] = [new THREE.Quaternion(), new THREE.Vector3(0, 1, 0), new THREE.Matrix4()];
    const size = new THREE.Vector3();
    let count = 0;
    for (let k = 0; k < frame.contacts; k++) {
      const at = CONTACT_WORDS * k;
      along.set(f[at + 6], f[at + 7], f[at + 8]);
      const force = along.length();
      if (!(force > 0) || !(reference > 0)) continue;
      const length = Math.min(4 * full, (full * force) / reference);
      if (length < 0.3 * thick) continue;
      turn.setFromUnitVectors(up, along.divideScalar(force));
      const head = Math.min(5 * thick, 0.5 * length);
      from.set(f[at], f[at + 1], f[at + 2]);
      const colour = this.colours[frame.contactInts[at + 16]] ?? this.colours[0];
      shafts.setMatrixAt(count, matrix.compose(from, turn, size.set(thick, length - head, thick)));
      shafts.setColorAt(count, colour);
      from.addScaledVector(along, length - head);
      heads.setMatrixAt(count, matrix.compose(from, turn, size.set(0.42 * head, head, 0.42 * head)));
      heads.setColorAt(count, colour);
      from.addScaledVector(along, -rim);
      size.set(0.42 * head + 1.4 * rim, head + 3.4 * rim, 0.42 * head + 1.4 * rim);
      behindHeads.setMatrixAt(count, matrix.compose(from, turn, size));
      from.addScaledVector(along, head - length + rim);
      behindShafts.setMatrixAt(count++, matrix.compose(from, turn, size.set(thick + rim, length - head, thick + rim)));
    }
    for (const mesh of [shafts, heads, behindShafts, behindHeads]) markChanged(mesh);
    return count;
  }

  // Half angle atan(mu) about the normal.
  private updateCones(cones: THREE.InstancedMesh, frame: Frame): number {
    const f = frame.contactFloats;
    const height = 0.45 * this.unit;
    const [from, normal, up] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(0, 1, 0)];
    const [turn, matrix] = [new THREE.Quaternion(), new THREE.Matrix4()];
    let count = 0;
    for (let k = 0; k < frame.contacts; k++) {
      const at = CONTACT_WORDS * k;
      const status = frame.contactInts[at + 16];
      if (status === ContactStatus.Open) continue;
      normal.set(f[at + 3], f[at + 4], f[at + 5]);
      const wide = f[at + 13] * height;
      cones.setMatrixAt(
        count,
        matrix.compose(
          from.set(f[at], f[at + 1], f[at + 2]),
          turn.setFromUnitVectors(up, normal),
          new THREE.Vector3(wide, height, wide),
        ),
      );
      cones.setColorAt(count++, this.colours[status] ?? this.colours[0]);
    }
    markChanged(cones);
    return count;
  }

  dispose(): void {
    this.clear();
    for (const material of [this.pointMaterial, this.overlay, this.rim, this.coneMaterial]) material.dispose();
  }
}

function markChanged(mesh: THREE.InstancedMesh): void {
  mesh.instanceMatrix.needsUpdate = true;
  if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
}
