// Recordings: what was packed comes out again, whatever moment is asked for.
import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { between, Recording, unpackBlock, type RecordingHead } from "../src/recording";
import { ReplaySource } from "../src/replay";
import type { Frame, ServerMessage } from "../src/protocol";

const BODIES = 2;
const MODES = 3;

interface Plain {
  time: number;
  words: Uint32Array; // 8 a body, one a mode
  contacts: Uint32Array; // 17 a contact
}

function plain(k: number): Plain {
  const words = new Uint32Array(8 * BODIES + MODES);
  const floats = new Float32Array(words.buffer);
  for (let b = 0; b < BODIES; b++) floats.set([k, b, 0.5 * k, Math.cos(0.1 * k), 0, 0, Math.sin(0.1 * k)], 7 * b);
  floats.set([k, -k, 0.125], 7 * BODIES);
  new Int32Array(words.buffer, 4 * (7 * BODIES + MODES)).set([-1, k]);
  const contacts = new Uint32Array(17 * (k % 3));
  new Float32Array(contacts.buffer).fill(k + 0.25);
  return { time: 0.1 * k, words, contacts };
}

function pack(frames: Plain[]): Buffer {
  const n = frames.length;
  const words: number[] = [];
  for (const part of ["words", "contacts"] as const) {
    frames.forEach((frame, f) => {
      const before = f > 0 ? frames[f - 1][part] : new Uint32Array();
      frame[part].forEach((word, k) => words.push(k < before.length ? (word ^ before[k]) >>> 0 : word));
    });
  }
  const head = Buffer.alloc(16 * n);
  frames.forEach((frame, f) => {
    head.writeDoubleLE(frame.time, 8 * f);
    head.writeUInt32LE(Math.round(100 * frame.time), 8 * n + 4 * f);
    head.writeUInt32LE(frame.contacts.length / 17, 12 * n + 4 * f);
  });
  const planes = Buffer.alloc(4 * words.length);
  words.forEach((word, k) => [0, 1, 2, 3].forEach((p) => (planes[p * words.length + k] = (word >>> (8 * p)) & 255)));
  return Buffer.concat([head, planes]);
}

function arrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function check(frame: Frame, k: number): void {
  const wanted = plain(k);
  assert.ok(Math.abs(frame.time - wanted.time) < 1e-12);
  assert.deepEqual([...frame.poses], [...new Float32Array(wanted.words.buffer, 0, 7 * BODIES)]);
  assert.deepEqual([...frame.modes], [k, -k, 0.125]);
  assert.deepEqual([...frame.islands], [-1, k]);
  assert.equal(frame.contacts, k % 3);
  assert.ok(frame.contactFloats.every((value) => value === k + 0.25));
}

test("a block comes out as it was packed", () => {
  const frames = Array.from({ length: 7 }, (_, k) => plain(k));
  unpackBlock(arrayBuffer(pack(frames)), 7, BODIES, MODES, 1).forEach((frame, k) => check(frame, k));
});

test("a block of another length is refused", () => {
  const bytes = pack([plain(1), plain(2)]);
  assert.throws(() => unpackBlock(arrayBuffer(bytes.subarray(0, bytes.length - 1)), 2, BODIES, MODES, 1));
});

// Ten frames a second, in blocks of four, for one second.
function recording(): Recording {
  const groups = [0, 4, 8].map((from) => Array.from({ length: Math.min(4, 11 - from) }, (_, k) => plain(from + k)));
  const head = {
    version: 2,
    hello: { type: "hello", version: 1, scenes: [], methods: [], mode: "replay" },
    scene: { type: "scene", generation: 1, bodies: [{ name: "a", shapes: [] }, { name: "b", shapes: [{ type: "soft", modes: MODES, first_mode: 0 }] }], tolerance: 1e-8 },
    contacts: true,
    blocks: groups.map((frames) => ({ from: frames[0].time, frames: frames.length, size: 0 })),
  } as unknown as RecordingHead;
  const texts: Record<string, string> = { stats: deflateSync(Buffer.alloc(96)).toString("base64") };
  groups.forEach((frames, k) => (texts[k] = deflateSync(pack(frames)).toString("base64")));
  return new Recording(head, (name) => texts[name]);
}

test("a moment finds its frame and the next one, also across blocks", async () => {
  const r = recording();
  for (let k = 0; k <= 10; k++) {
    const { frame, next } = await r.at(0.1 * k + 0.05);
    check(frame, k);
    if (k < 10) check(next as Frame, k + 1);
    else assert.equal(next, null);
  }
  check((await r.at(-5)).frame, 0);
  assert.ok(Math.abs((await r.last()) - 1) < 1e-12);
  assert.equal((await r.stats()).length, 2);
});

test("between two frames positions go straight and turns keep their length", async () => {
  const r = recording();
  const { frame, next } = await r.at(0.31);
  const half = between(frame, next as Frame, 0.35);
  assert.ok(Math.abs(half.poses[0] - 3.5) < 1e-6 && Math.abs(half.modes[1] + 3.5) < 1e-6);
  assert.ok(Math.abs(Math.hypot(...half.poses.subarray(3, 7)) - 1) < 1e-6);
});

test("a source tells hello, scene, state and then frames, and goes where it is sent", async () => {
  const messages: ServerMessage[] = [];
  const frames: Frame[] = [];
  const source = new ReplaySource(recording());
  await source.start({ message: (m) => messages.push(m), frame: (f) => frames.push(f), connection: () => undefined });
  assert.deepEqual(
    messages.map((m) => m.type),
    ["hello", "scene", "state"],
  );
  assert.equal(frames[0].stats.length, 2);
  await source.seek(0.72);
  check({ ...frames[frames.length - 1] }, 7);
  source.send({ type: "inspect", body: 1 });
  const told = messages[messages.length - 1];
  assert.ok(told.type === "body" && told.name === "b");
  assert.deepEqual(told.soft?.amplitudes, [7, -7, 0.125]);
  await source.seek(99);
  check(frames[frames.length - 1], 10);
});
