// The shapes that come as numbers, one row each: how far they reach, and of which pieces they are drawn. The rows are
// those of ../world_types: a shape that is missing here does not compile.
import * as THREE from "three";
import { bytesOf } from "../bytes";
import type { Shape } from "../protocol";
import { SHAPES, type NamedShape } from "../world_types";
import {
  boxGeometry,
  chainGeometry,
  cylinderGeometry,
  diskGeometry,
  polygonGeometry,
  rectangleGeometry,
  triangleGeometry,
} from "./geometry";

export interface Piece {
  key: string; // shapes of one key share a geometry
  make: () => THREE.BufferGeometry;
  size: THREE.Vector3;
  at?: THREE.Vector3; // in the shape's frame
}

interface Form {
  half: (shape: Shape) => THREE.Vector3; // half extents
  pieces: (shape: Shape, planar: boolean, ball: Piece["make"]) => Piece[];
}

export const v3 = (v: number[] | undefined, otherwise = 0): THREE.Vector3 =>
  new THREE.Vector3(v?.[0] ?? otherwise, v?.[1] ?? otherwise, v?.[2] ?? otherwise);

const cube = (x: number): THREE.Vector3 => new THREE.Vector3(x, x, x);
const radius = (shape: Shape): number => shape.radius ?? 0;
const long = (shape: Shape): THREE.Vector3 => new THREE.Vector3(radius(shape), radius(shape), shape.half_length ?? 0);
const half = (shape: Shape): THREE.Vector3 => v3(shape.half);
const round = (shape: Shape): THREE.Vector3 => cube(radius(shape));

const FORMS: Record<NamedShape, Form> = {
  sphere: { half: round, pieces: (shape, _, make) => [{ key: "ball", make, size: round(shape) }] },
  ellipsoid: { half, pieces: (shape, _, make) => [{ key: "ball", make, size: half(shape) }] },
  cylinder: {
    half: long,
    pieces: (shape) => [{ key: "cylinder", make: () => cylinderGeometry(false), size: long(shape) }],
  },
  capsule: {
    half: (shape) => long(shape).setZ((shape.half_length ?? 0) + radius(shape)),
    pieces: (shape, _, make) => [
      { key: "tube", make: () => cylinderGeometry(true), size: long(shape) },
      { key: "ball", make, size: round(shape), at: new THREE.Vector3(0, 0, shape.half_length ?? 0) },
      { key: "ball", make, size: round(shape), at: new THREE.Vector3(0, 0, -(shape.half_length ?? 0)) },
    ],
  },
  box: {
    half,
    pieces: (shape, planar) =>
      planar
        ? [{ key: "rectangle", make: rectangleGeometry, size: half(shape).setZ(1) }]
        : [{ key: "box", make: boxGeometry, size: half(shape) }],
  },
  disk: { half: round, pieces: (shape) => [{ key: "disk", make: diskGeometry, size: round(shape).setZ(1) }] },
  ellipse: { half, pieces: (shape) => [{ key: "disk", make: diskGeometry, size: half(shape).setZ(1) }] },
};

function formOf(shape: Shape): Form | undefined {
  const { named, endless } = SHAPES[shape.type];
  return named && !endless ? FORMS[shape.type as NamedShape] : undefined;
}

// Half extents of a shape that comes as numbers; null for the others.
export function halfExtents(shape: Shape): THREE.Vector3 | null {
  return formOf(shape)?.half(shape) ?? null;
}

// Many shapes may share one array, which is then written once.
const texts = new WeakMap<number[][], string>();
function textOf(points: number[][] | undefined): string {
  if (!points) return "";
  const known = texts.get(points) ?? JSON.stringify(points);
  texts.set(points, known);
  return known;
}

function placesOf(uv: string | undefined): Float32Array | undefined {
  const bytes = uv === undefined ? null : bytesOf(uv);
  return bytes && bytes.length % 4 === 0 ? new Float32Array(bytes.buffer) : undefined;
}

// What is not known by its numbers is a surface (vertices and triangles) or a polyline (points), which is drawn as a band.
export function pieces(shape: Shape, planar: boolean, ball: Piece["make"], band: number): Piece[] {
  const form = formOf(shape);
  if (form) return form.pieces(shape, planar, ball);
  const { vertices, triangles, points, uv } = shape;
  const key = `${shape.type}${textOf(vertices ?? points)}`;
  if (points) return [{ key, make: () => chainGeometry(points, band), size: cube(1) }];
  if (vertices && triangles) return [{ key, make: () => triangleGeometry(vertices, triangles, placesOf(uv)), size: cube(1) }];
  return vertices ? [{ key, make: () => polygonGeometry(vertices), size: cube(1) }] : [];
}
