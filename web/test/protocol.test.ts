import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CONTACT_WORDS,
  ContactStatus,
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  STATS_BYTES,
  decodeFrame,
  frameContact,
  parseMessage,
} from "../src/protocol";

const MODES = 2;

// A frame of one body of two modes, one contact (so that the stats lie at an odd multiple of four bytes) and two steps.
function sample(): ArrayBuffer {
  const buffer = new ArrayBuffer(FRAME_HEADER_BYTES + 32 + 4 * MODES + 4 * CONTACT_WORDS + 2 * STATS_BYTES);
  const view = new DataView(buffer);
  [FRAME_MAGIC, 1, 7, 1].forEach((word, i) => view.setUint32(4 * i, word, true));
  view.setFloat64(16, 2.5, true);
  view.setBigUint64(24, 2500n, true);
  [1, 1, 2, 1].forEach((word, i) => view.setUint32(32 + 4 * i, word, true));
  view.setUint32(48, MODES, true);
  [1, 2, 3, 1, 0, 0, 0, 0.5, -0.25].forEach((x, i) => view.setFloat32(52 + 4 * i, x, true));
  view.setInt32(88, -1, true);
  for (let i = 0; i < 14; i++) view.setFloat32(92 + 4 * i, i, true);
  [4, -1, 2].forEach((word, i) => view.setInt32(92 + 56 + 4 * i, word, true));
  for (let s = 0; s < 2; s++) {
    const at = 92 + 4 * CONTACT_WORDS + s * STATS_BYTES;
    [2.4 + s, 1e-9, 3, 4].forEach((x, i) => view.setFloat64(at + 8 * i, x, true));
    [12, 5, 0.25, s === 0 ? 1 : 2].forEach((x, i) => view.setFloat32(at + 32 + 4 * i, x, true));
  }
  return buffer;
}

test("a frame is read as it was written", () => {
  const frame = decodeFrame(sample());
  assert.ok(frame);
  assert.deepEqual([frame.generation, frame.pane, frame.time, frame.step, frame.running], [7, 1, 2.5, 2500, true]);
  assert.deepEqual([...frame.poses], [1, 2, 3, 1, 0, 0, 0]);
  assert.deepEqual([...frame.modes], [0.5, -0.25]);
  assert.deepEqual([...frame.islands], [-1]);
  const contact = frameContact(frame, 0);
  assert.deepEqual(contact.force, [6, 7, 8]);
  assert.deepEqual([contact.gap, contact.mu, contact.status], [12, 13, ContactStatus.Slip]);
  assert.deepEqual(contact.bodies, [4, -1]);
  assert.equal(frame.stats.length, 2);
  assert.deepEqual(
    frame.stats.map((s) => [s.time, s.natural, s.missed, s.atRest]),
    [
      [2.4, 1e-9, true, false],
      [3.4, 1e-9, false, true],
    ],
  );
});

test("what is no frame is refused, whatever its length", () => {
  const whole = sample();
  for (let bytes = 0; bytes < whole.byteLength; bytes++) assert.equal(decodeFrame(whole.slice(0, bytes)), null);
  for (const at of [32, 36, 40, 48]) {
    const longer = whole.slice(0);
    new DataView(longer).setUint32(at, 0xffffffff, true);
    assert.equal(decodeFrame(longer), null);
  }
});

test("text that is no message is refused", () => {
  for (const text of ["", "{", "null", "3", "[]", '{"type":3}', '{"type":"surprise"}'])
    assert.equal(parseMessage(text), null);
  assert.deepEqual(parseMessage('{"type":"error","text":"no"}'), { type: "error", text: "no" });
});

test("shapes that share a surface get the same arrays", () => {
  const surface = { type: "mesh", vertices: [[0, 0, 0]], triangles: [[0, 0, 0]] };
  const bodies = [{ shapes: [{ type: "box" }, surface] }, { shapes: [{ type: "mesh", like: [0, 1] }] }];
  const message = parseMessage(JSON.stringify({ type: "scene", bodies }));
  assert.ok(message?.type === "scene");
  assert.equal(message.bodies[1].shapes[0].vertices, message.bodies[0].shapes[1].vertices);
  assert.deepEqual(message.bodies[1].shapes[0].triangles, [[0, 0, 0]]);
});
