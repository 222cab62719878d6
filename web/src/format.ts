// Numbers for people: a unit on every one, and steps of 1, 2 and 5.

// The largest 1, 2 or 5 times a power of ten that is at most x.
export function niceBelow(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x) + 1e-12);
  const lead = x / power;
  return power * (lead >= 5 - 1e-9 ? 5 : lead >= 2 - 1e-9 ? 2 : 1);
}

// The smallest 1, 2 or 5 times a power of ten that is at least x.
export function niceAbove(x: number): number {
  const below = niceBelow(x);
  return below >= x ? below : niceBelow(2.5 * below);
}

const SUPERSCRIPT: Record<string, string> = {
  "-": "\u207b",
  "0": "\u2070",
  "1": "\u00b9",
  "2": "\u00b2",
  "3": "\u00b3",
  "4": "\u2074",
  "5": "\u2075",
  "6": "\u2076",
  "7": "\u2077",
  "8": "\u2078",
  "9": "\u2079",
};

// 3.2 times a power of ten, written as in a book.
export function scientific(x: number, digits = 1): string {
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "not a number" : "infinite";
  const [lead, power] = x.toExponential(digits).split("e");
  const raised = [...String(Number(power))].map((c) => SUPERSCRIPT[c]).join("");
  return Number(lead) === 1 ? `10${raised}` : `${lead}\u00b710${raised}`;
}

// Three significant digits; very large and very small numbers by their power of ten.
export function number(x: number, digits = 3): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "not a number" : "infinite";
  const size = Math.abs(x);
  if (x !== 0 && (size < 1e-3 || size >= 1e5)) return scientific(x, digits - 1).replace("-", "\u2212");
  const places = size === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return x
    .toFixed(places)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "")
    .replace("-", "\u2212");
}

const PREFIXES: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "\u00b5"],
  [1e-9, "n"],
];

// With a prefix of the unit: 0.012 m is 12 mm.
export function quantity(x: number, unit: string, digits = 3): string {
  if (x === 0 || !Number.isFinite(x)) return `${number(x)} ${unit}`;
  const size = Math.abs(x);
  const [factor, prefix] = PREFIXES.find(([f]) => size >= f * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  if (size < 1e-12) return `${scientific(x)} ${unit}`;
  return `${number(x / factor, digits)} ${prefix}${unit}`;
}

// Coordinates that vanish beside the largest are shown as 0.
export function vector(v: ArrayLike<number>, unit: string, dimension = 3): string {
  const x = Array.from(v).slice(0, dimension);
  const least = 1e-4 * Math.max(...x.map(Math.abs));
  return `(${x.map((c) => number(Math.abs(c) < least ? 0 : c)).join(", ")}) ${unit}`.trim();
}

// Control characters, marks and overrides of direction, and invisible ones, which a name may hold: as src/base/printable.c.
const STEERING =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

// The text with those shown by their number: \x1b, \u202e.
export function printable(text: string): string {
  return text.replace(STEERING, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

const TITLES: Record<string, string> = {
  cards: "Card house",
  "painleve-rod": "Painlev\u00e9 rod",
  "newtons-cradle": "Newton\u2019s cradle",
  "slider-crank": "Slider-crank",
};

// "box-of-spheres" -> "Box of spheres"
export function title(name: string): string {
  const words = name.replace(/[-_]/g, " ");
  return TITLES[name] ?? printable(words.charAt(0).toUpperCase() + words.slice(1));
}
