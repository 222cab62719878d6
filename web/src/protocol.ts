// The wire between server and page: docs/viewer_protocol.md. Text is JSON, binary is frames (little-endian).

import type { JointType, ShapeNumbers, ShapeType } from "./world_types";

export const FRAME_MAGIC = 0x32464843; // 'CHF2'
export const FRAME_HEADER_BYTES = 52;
export const BODY_FLOATS = 7; // position, quaternion (w, x, y, z)
export const CONTACT_WORDS = 17;
export const STATS_BYTES = 48;

export type Vec3 = [number, number, number];

// ------------------------------------------------------------------------------------------------- server -> page, text

export interface Parameter {
  name: string;
  default: string | number;
  help?: string;
  lowest?: number;
  highest?: number;
  whole?: boolean;
  words?: string[] | string | null;
}

export interface GalleryEntry {
  name: string;
  title: string;
  parameters?: Parameter[];
}

export interface HelloMessage {
  type: "hello";
  version: number;
  scenes: GalleryEntry[];
  methods: string[];
  mode: "live" | "replay" | "follow"; // follow: another program steps
}

export interface Shape extends ShapeNumbers {
  type: ShapeType;
  at?: number[];
  orientation?: number[]; // w, x, y, z
  material?: string;
  vertices?: number[][];
  triangles?: number[][];
  like?: [number, number]; // body and shape whose vertices and triangles these are
  uv?: string; // places of the triangles' corners on a texture, v upwards: 6 floats a triangle in base64
  points?: number[][];
  modes?: number; // soft: how many amplitudes it has,
  first_mode?: number; // where they begin in a frame,
  young?: number; // Pa
  poisson?: number;
  linear?: boolean; // whether its law is that of small deformations
  basis?: string; // and how each moves the vertices: vertices x 3 x modes floats in base64
}

export interface Body {
  name: string;
  kind?: "dynamic" | "fixed" | "kinematic";
  fixed: boolean; // does not move, or as it is told
  mass: number | null;
  material?: string | null;
  look?: BodyLook;
  shapes: Shape[];
}

// What the scene says of how a body looks.
export interface BodyLook {
  colour?: string; // "#rrggbb"
  opacity?: number; // 0 to 1
  pattern?: "plain" | "checks" | "stripes" | "card";
  texture?: number; // of the scene's
  texture_size?: number; // m, after which it repeats itself; else it is as large as the shape
}

// Where the picture is taken from: a moment of a camera's path, or all of it.
export interface CameraKey {
  time?: number; // s
  at?: number[];
  target?: number[];
  fov?: number; // degrees
}

export interface CameraLook extends CameraKey {
  view?: "iso" | "front" | "top";
  follow?: number; // body
  orbit?: number; // degrees a second of the run
  keys?: CameraKey[];
}

// What the scene says of the picture as a whole.
export interface SceneLook {
  background?: string; // "#rrggbb"
  colour_by?: string;
  contacts?: boolean;
  chains?: boolean;
  camera?: CameraLook;
}

export interface Joint {
  name?: string;
  type: JointType;
  bodies: [number, number]; // -1: the world
  anchors: [number[], number[]]; // in each body's frame
  axes: [number[], number[]];
}

export interface Material {
  name: string;
  density: number | null;
  friction: [number, number];
  restitution: number;
}

export interface SceneMessage {
  type: "scene";
  generation: number;
  panes: number;
  pane: number;
  name: string; // of the scene
  scene?: string; // the word it was loaded by
  parameters?: Record<string, string | number>;
  until?: number | null; // s
  dimension: 2 | 3;
  gravity: number[];
  h: number;
  tolerance: number;
  contact?: string; // law of contact: rigid or compliant
  method: string;
  cone?: string;
  methods?: string[]; // a label for each pane
  materials?: Material[];
  bodies: Body[];
  joints: Joint[];
  bounds: [number[], number[]];
  run_bounds?: [number[], number[]]; // of a recording: what holds all that moves, for its whole run
  look?: SceneLook;
  textures?: (string | null)[]; // PNG files in base64
  periodic?: ([number, number] | null)[]; // axes along which the world repeats itself, m
}

// An echo of all settings, so that all browsers agree.
export interface StateMessage {
  type: "state";
  running: boolean;
  speed: number; // 0: as fast as it goes
  mu?: number | null;
  gravity?: number[];
  h?: number;
  tolerance?: number;
  pace?: "exact" | "fluent"; // late steps: the scene slows down, or they keep time with the best answer so far
  limit?: number | null; // hard limit on the time of a solve, s; null: it adapts
  method?: string;
  methods?: string[];
  cone?: string;
  rest?: boolean;
  compare?: boolean;
  shots?: number; // blocks shot since the start
  range?: [number, number]; // replay: first and last time, s
  over?: boolean; // follow: the simulation is no more
}

// The interaction loop over the last half second; null where there was no step.
export interface LoopMessage {
  type: "loop";
  steps_per_second?: number | null;
  met?: number | null; // share of steps whose certificate met the tolerance
  in_time?: number | null; // share of steps solved within the time limit
  met_in_time?: number | null; // share of steps that met both
  real_time_factor?: number | null;
  busy?: number | null; // share of the time spent on steps
  step_seconds?: number | null;
  slowest_step_seconds?: number | null;
  behind_seconds?: number | null; // of the clock, at the end of a step, at most
  limit?: number; // seconds that a step may take
  distance?: number | null; // compare mode: the largest between two centres, m
  watchers?: number;
}

export interface BodyMessage {
  type: "body";
  pane: number;
  index: number;
  name?: string;
  kind?: string;
  mass?: number | null;
  position?: number[];
  orientation?: number[]; // w, x, y, z
  velocity?: number[];
  omega?: number[];
  contact_force?: number[];
  contacts?: number;
  island?: number;
  time?: number;
  soft?: SoftState;
}

// Of a deformable body; a recording tells neither energy nor frequencies.
export interface SoftState {
  kind?: "modal" | "stvk";
  clamped?: boolean;
  modes: number;
  amplitudes: number[];
  frequencies?: number[]; // Hz
  elastic_energy?: number; // J
  least_volume?: number; // relative to the rest shape, where it is least; not above 0: turned inside out
}

export interface ContactMessage {
  type: "contact";
  pane: number;
  index: number;
  [figure: string]: unknown;
}

export interface ErrorMessage {
  type: "error";
  text: string;
}

export interface ProblemMessage {
  type: "problem";
  name: string;
  base64: string;
}

export type ServerMessage =
  | HelloMessage
  | SceneMessage
  | StateMessage
  | LoopMessage
  | BodyMessage
  | ContactMessage
  | ErrorMessage
  | ProblemMessage;

// Shapes that share a surface get the same arrays.
export function shareSurfaces(scene: SceneMessage): SceneMessage {
  for (const body of scene.bodies) {
    for (const shape of body.shapes ?? []) {
      const first = shape.like && scene.bodies[shape.like[0]]?.shapes[shape.like[1]];
      if (!first) continue;
      shape.vertices = first.vertices;
      shape.triangles = first.triangles;
      shape.uv = first.uv;
      shape.basis = first.basis;
    }
  }
  return scene;
}

// Of all deformable bodies together.
export function modeCount(scene: SceneMessage): number {
  return scene.bodies.reduce((n, body) => (body.shapes ?? []).reduce((m, shape) => m + (shape.modes ?? 0), n), 0);
}

const MESSAGE_TYPES = new Set(["hello", "scene", "state", "loop", "body", "contact", "error", "problem"]);

// Null for what is no message of this protocol: a newer server may say more than this page knows.
export function parseMessage(text: string): ServerMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const type = (value as { type?: unknown }).type;
  if (typeof type !== "string" || !MESSAGE_TYPES.has(type)) return null;
  const message = value as ServerMessage;
  return message.type === "scene" ? shareSurfaces(message) : message;
}

// ------------------------------------------------------------------------------------------------- page -> server, text

export type Command =
  | { type: "load"; scene: string; parameters?: Record<string, number | string> }
  | { type: "run" }
  | { type: "pause" }
  | { type: "step" }
  | { type: "reset" }
  | { type: "speed"; value: number }
  | { type: "set"; name: string; value: number | string | boolean | number[] | null }
  | { type: "drag"; pane: number; body: number; local: Vec3; target: Vec3; triangle?: number; weights?: Vec3 }
  | { type: "release" }
  | { type: "shoot"; origin: Vec3; direction: Vec3; speed: number; mass?: number; size?: number }
  | { type: "inspect"; pane?: number; body?: number; contact?: number }
  | { type: "compare"; methods: string[] }
  | { type: "seek"; time: number };

// ---------------------------------------------------------------------------------------------------------------- frames

export enum ContactStatus {
  Open = 0,
  Stick = 1,
  Slip = 2,
  Opening = 3,
  Roll = 4,
  Spin = 5,
}

export interface StepStats {
  time: number; // s
  natural: number; // certificate
  kinetic: number; // J
  potential: number; // J
  contacts: number;
  iterations: number;
  seconds: number; // processor time of that step
  missed: boolean;
  atRest: boolean;
  bounds: number; // what is out of bounds, whatever the certificate says: a sum of Bound
}

export enum Bound {
  Penetration = 1,
  Energy = 2,
  Motion = 4,
}

export interface Frame {
  generation: number;
  pane: number;
  time: number;
  step: number;
  running: boolean;
  bodies: number;
  contacts: number;
  poses: Float32Array; // BODY_FLOATS a body
  beside?: Frame | null; // of a recording: the frame after it, or before it at the end
  shifts?: Float32Array; // three a body, where it was put into the cell: what leads back
  modes: Float32Array; // amplitudes of all deformable bodies
  islands: Int32Array; // -1: fixed
  contactFloats: Float32Array; // CONTACT_WORDS a contact; the last three words are integers, see contactInts
  contactInts: Int32Array; // the same memory
  stats: StepStats[];
}

export interface Contact {
  point: Vec3;
  normal: Vec3;
  force: Vec3;
  slip: Vec3;
  gap: number;
  mu: number;
  bodies: [number, number];
  status: ContactStatus;
}

export function readStats(view: DataView, from: number, count: number): StepStats[] {
  const stats: StepStats[] = [];
  for (let i = 0; i < count; i++) {
    const at = from + i * STATS_BYTES;
    const flags = view.getFloat32(at + 44, true);
    stats.push({
      time: view.getFloat64(at, true),
      natural: view.getFloat64(at + 8, true),
      kinetic: view.getFloat64(at + 16, true),
      potential: view.getFloat64(at + 24, true),
      contacts: view.getFloat32(at + 32, true),
      iterations: view.getFloat32(at + 36, true),
      seconds: view.getFloat32(at + 40, true),
      missed: (flags & 1) !== 0,
      atRest: (flags & 2) !== 0,
      bounds: (flags >> 2) & 7,
    });
  }
  return stats;
}

// Null where the bytes are no frame. The arrays look into `buffer` (browsers are little-endian), nothing is copied.
export function decodeFrame(buffer: ArrayBuffer): Frame | null {
  if (buffer.byteLength < FRAME_HEADER_BYTES || buffer.byteLength % 4 !== 0) return null;
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== FRAME_MAGIC || view.getUint32(4, true) !== 1) return null;
  const bodies = view.getUint32(32, true);
  const contacts = view.getUint32(36, true);
  const steps = view.getUint32(40, true);
  const modes = view.getUint32(48, true);
  const modesAt = FRAME_HEADER_BYTES + 4 * BODY_FLOATS * bodies;
  const islandsAt = modesAt + 4 * modes;
  const contactsAt = islandsAt + 4 * bodies;
  const statsAt = contactsAt + 4 * CONTACT_WORDS * contacts;
  if (statsAt + STATS_BYTES * steps !== buffer.byteLength) return null;
  return {
    generation: view.getUint32(8, true),
    pane: view.getUint32(12, true),
    time: view.getFloat64(16, true),
    step: Number(view.getBigUint64(24, true)),
    running: (view.getUint32(44, true) & 1) !== 0,
    bodies,
    contacts,
    poses: new Float32Array(buffer, FRAME_HEADER_BYTES, BODY_FLOATS * bodies),
    modes: new Float32Array(buffer, modesAt, modes),
    islands: new Int32Array(buffer, islandsAt, bodies),
    contactFloats: new Float32Array(buffer, contactsAt, CONTACT_WORDS * contacts),
    contactInts: new Int32Array(buffer, contactsAt, CONTACT_WORDS * contacts),
    stats: readStats(view, statsAt, steps),
  };
}

export function frameContact(frame: Frame, index: number): Contact {
  const at = index * CONTACT_WORDS;
  const f = frame.contactFloats;
  const i = frame.contactInts;
  const three = (k: number): Vec3 => [f[at + k], f[at + k + 1], f[at + k + 2]];
  return {
    point: three(0),
    normal: three(3),
    force: three(6),
    slip: three(9),
    gap: f[at + 12],
    mu: f[at + 13],
    bodies: [i[at + 14], i[at + 15]],
    status: i[at + 16] as ContactStatus,
  };
}
