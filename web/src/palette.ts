// Colours that eyes of all kinds tell apart. Bodies are pale or dim, after the qualitative schemes "light" and "muted" of
// Tol (2021); what is drawn on them, contacts and forces, is deep on a light ground and bright on a dark one, after Okabe
// and Ito (2008), and has a rim of the other lightness. Contacts also differ by their marks.

// In the order in which bodies take them; neighbours in the list differ in hue and lightness.
const PALE = [0x8fb4e3, 0xf0a07c, 0xefdf9a, 0x6cc7ab, 0xf7bcc9, 0xb3dff2, 0xc5cf63, 0xc9b3dd];
const DIM = [0x4d73a6, 0xa9603f, 0xa39450, 0x2f7f67, 0xa0677a, 0x4f8ea8, 0x7d8632, 0x7a6496];

// What a contact does, by the number that frames bring.
export const CONTACT_NAMES = ["open", "sticks", "slips", "about to open", "rolls", "spins"];
const CONTACTS_LIGHT = [0x6b717b, 0x0a3d91, 0xc23b00, 0x8a2c6b, 0x00694d, 0x111418];
const CONTACTS_DARK = [0x9aa1ac, 0x7cc7ff, 0xffb13d, 0xf0a3d0, 0x4fe0b0, 0xf4f5f7];

export interface Look {
  dark: boolean;
  background: number;
  ground: number;
  grid: number;
  fixed: number;
  joint: number;
  mark: number; // selection, spring
  rim: number; // around marks and arrows
  bodies: number[];
  contact: number[];
}

export const LIGHT: Look = {
  dark: false,
  background: 0xf4f5f7,
  ground: 0xe4e7eb,
  grid: 0xbfc5ce,
  fixed: 0xb4bac3,
  joint: 0x333b47,
  mark: 0xd55e00,
  rim: 0xffffff,
  bodies: PALE,
  contact: CONTACTS_LIGHT,
};

export const DARK: Look = {
  dark: true,
  background: 0x15181d,
  ground: 0x23272e,
  grid: 0x3b424d,
  fixed: 0x5b6470,
  joint: 0xd5dae2,
  mark: 0xff9a4d,
  rim: 0x0b0d10,
  bodies: DIM,
  contact: CONTACTS_DARK,
};

// From none to the most: dark to bright, in an order that eyes of all kinds see.
export const SCALE_COLOURS = ["#3b2f7f", "#2f6f9f", "#1f9e89", "#74c965", "#f5e32a"];

const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

// Red, green and blue as the renderer counts them, between neighbours of the list.
const table = Array.from({ length: 65 }, (_, k): [number, number, number] => {
  const at = (k / 64) * (SCALE_COLOURS.length - 1);
  const from = Math.min(Math.floor(at), SCALE_COLOURS.length - 2);
  const part = (text: string, i: number) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16) / 255;
  const mix = (i: number) => part(SCALE_COLOURS[from], i) * (from + 1 - at) + part(SCALE_COLOURS[from + 1], i) * (at - from);
  return [linear(mix(0)), linear(mix(1)), linear(mix(2))];
});

// Of a share of the scale's end; what is not a number is black.
export function scaleColour(share: number): [number, number, number] {
  if (Number.isNaN(share)) return [0, 0, 0];
  return table[Math.round(64 * Math.min(1, Math.max(0, share)))] ?? table[0];
}

// Relative luminance of a colour, 0 to 1.
export function luminance(hex: number): number {
  const [r, g, b] = [16, 8, 0].map((shift) => linear(((hex >> shift) & 255) / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Of two colours, 1 to 21, as the guidelines of the web count it.
export function contrast(a: number, b: number): number {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}
