// The skin of a deformable body: vertices at rest, and how each mode moves them,
//   y = X + U q        in the body's frame; q: its amplitudes, which a frame brings
// Vertices are split where faces meet at an angle, so that normals are smooth on either side of such a crease.
import * as THREE from "three";
import { bytesOf } from "../bytes";
import { scaleColour } from "../palette";
import type { Shape, Vec3 } from "../protocol";
import { markPlaces } from "./geometry";

// A place on a skin: inside of a triangle, by barycentric coordinates.
export interface SkinPlace {
  triangle: number;
  weights: Vec3;
}

// What bodies of equal mesh and material share.
export interface Skin {
  young: number; // Pa
  poisson: number;
  linear: boolean; // of a modal body
  rest: Float32Array; // 3 a vertex
  basis: Float32Array[]; // of every mode, 3 a vertex
  reach: number[]; // of every mode: the largest displacement of a vertex at amplitude 1
  triangles: Uint32Array; // 3 vertices each, in the order of the message
  creases: Uint32Array; // 2 vertices each
  size: number; // from the origin to the farthest vertex at rest
}

const STILL = 1e-7; // of the size: less is not seen

// Cosine of the angle of a crease. Facets of a smooth body's coarse mesh meet at up to 65 degrees: these are no edges.
const CREASE = 0.35;

function faceNormals(vertices: number[][], triangles: number[][]): THREE.Vector3[] {
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  return triangles.map(([i, j, k]) => {
    a.fromArray(vertices[i]);
    b.fromArray(vertices[j]).sub(a);
    c.fromArray(vertices[k]).sub(a);
    return b.clone().cross(c).normalize();
  });
}

// Edges of the skin as pairs of corners, corner c being number c % 3 of triangle c / 3: one of each of its two
// triangles, from which the edge goes to the next corner.
function pairEdges(triangles: number[][], count: number): [number, number][] {
  const open = new Map<number, number>();
  const pairs: [number, number][] = [];
  triangles.forEach((t, f) =>
    t.forEach((i, k) => {
      const j = t[(k + 1) % 3];
      const name = Math.min(i, j) * count + Math.max(i, j);
      const other = open.get(name);
      if (other === undefined) open.set(name, 3 * f + k);
      else pairs.push([other, 3 * f + k]);
    }),
  );
  return pairs;
}

// Corners that share a vertex without a crease between them become one vertex of the drawing.
function split(vertices: number[][], triangles: number[][]) {
  const normals = faceNormals(vertices, triangles);
  const parent = Int32Array.from({ length: 3 * triangles.length }, (_, c) => c);
  const root = (c: number): number => {
    while (parent[c] !== c) c = parent[c] = parent[parent[c]];
    return c;
  };
  const next = (c: number) => c - (c % 3) + ((c + 1) % 3);
  const creases: number[] = [];
  for (const [a, b] of pairEdges(triangles, vertices.length)) {
    const [f, g] = [Math.floor(a / 3), Math.floor(b / 3)];
    if (normals[f].dot(normals[g]) < CREASE) {
      creases.push(a, next(a));
      continue;
    }
    parent[root(a)] = root(next(b));
    parent[root(next(a))] = root(b);
  }
  const place = new Map<number, number>();
  const origin: number[] = []; // of every vertex of the drawing: that of the skin
  const drawn = Uint32Array.from(parent, (_, c) => {
    const r = root(c);
    if (!place.has(r)) {
      place.set(r, origin.length);
      origin.push(triangles[Math.floor(c / 3)][c % 3]);
    }
    return place.get(r) as number;
  });
  return { origin, triangles: drawn, creases: Uint32Array.from(creases, (c) => drawn[c]) };
}

const skins = new WeakMap<number[][], Skin>();

// Bodies that share a skin share its vertices (protocol.ts), by which it is known again. Null for what is no skin.
export function skinOf(shape: Shape): Skin | null {
  const { vertices, triangles, basis, modes } = shape;
  if (!vertices || !triangles || basis === undefined || !modes) return null;
  const known = skins.get(vertices);
  if (known) return known;
  const bytes = bytesOf(basis);
  if (bytes.length !== 12 * vertices.length * modes) return null;
  const U = new Float32Array(bytes.buffer);
  const parts = split(vertices, triangles);
  const of = (value: (vertex: number, axis: number) => number) =>
    Float32Array.from({ length: 3 * parts.origin.length }, (_, k) => value(parts.origin[Math.floor(k / 3)], k % 3));
  const reach = Array.from({ length: modes }, (_, a) => {
    let most = 0;
    for (let k = a; k < U.length; k += 3 * modes)
      most = Math.max(most, Math.hypot(U[k], U[k + modes], U[k + 2 * modes]));
    return most;
  });
  const skin = {
    young: shape.young ?? 0,
    poisson: shape.poisson ?? 0,
    linear: shape.linear ?? false,
    rest: of((v, i) => vertices[v][i]),
    basis: Array.from({ length: modes }, (_, a) => of((v, i) => U[(3 * v + i) * modes + a])),
    reach,
    triangles: parts.triangles,
    creases: parts.creases,
    size: Math.max(...vertices.map((v) => Math.hypot(...v))),
  };
  skins.set(vertices, skin);
  return skin;
}

export type SkinQuantity = "displacement" | "strain" | "stress";

type Edges = { x: Float32Array; y: Float32Array; corners: [number, number, number] };

// Products of two edges of a triangle, of the first in p and in q, mixed, and of the second.
function products(p: Float32Array, q: Float32Array, [i, j, k]: [number, number, number]): [number, number, number] {
  const edge = (of: Float32Array, to: number) => [of[to] - of[i], of[to + 1] - of[i + 1], of[to + 2] - of[i + 2]];
  const dot = (a: number[], b: number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const [u, v, w, z] = [edge(p, j), edge(p, k), edge(q, j), edge(q, k)];
  return [dot(u, w), (dot(u, z) + dot(v, w)) / 2, dot(v, z)];
}

// The eigenvalues of inverse(A) G, A the products before: squares of the principal stretches, if G are those after.
function squares([a, b, c]: [number, number, number], [d, e, f]: [number, number, number]): [number, number] {
  const area = a * c - b * b;
  if (!(area > 0)) return [1, 1];
  const half = (c * d - 2 * b * e + a * f) / (2 * area);
  const root = Math.sqrt(Math.max(0, half * half - (d * f - e * e) / area));
  return [half + root, half - root];
}

// The principal stretches of a triangle from x to y, less 1.
function stretches({ x, y, corners }: Edges): number[] {
  return squares(products(x, x, corners), products(y, y, corners)).map((s) => Math.sqrt(Math.max(0, s)) - 1);
}

// The principal strains of linear elasticity, which turns change: a modal body has no others.
function smallStrains({ x, y, corners }: Edges): number[] {
  const before = products(x, x, corners);
  const mixed = products(x, y, corners);
  return squares(before, [0, 1, 2].map((k) => 2 * mixed[k] - before[k]) as [number, number, number]).map(
    (s) => (s - 1) / 2,
  );
}

// Von Mises's stress under these strains, as if nothing pressed on the surface (plane stress).
function surfaceStress(strains: number[], young: number, poisson: number): number {
  const stiffness = young / (1 - poisson * poisson);
  const [p, q] = [0, 1].map((k) => stiffness * (strains[k] + poisson * strains[1 - k]));
  return Math.sqrt(p * p - p * q + q * q);
}

// A skin as one body has it now.
export class DeformedSkin {
  readonly geometry = new THREE.BufferGeometry();
  readonly creases = new THREE.BufferGeometry();
  displacement = 0; // the largest of a vertex, in the body's frame
  private readonly values: Float32Array; // one a vertex: what was painted last
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly colours: Float32Array;
  private amplitudes: Float32Array; // by which it was last deformed

  constructor(readonly skin: Skin) {
    this.positions = skin.rest.slice();
    this.normals = new Float32Array(skin.rest.length);
    this.colours = new Float32Array(skin.rest.length).fill(1);
    this.amplitudes = new Float32Array(skin.basis.length);
    this.values = new Float32Array(skin.rest.length / 3);
    const dynamic = (values: Float32Array) => new THREE.BufferAttribute(values, 3).setUsage(THREE.DynamicDrawUsage);
    const position = dynamic(this.positions);
    this.geometry.setAttribute("position", position);
    this.geometry.setAttribute("normal", dynamic(this.normals));
    this.geometry.setAttribute("color", dynamic(this.colours));
    this.geometry.setAttribute("edge", new THREE.BufferAttribute(new Float32Array(skin.rest.length).fill(1), 3));
    this.geometry.setIndex(new THREE.BufferAttribute(skin.triangles, 1));
    markPlaces(this.geometry, skin.rest);
    this.creases.setAttribute("position", position);
    this.creases.setIndex(new THREE.BufferAttribute(skin.creases, 1));
    this.findNormals();
  }

  // Says whether anything moved that one could see.
  deform(modes: Float32Array, first: number): boolean {
    const { basis, reach, size } = this.skin;
    let moved = false;
    for (let a = 0; a < basis.length; a++)
      moved ||= Math.abs(modes[first + a] - this.amplitudes[a]) * reach[a] > STILL * size;
    if (!moved) return false;
    this.amplitudes = modes.slice(first, first + basis.length);
    this.bend();
    this.measure();
    this.findNormals();
    this.touch("position");
    this.geometry.boundingSphere = this.geometry.boundingBox = null;
    return true;
  }

  // Four modes at a time: the vertices are read and written less often.
  private bend(): void {
    const { rest, basis, reach, size } = this.skin;
    const y = this.positions;
    const out = basis.map((_, a) => a).filter((a) => Math.abs(this.amplitudes[a]) * reach[a] > 0.1 * STILL * size);
    const mode = (i: number): [number, Float32Array] =>
      i < out.length ? [this.amplitudes[out[i]], basis[out[i]]] : [0, basis[0]];
    y.set(rest);
    for (let i = 0; i < out.length; i += 4) {
      const [[p, P], [q, Q], [r, R], [s, S]] = [mode(i), mode(i + 1), mode(i + 2), mode(i + 3)];
      for (let k = 0; k < y.length; k++) y[k] += p * P[k] + q * Q[k] + r * R[k] + s * S[k];
    }
  }

  private touch(name: string): void {
    (this.geometry.getAttribute(name) as THREE.BufferAttribute).needsUpdate = true;
  }

  private measure(): void {
    const { rest } = this.skin;
    const y = this.positions;
    let most = 0;
    for (let k = 0; k < y.length; k += 3)
      most = Math.max(most, (y[k] - rest[k]) ** 2 + (y[k + 1] - rest[k + 1]) ** 2 + (y[k + 2] - rest[k + 2]) ** 2);
    this.displacement = Math.sqrt(most);
  }

  private findNormals(): void {
    const { triangles } = this.skin;
    const [y, n] = [this.positions, this.normals];
    n.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const [i, j, k] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
      const bx = y[j] - y[i],
        by = y[j + 1] - y[i + 1],
        bz = y[j + 2] - y[i + 2];
      const cx = y[k] - y[i],
        cy = y[k + 1] - y[i + 1],
        cz = y[k + 2] - y[i + 2];
      const nx = by * cz - bz * cy,
        ny = bz * cx - bx * cz,
        nz = bx * cy - by * cx;
      n[i] += nx;
      n[i + 1] += ny;
      n[i + 2] += nz;
      n[j] += nx;
      n[j + 1] += ny;
      n[j + 2] += nz;
      n[k] += nx;
      n[k + 1] += ny;
      n[k + 2] += nz;
    }
    for (let v = 0; v < n.length; v += 3) {
      const scale = 1 / (Math.sqrt(n[v] * n[v] + n[v + 1] * n[v + 1] + n[v + 2] * n[v + 2]) || 1);
      n[v] *= scale;
      n[v + 1] *= scale;
      n[v + 2] *= scale;
    }
    this.touch("normal");
  }

  private findDisplacements(): void {
    const { rest } = this.skin;
    const y = this.positions;
    for (let v = 0, k = 0; v < this.values.length; v++, k += 3)
      this.values[v] = Math.hypot(y[k] - rest[k], y[k + 1] - rest[k + 1], y[k + 2] - rest[k + 2]);
  }

  // A vertex has the mean of its triangles.
  private findOnTriangles(of: (edges: Edges) => number): void {
    const { rest: x, triangles } = this.skin;
    const count = new Uint16Array(this.values.length);
    this.values.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const corners = triangles.subarray(t, t + 3);
      const [i, j, k] = corners;
      const value = of({ x, y: this.positions, corners: [3 * i, 3 * j, 3 * k] });
      for (const v of corners) {
        this.values[v] += value;
        count[v]++;
      }
    }
    for (let v = 0; v < count.length; v++) this.values[v] /= Math.max(1, count[v]);
  }

  // The largest of a quantity, which is what `paint` paints next.
  most(by: SkinQuantity): number {
    const { young, poisson, linear } = this.skin;
    const strains = linear ? smallStrains : stretches;
    if (by === "strain") this.findOnTriangles((edges) => Math.max(...stretches(edges).map(Math.abs)));
    else if (by === "stress") this.findOnTriangles((edges) => surfaceStress(strains(edges), young, poisson));
    else this.findDisplacements();
    return this.values.reduce((most, value) => Math.max(most, value), 0);
  }

  // By what was asked for last, `full` being the end of the scale; 0: in no colour of its own.
  paint(full: number): void {
    const colours = this.colours;
    if (!(full > 0)) colours.fill(1);
    for (let v = 0; v < this.values.length && full > 0; v++) colours.set(scaleColour(this.values[v] / full), 3 * v);
    this.touch("color");
  }

  // Where a point of a triangle lies in it.
  locate(triangle: number, point: THREE.Vector3): SkinPlace {
    const [a, b, c] = this.corners(triangle);
    const weights = THREE.Triangle.getBarycoord(point, a, b, c, new THREE.Vector3()) ?? new THREE.Vector3(1, 0, 0);
    return { triangle, weights: [weights.x, weights.y, weights.z] };
  }

  point({ triangle, weights }: SkinPlace): THREE.Vector3 {
    const at = new THREE.Vector3();
    this.corners(triangle).forEach((corner, k) => at.addScaledVector(corner, weights[k]));
    return at;
  }

  private corners(triangle: number): [THREE.Vector3, THREE.Vector3, THREE.Vector3] {
    const corner = (k: number) =>
      new THREE.Vector3().fromArray(this.positions, 3 * this.skin.triangles[3 * triangle + k]);
    return [corner(0), corner(1), corner(2)];
  }

  dispose(): void {
    this.geometry.dispose();
    this.creases.dispose();
  }
}
