// Colours after Okabe and Ito, which eyes of all kinds tell apart. Contacts also differ by their marks.
export const OKABE_ITO = {
  orange: 0xe69f00,
  sky: 0x56b4e9,
  green: 0x009e73,
  yellow: 0xf0e442,
  blue: 0x0072b2,
  vermilion: 0xd55e00,
  purple: 0xcc79a7,
};

// In the order in which materials and islands take them; neighbours differ in lightness too.
export const BODY_COLOURS = [0x56b4e9, 0xe69f00, 0x009e73, 0xcc79a7, 0xf0e442, 0x0072b2, 0xd55e00];

export const CONTACT_COLOURS = [0x8a8f98, OKABE_ITO.blue, OKABE_ITO.orange, OKABE_ITO.purple]; // open, stick, slip, opening
export const CONTACT_COLOURS_DARK = [0x8a8f98, OKABE_ITO.sky, OKABE_ITO.orange, OKABE_ITO.purple];
export const CONTACT_NAMES = ["open", "sticks", "slips", "about to open"];

export interface Look {
  dark: boolean;
  background: number;
  ground: number;
  grid: number;
  fixed: number;
  joint: number;
  mark: number; // selection, spring
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
  contact: CONTACT_COLOURS,
};

export const DARK: Look = {
  dark: true,
  background: 0x15181d,
  ground: 0x23272e,
  grid: 0x3b424d,
  fixed: 0x5b6470,
  joint: 0xd5dae2,
  mark: 0xff9a4d,
  contact: CONTACT_COLOURS_DARK,
};

// From none to the most: dark to bright, in an order that eyes of all kinds see.
export const DISPLACEMENT_COLOURS = ["#3b2f7f", "#2f6f9f", "#1f9e89", "#74c965", "#f5e32a"];

// Red, green and blue as the renderer counts them, between neighbours of the list.
const table = Array.from({ length: 65 }, (_, k): [number, number, number] => {
  const at = (k / 64) * (DISPLACEMENT_COLOURS.length - 1);
  const from = Math.min(Math.floor(at), DISPLACEMENT_COLOURS.length - 2);
  const part = (text: string, i: number) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16) / 255;
  const mix = (i: number) =>
    part(DISPLACEMENT_COLOURS[from], i) * (from + 1 - at) + part(DISPLACEMENT_COLOURS[from + 1], i) * (at - from);
  const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return [linear(mix(0)), linear(mix(1)), linear(mix(2))];
});

export function displacementColour(share: number): [number, number, number] {
  return table[Math.round(64 * Math.min(1, Math.max(0, share)))] ?? table[0];
}
