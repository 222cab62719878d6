// How large things are: boxes around shapes, in the body's frame and in the world.
import * as THREE from "three";
import { BODY_FLOATS, type Body, type Frame, type SceneMessage, type Shape } from "../protocol";
import { JOINTS, SHAPES } from "../world_types";
import { halfExtents, v3 } from "./forms";

export { v3 };

// Wire order is w, x, y, z.
export const quaternion = (q: ArrayLike<number> | undefined, at = 0): THREE.Quaternion =>
  q ? new THREE.Quaternion(q[at + 1], q[at + 2], q[at + 3], q[at]) : new THREE.Quaternion();

const LARGE = 1.8; // times what moves: beyond that, what is fixed is cut above it, or is no part of the picture
const ABOVE = 0.3; // of the height of what moves, at which walls are cut
const WIDE = 2.4; // what is cut may be so large
const FAR = 1; // diagonals of what moves at the start

export const isEndless = (shape: Shape): boolean => SHAPES[shape.type].endless;

// Of the shape in its own frame; empty for an endless one.
function ownBox(shape: Shape): THREE.Box3 {
  const box = new THREE.Box3();
  const points = shape.vertices ?? shape.points;
  if (isEndless(shape)) return box;
  if (points) return box.setFromPoints(points.map((p) => v3(p)));
  const half = halfExtents(shape);
  return half ? new THREE.Box3(half.clone().negate(), half) : box;
}

export function shapeBox(shape: Shape): THREE.Box3 {
  const box = ownBox(shape);
  if (box.isEmpty()) return box;
  return box.applyMatrix4(
    new THREE.Matrix4().compose(v3(shape.at), quaternion(shape.orientation), new THREE.Vector3(1, 1, 1)),
  );
}

export function bodyBox(body: Body): THREE.Box3 {
  return body.shapes.reduce((box, shape) => box.union(shapeBox(shape)), new THREE.Box3());
}

export function bodyMatrix(frame: Frame, body: number, out = new THREE.Matrix4()): THREE.Matrix4 {
  const at = BODY_FLOATS * body;
  return out.compose(
    new THREE.Vector3(frame.poses[at], frame.poses[at + 1], frame.poses[at + 2]),
    quaternion(frame.poses, at + 3),
    new THREE.Vector3(1, 1, 1),
  );
}

export function sceneBox(scene: SceneMessage): THREE.Box3 {
  const box = new THREE.Box3(v3(scene.bounds[0]), v3(scene.bounds[1]));
  const fine = Number.isFinite(box.min.length()) && Number.isFinite(box.max.length()) && !box.isEmpty();
  return fine ? box : new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
}

// Joints to the world, and as far around them as their bodies reach: a pendulum stays in the picture.
function addSwings(box: THREE.Box3, scene: SceneMessage, frame: Frame): void {
  for (const joint of scene.joints) {
    const side = joint.bodies[0] < 0 || scene.bodies[joint.bodies[0]]?.fixed ? 1 : 0;
    const [body, other] = [joint.bodies[side], joint.bodies[1 - side]];
    if (body < 0 || body >= frame.bodies || scene.bodies[body].fixed || !(other < 0 || scene.bodies[other].fixed))
      continue;
    const anchor = v3(joint.anchors[side]);
    const own = bodyBox(scene.bodies[body]);
    const reach = own.isEmpty() ? anchor.length() : Math.max(own.min.distanceTo(anchor), own.max.distanceTo(anchor));
    const at = anchor.applyMatrix4(bodyMatrix(frame, body));
    box.expandByPoint(at);
    const { freedoms } = JOINTS[joint.type];
    if (freedoms.length > 0 && freedoms.every((unit) => unit === "radian"))
      box.expandByPoint(at.setComponent(scene.dimension - 1, at.getComponent(scene.dimension - 1) - reach));
  }
}

// Where walls that reach far above what moves are cut in the picture, z; null where none does, and in the plane.
export function cutOf(scene: SceneMessage, frame: Frame): number | null {
  if (scene.dimension === 2) return null;
  const moving = movingBox(scene, frame);
  const whole = moving.clone().union(runBox(scene, moving));
  const size = whole.getSize(new THREE.Vector3());
  const cut = whole.max.z + ABOVE * Math.max(size.z, 0.5 * Math.max(size.x, size.y));
  const tall = scene.bodies.some((body, b) => {
    if (!body.fixed || b >= frame.bodies || body.shapes.some(isEndless)) return false;
    const own = bodyBox(body).applyMatrix4(bodyMatrix(frame, b));
    return own.intersectsBox(whole) && own.max.z > cut && own.getSize(new THREE.Vector3()).length() >= LARGE * size.length();
  });
  return tall ? cut : null;
}

// What does not move belongs into the picture too, unless it is far larger than what moves: vessels, not floors.
export function pictureBox(scene: SceneMessage, frame: Frame): THREE.Box3 {
  const moving = movingBox(scene, frame);
  const box = moving.clone().union(runBox(scene, moving));
  const size = moving.getSize(new THREE.Vector3()).length();
  const cut = cutOf(scene, frame);
  scene.bodies.forEach((body, b) => {
    if (!body.fixed || b >= frame.bodies || body.shapes.some(isEndless)) return;
    const own = bodyBox(body).applyMatrix4(bodyMatrix(frame, b));
    const short = cut !== null && own.max.z > cut;
    if (short) own.max.z = cut;
    if (own.getSize(new THREE.Vector3()).length() < (short ? WIDE : LARGE) * size) box.union(own);
  });
  return box;
}

// Of a recording: where bodies move for its whole run, as far as one still sees them there.
function runBox(scene: SceneMessage, moving: THREE.Box3): THREE.Box3 {
  if (!scene.run_bounds) return new THREE.Box3();
  const box = new THREE.Box3(v3(scene.run_bounds[0]), v3(scene.run_bounds[1]));
  const fine = Number.isFinite(box.min.length()) && Number.isFinite(box.max.length());
  return fine ? box.intersect(roomAround(moving)) : new THREE.Box3();
}

// How far from where it began a body may get before the picture lets it go.
export function roomAround(box: THREE.Box3): THREE.Box3 {
  return box.clone().expandByScalar(FAR * box.getSize(new THREE.Vector3()).length());
}

const boxes = new WeakMap<Body, THREE.Box3>();
function knownBox(body: Body): THREE.Box3 {
  const known = boxes.get(body) ?? bodyBox(body);
  boxes.set(body, known);
  return known;
}

// Where the bodies that move are now, but for those beyond `room`.
export function movingBox(scene: SceneMessage, frame: Frame, room?: THREE.Box3): THREE.Box3 {
  const box = new THREE.Box3();
  const matrix = new THREE.Matrix4();
  const centre = new THREE.Vector3();
  scene.bodies.forEach((body, b) => {
    if (body.fixed || b >= frame.bodies) return;
    bodyMatrix(frame, b, matrix);
    centre.setFromMatrixPosition(matrix);
    if (room && !room.containsPoint(centre)) return;
    const own = knownBox(body);
    if (own.isEmpty()) box.expandByPoint(centre);
    else box.union(own.clone().applyMatrix4(matrix));
  });
  if (!room) addSwings(box, scene, frame);
  return Number.isFinite(box.min.length()) && Number.isFinite(box.max.length()) && !box.isEmpty()
    ? box
    : sceneBox(scene);
}
