import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CONTACT_WORDS, type Contact, type Frame } from "../src/protocol";
import { continueContact } from "../src/ui/inspector";
import { hasDrawing } from "../src/ui/thumbnails";

test("every built-in scene has its drawing in the gallery", () => {
  const header = readFileSync(`${process.env.CH_SOURCE ?? ".."}/src/scene/builtin/builtin.h`, "utf8");
  const list = /define CH_BUILTIN_LIST\(X\)([\s\S]*?)\/\/ clang-format on/.exec(header)?.[1] ?? "";
  const names = [...list.matchAll(/X\((\w+)\)/g)].map((match) => match[1].replaceAll("_", "-"));
  assert.ok(names.length >= 15);
  for (const name of names) assert.ok(hasDrawing(name), name);
});

function frameOf(contacts: { point: number[]; bodies: number[] }[]): Frame {
  const buffer = new ArrayBuffer(4 * CONTACT_WORDS * contacts.length);
  const [floats, ints] = [new Float32Array(buffer), new Int32Array(buffer)];
  contacts.forEach((c, k) => {
    floats.set(c.point, CONTACT_WORDS * k);
    ints.set(c.bodies, CONTACT_WORDS * k + 14);
  });
  return { contacts: contacts.length, contactFloats: floats, contactInts: ints } as unknown as Frame;
}

test("a contact is found again by its bodies and the nearest point, whatever its number", () => {
  const old = { point: [1, 0, 0], bodies: [2, 5] } as unknown as Contact;
  const frame = frameOf([
    { point: [1, 0, 0], bodies: [2, 4] },
    { point: [3, 0, 0], bodies: [2, 5] },
    { point: [1.1, 0, 0], bodies: [2, 5] },
  ]);
  assert.equal(continueContact(frame, old), 2);
  assert.equal(continueContact(frameOf([{ point: [1, 0, 0], bodies: [5, 2] }]), old), -1);
});
