import assert from "node:assert/strict";
import { test } from "node:test";
import { niceBelow, number, printable, quantity, title, vector } from "../src/format";

test("a round number below is 1, 2 or 5 times a power of ten", () => {
  for (const [x, round] of [
    [1, 1],
    [1.99, 1],
    [2, 2],
    [4.9, 2],
    [5, 5],
    [9.99, 5],
    [0.031, 0.02],
    [740, 500],
  ]) {
    assert.ok(Math.abs(niceBelow(x) - round) < 1e-12 * round, `${x}`);
  }
  for (const x of [0, -1, NaN, Infinity]) assert.equal(niceBelow(x), 1);
});

test("numbers have three digits, and a power of ten where they are far from one", () => {
  assert.equal(number(0), "0");
  assert.equal(number(1.23456), "1.23");
  assert.equal(number(100), "100");
  assert.equal(number(-2.5), "\u22122.5");
  assert.equal(number(1.5e-7), "1.50\u00b710\u207b\u2077");
  assert.equal(number(NaN), "not a number");
});

test("quantities take the prefix that suits them", () => {
  assert.equal(quantity(0.012, "m"), "12 mm");
  assert.equal(quantity(1500, "N"), "1.5 kN");
  assert.equal(quantity(0, "m"), "0 m");
  assert.equal(quantity(-3e-6, "m"), "\u22123 \u00b5m");
  assert.equal(quantity(0.001, "s"), "1 ms");
});

test("vectors and names", () => {
  assert.equal(vector([1, 2, 3], "m", 2), "(1, 2) m");
  assert.equal(vector([1, 0, -6e-17], ""), "(1, 0, 0)");
  assert.equal(vector([NaN, 0, 1], "m"), "(not a number, 0, 1) m");
  assert.equal(title("box-of-spheres"), "Box of spheres");
  assert.equal(title("cards"), "Card house");
});

test("names are shown without what steers a reader", () => {
  assert.equal(printable("card 3 \u00e4\u4e2d \ud83c\udfe0"), "card 3 \u00e4\u4e2d \ud83c\udfe0");
  assert.equal(printable("a\u001b[31m\nb\u007f"), "a\\x1b[31m\\x0ab\\x7f");
  assert.equal(printable("\u009b\u202e\u2066\u2028"), "\\u009b\\u202e\\u2066\\u2028");
  assert.equal(title("x\u202ey"), "X\\u202ey");
});
