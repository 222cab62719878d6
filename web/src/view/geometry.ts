// Shapes as triangles, each in a unit size that instances scale. Every geometry carries, beside its normals,
//   color  a faint pattern on round things, by which one sees them turn
//   edge   barycentric coordinates whose zero is a real edge of the shape (those of mere triangulation are lifted to 1),
//          so that one shader draws crisp outlines on everything
import * as THREE from "three";
import { mergeVertices } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const FEATURE = Math.cos((30 * Math.PI) / 180); // faces that meet at more than this angle have an edge between them
const FAINT = 0.84;
const PAINTED = 2; // as `edge`: no edges, and alternate eighths are a little darker

function key(p: THREE.BufferAttribute | THREE.InterleavedBufferAttribute, i: number, unit: number): string {
  return `${Math.round(p.getX(i) / unit)},${Math.round(p.getY(i) / unit)},${Math.round(p.getZ(i) / unit)}`;
}

function faceNormals(position: THREE.BufferAttribute | THREE.InterleavedBufferAttribute): THREE.Vector3[] {
  const normals: THREE.Vector3[] = [];
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  for (let i = 0; i < position.count; i += 3) {
    a.fromBufferAttribute(position, i);
    b.fromBufferAttribute(position, i + 1).sub(a);
    c.fromBufferAttribute(position, i + 2).sub(a);
    normals.push(b.clone().cross(c).normalize());
  }
  return normals;
}

// Adds `edge`; expects triangles without an index.
export function markEdges(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const position = geometry.getAttribute("position");
  geometry.computeBoundingSphere();
  const unit = 1e-5 * Math.max(geometry.boundingSphere?.radius ?? 1, 1e-12);
  const normals = faceNormals(position);
  const corner = Array.from({ length: position.count }, (_, i) => key(position, i, unit));
  const name = (i: number, j: number) =>
    corner[i] < corner[j] ? `${corner[i]}|${corner[j]}` : `${corner[j]}|${corner[i]}`;
  const faces = new Map<string, number[]>();
  const opposite = (vertex: number): [number, number] => {
    const first = vertex - (vertex % 3);
    return [first + ((vertex + 1) % 3), first + ((vertex + 2) % 3)];
  };
  for (let v = 0; v < position.count; v++) {
    const [i, j] = opposite(v);
    const list = faces.get(name(i, j));
    if (list) list.push(Math.floor(v / 3));
    else faces.set(name(i, j), [Math.floor(v / 3)]);
  }
  const edge = new Float32Array(3 * position.count);
  for (let v = 0; v < position.count; v++) {
    const first = v - (v % 3);
    const list = faces.get(name(...opposite(v))) ?? [];
    const real = list.length !== 2 || normals[list[0]].dot(normals[list[1]]) < FEATURE;
    for (let k = 0; k < 3; k++) edge[3 * (first + k) + (v % 3)] = real && first + k !== v ? 0 : 1;
  }
  geometry.setAttribute("edge", new THREE.BufferAttribute(edge, 3));
  return geometry;
}

function fillAttribute(geometry: THREE.BufferGeometry, name: string, value: number): THREE.BufferGeometry {
  const values = new Float32Array(3 * geometry.getAttribute("position").count).fill(value);
  geometry.setAttribute(name, new THREE.BufferAttribute(values, 3));
  return geometry;
}

// Alternate quarters about z are a little darker.
function paintQuarters(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const p = geometry.getAttribute("position");
  const colour = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i += 3) {
    const middle = (axis: (k: number) => number) => axis(i) + axis(i + 1) + axis(i + 2);
    const sign = middle((k) => p.getX(k)) * middle((k) => p.getY(k));
    colour.fill(sign > 0 ? 1 : FAINT, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colour, 3));
  return geometry;
}

function flat(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const triangles = geometry.index ? geometry.toNonIndexed() : geometry;
  triangles.deleteAttribute("uv");
  return triangles;
}

// Corners are shared, for there may be ten thousand of them; the shader paints the eighths.
export function sphereGeometry(detail: number): THREE.BufferGeometry {
  const rough = new THREE.OctahedronGeometry(1, detail);
  rough.deleteAttribute("uv");
  rough.deleteAttribute("normal");
  const ball = mergeVertices(rough, 1e-5);
  ball.setAttribute("normal", ball.getAttribute("position").clone()); // smooth, however coarse the triangles
  return fillAttribute(fillAttribute(ball, "color", 1), "edge", PAINTED);
}

export function boxGeometry(): THREE.BufferGeometry {
  return fillAttribute(markEdges(flat(new THREE.BoxGeometry(2, 2, 2))), "color", 1);
}

export function cylinderGeometry(open: boolean): THREE.BufferGeometry {
  const tube = flat(new THREE.CylinderGeometry(1, 1, 2, 32, 1, open).rotateX(Math.PI / 2));
  return open ? fillAttribute(paintQuarters(tube), "edge", 1) : paintQuarters(markEdges(tube));
}

export function diskGeometry(): THREE.BufferGeometry {
  return paintQuarters(markEdges(flat(new THREE.CircleGeometry(1, 64))));
}

export function rectangleGeometry(): THREE.BufferGeometry {
  return fillAttribute(markEdges(flat(new THREE.PlaneGeometry(2, 2))), "color", 1);
}

function fromTriangles(positions: number[]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
  geometry.computeVertexNormals();
  return fillAttribute(markEdges(geometry), "color", 1);
}

const coordinate = (v: number[]): [number, number, number] => [v[0] ?? 0, v[1] ?? 0, v[2] ?? 0];

// Adds `own`, the place within the box of a shape that is drawn in its own size, from -1 to 1 along each side, and keeps
// half the sides.
export function markPlaces(geometry: THREE.BufferGeometry, rest?: Float32Array): THREE.BufferGeometry {
  const at = rest ?? (geometry.getAttribute("position").array as Float32Array);
  const box = new THREE.Box3().setFromArray(at);
  const centre = box.getCenter(new THREE.Vector3()).toArray();
  const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
  const wide = half.toArray().map((x) => x || 1);
  const own = Float32Array.from(at, (x, k) => (x - centre[k % 3]) / wide[k % 3]);
  geometry.setAttribute("own", new THREE.BufferAttribute(own, 3));
  geometry.userData.half = half;
  return geometry;
}

// `uv`: places of the corners on a texture.
export function triangleGeometry(vertices: number[][], triangles: number[][], uv?: Float32Array): THREE.BufferGeometry {
  const geometry = fromTriangles(triangles.flatMap((t) => t.flatMap((i) => coordinate(vertices[i] ?? []))));
  if (uv && uv.length === 6 * triangles.length) geometry.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
  return markPlaces(geometry);
}

// Convex, counter-clockwise.
export function polygonGeometry(points: number[][]): THREE.BufferGeometry {
  const positions: number[] = [];
  for (let i = 1; i + 1 < points.length; i++) {
    positions.push(...coordinate(points[0]), ...coordinate(points[i]), ...coordinate(points[i + 1]));
  }
  return markPlaces(fromTriangles(positions));
}

// A chain is solid on the right of its direction: it is drawn as a band of the given width on that side.
export function chainGeometry(points: number[][], width: number): THREE.BufferGeometry {
  const positions: number[] = [];
  for (let i = 0; i + 1 < points.length; i++) {
    const [ax, ay] = coordinate(points[i]);
    const [bx, by] = coordinate(points[i + 1]);
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const [rx, ry] = [((by - ay) / length) * width, (-(bx - ax) / length) * width];
    positions.push(ax, ay, 0, ax + rx, ay + ry, 0, bx, by, 0, bx, by, 0, ax + rx, ay + ry, 0, bx + rx, by + ry, 0);
  }
  return fromTriangles(positions);
}
