// A small drawing for every built-in scene, in the plane of the picture: 160 by 100, the ground at 88.
const GROUND = 88;
const A = "#56b4e9";
const B = "#e69f00";
const C = "#009e73";
const D = "#cc79a7";

const box = (x: number, y: number, w: number, h: number, degrees: number, fill = A) =>
  `<rect x="${-w / 2}" y="${-h / 2}" width="${w}" height="${h}" fill="${fill}" transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${degrees})"/>`;
const ball = (x: number, y: number, r: number, fill = A) =>
  `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r}" fill="${fill}"/>`;
const line = (...points: number[]) => {
  const d = points.map((p, i) => (i % 2 ? `${p.toFixed(1)}` : `${i ? "L" : "M"}${p.toFixed(1)} `)).join("");
  return `<path d="${d}" class="stroke"/>`;
};
// A soft thing: a line as thick as it is.
const band = (d: string, thick: number, colour = A) =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${thick}"/>`;
const floor = `<path d="M6 ${GROUND}H154" class="stroke"/>`;
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const choose = (i: number, ...colours: string[]) => colours[i % colours.length];

function cards(): string {
  const parts: string[] = [];
  const [lean, high] = [23, 24];
  const foot = 0.5 * high * Math.tan((lean * Math.PI) / 180);
  for (let level = 0; level < 3; level++) {
    const tents = 3 - level;
    const y = GROUND - 12 - level * (high + 2);
    for (let t = 0; t < tents; t++) {
      const x = 80 + (t - (tents - 1) / 2) * 26;
      parts.push(box(x - foot, y, 2.4, high + 2, lean), box(x + foot, y, 2.4, high + 2, -lean, B));
      if (t > 0) parts.push(box(x - 13, y - 13, 28, 2.2, 0, C));
    }
  }
  return floor + parts.join("");
}

function arch(): string {
  const at = (k: number, r: number) => [
    80 - r * Math.cos((Math.PI * k) / 11),
    GROUND - r * Math.sin((Math.PI * k) / 11),
  ];
  const stones = range(11).map((k) => {
    const corners = [at(k + 0.04, 46), at(k + 0.04, 64), at(k + 0.96, 64), at(k + 0.96, 46)];
    return `<polygon points="${corners.map((c) => c.map((x) => x.toFixed(1)).join(",")).join(" ")}" fill="${choose(k, A, B)}"/>`;
  });
  return floor + stones.join("");
}

function triangle(rows: number, r: number): string {
  const parts: string[] = [];
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < rows - row; i++)
      parts.push(
        ball(80 + (2 * i - (rows - row - 1)) * r, GROUND - r - row * r * 1.732, r - 0.6, choose(row, A, B, C)),
      );
  return floor + parts.join("");
}

function grains(seed: number, n: number, inside: (i: number) => [number, number], r: number): string {
  return range(n)
    .map((i) => ball(...inside(i + seed), r, choose(i, A, B, C, D)))
    .join("");
}

const DRAWINGS: Record<string, () => string> = {
  cards,
  arch,
  stack: () =>
    floor +
    range(6)
      .map((i) => box(80 + (i % 2), GROUND - 6.5 - 13 * i, 12.4, 12.4, 0, choose(i, A, B)))
      .join(""),
  incline: () => line(20, GROUND, 140, GROUND, 140, 34, 20, GROUND) + box(90, 46.6, 26, 17, -24.2, A),
  pile: () => triangle(6, 8),
  cannonball: () => triangle(5, 9.5),
  "box-of-spheres": () =>
    line(42, 18, 42, GROUND, 118, GROUND, 118, 18) +
    grains(0, 40, (i) => [50 + (i % 8) * 8.6 + (Math.floor(i / 8) % 2) * 3, GROUND - 5 - Math.floor(i / 8) * 8.4], 4) +
    grains(0, 5, (i) => [52 + ((i * 23) % 57), 12 + ((i * 17) % 27)], 4),
  pendulum: () =>
    line(50, 14, 110, 14) +
    box(70, 32, 5, 41, 29, A) +
    box(74, 65, 5, 41, -42, B) +
    ball(80, 14, 3.4, C) +
    ball(60, 50, 3.4, C),
  "slider-crank": () =>
    line(20, 74, 145, 74) +
    ball(48, 50, 17, D) +
    box(54, 43, 5, 24, 40, B) +
    box(90, 50, 66, 4, 13, A) +
    box(124, 60, 22, 18, 0, C),
  "painleve-rod": () => floor + box(86, 57, 6, 68, -27, A) + line(122, 78, 142, 78, 136, 74) + line(142, 78, 136, 82),
  "spinning-top": () =>
    floor +
    `<g transform="rotate(14 80 86)"><path d="M80 86L56 52Q80 40 104 52Z" fill="${A}"/><path d="M56 52Q80 40 104 52Q80 62 56 52" fill="${B}"/>${box(80, 36, 4, 22, 0, C)}</g><path d="M70 22Q92 12 108 26M108 26l-1-8M108 26l-8-2" class="stroke"/>`,
  "newtons-cradle": () =>
    line(34, 14, 126, 14) +
    range(4)
      .map((i) => line(74 + 13 * i, 14, 74 + 13 * i, 66) + ball(74 + 13 * i, 70, 6.3, A))
      .join("") +
    line(61, 14, 34, 58) +
    ball(32, 62, 6.3, B),
  screw: () =>
    box(80, 58, 62, 34, 0, B) +
    box(80, 50, 17, 70, 0, A) +
    range(9)
      .map((i) => line(69, 24 + 7 * i, 91, 20 + 7 * i))
      .join("") +
    box(80, 14, 34, 10, 0, A),
  "chain-net": () =>
    range(24)
      .map((i) => {
        const [x, y] = [38 + (i % 6) * 17, 20 + Math.floor(i / 6) * 17];
        return `<circle cx="${x}" cy="${y}" r="9.6" fill="none" stroke="${choose(i + Math.floor(i / 6), A, B)}" stroke-width="3"/>`;
      })
      .join(""),
  "bike-chain": () =>
    ball(48, 52, 26, B) +
    ball(118, 52, 15, B) +
    range(7)
      .map((i) => box(52 + 11 * i, 24.5 + 1.7 * i, 9, 5, 9, choose(i, A, C)) + box(52 + 11 * i, 79.5 - 1.7 * i, 9, 5, -9, choose(i, C, A)))
      .join(""),
  anchor: () =>
    range(5)
      .map((i) => box(80, 12 + 8.5 * i, i % 2 ? 3 : 7, 10, 0, choose(i, A, B)))
      .join("") +
    box(80, 66, 5, 36, 0, C) +
    box(80, 54, 28, 4, 0, C) +
    band("M54 68Q80 104 106 68", 5, C),
  "stick-slip": () =>
    box(80, 82, 148, 8, 0, D) +
    box(18, 66, 6, 24, 0, C) +
    line(21, 66, 34, 66, 38, 60, 46, 72, 54, 60, 62, 72, 70, 60, 74, 66, 84, 66) +
    box(106, 66, 44, 24, 0, A),
  "wrecking-ball": () =>
    floor +
    line(46, 8, 62, 50) +
    ball(64, 56, 11, C) +
    range(15)
      .map((i) => box(98 + (i % 3) * 16 + (Math.floor(i / 3) % 2) * 8, GROUND - 5.5 - 11 * Math.floor(i / 3), 15, 10, 0, choose(i, A, B)))
      .join(""),
  domino: () =>
    floor +
    range(8)
      .map((i) =>
        box(
          26 + 15 * i + 8 * Math.max(0, 1 - i / 4),
          GROUND - 18 + 3 * Math.max(0, 1 - i / 3),
          5,
          34,
          Math.max(0, 44 - 14 * i),
          choose(i, A, B),
        ),
      )
      .join(""),
  hourglass: () =>
    line(46, 12, 74, 50, 46, GROUND) +
    line(114, 12, 86, 50, 114, GROUND) +
    line(46, GROUND, 114, GROUND) +
    grains(0, 14, (i) => [62 + (i % 7) * 6, 22 + Math.floor(i / 7) * 7 + (i % 2)], 2.8) +
    grains(2, 9, (i) => [62 + ((i * 29) % 38), GROUND - 4 - ((i * 13) % 9)], 2.8) +
    ball(80, 52, 2.8, B) +
    ball(80, 63, 2.8, A),
  hopper: () =>
    line(38, 14, 38, 34, 73, 64) +
    line(122, 14, 122, 34, 87, 64) +
    line(30, 70, 30, GROUND, 130, GROUND, 130, 70) +
    grains(0, 36, (i) => [44 + (i % 12) * 6.4 + (Math.floor(i / 12) % 2) * 2, 32 - Math.floor(i / 12) * 6.2], 3) +
    grains(0, 10, (i) => [62 + (i % 5) * 8, 39 + Math.floor(i / 5) * 8], 3) +
    ball(80, 62, 3, B) +
    ball(79, 72, 3, A) +
    grains(2, 12, (i) => [60 + (i % 6) * 8, GROUND - 4 - Math.floor(i / 6) * 6], 3),
  "pebble-bed": () =>
    line(50, 10, 50, 62, 70, GROUND) +
    line(110, 10, 110, 62, 90, GROUND) +
    grains(0, 45, (i) => [55 + (i % 9) * 6.2 + (Math.floor(i / 9) % 2) * 1.5, 60 - Math.floor(i / 9) * 7], 3.2) +
    grains(0, 11, (i) => [66 + (i % 5) * 7, 68 + Math.floor(i / 5) * 6], 3.2),
  drop: () =>
    line(42, 18, 42, GROUND, 118, GROUND, 118, 18) +
    range(14)
      .map((i) => {
        const [x, y] = [52 + ((i * 37) % 58), i < 9 ? GROUND - 8 - ((i * 11) % 22) : 14 + ((i * 17) % 30)];
        const fill = choose(i, A, B, C, D);
        return ball(x, y, 5, fill) + ball(x + 4, y - 5, 3.2, fill) + box(x + 2, y - 11, 1.8, 9, 35 * i, fill);
      })
      .join(""),
  "log-house": () =>
    line(6, GROUND, 92, GROUND, 132, 74, 132, GROUND, 154, GROUND) +
    range(5)
      .map((i) => box(48, GROUND - 4 - 9 * i, 58, 7.4, 0, choose(i, A, B)) + box(28, GROUND - 4 - 9 * i, 7, 4, 0, C))
      .join("") +
    range(9)
      .map((i) => ball(24 + 6 * i, GROUND - 49, 2.6, D))
      .join(""),
  "soft-bar": () => floor + box(45, GROUND - 11, 70, 22, 0, D) + band("M34 58Q92 50 134 82", 9, A),
  chairs: () =>
    line(6, 40, 154, GROUND) +
    range(3)
      .map((i) => {
        const [x, y] = [34 + 42 * i, 47 + 13.6 * i];
        const fill = choose(i, A, B, C);
        const back = `M${x - 9} ${y - 2}Q${x - 12} ${y - 10} ${x - 8} ${y - 17}V${y - 34}`;
        const front = `M${x + 7} ${y + 3}Q${x + 3} ${y - 6} ${x + 7} ${y - 13}L${x - 9} ${y - 17}`;
        return band(back + front, 3, fill);
      })
      .join(""),
  dinosaurs: () =>
    floor +
    range(4)
      .map((i) => {
        const [x, y] = [40 + 27 * i, GROUND - 10 - (i % 2) * 24];
        const fill = choose(i, A, B, C, D);
        const spine = `M${x - 22} ${y}Q${x} ${y - 12} ${x + 12} ${y - 4}Q${x + 18} ${y - 22} ${x + 24} ${y - 20}`;
        return band(spine, 6, fill) + band(`M${x - 6} ${y - 4}V${y + 9}M${x + 8} ${y - 4}V${y + 9}`, 4, fill);
      })
      .join(""),
  "bunnies-arches": () =>
    line(6, 36, 70, GROUND, 154, GROUND) +
    range(7)
      .map((k) => {
        const a = (Math.PI * (k + 0.5)) / 7;
        return box(118 - 24 * Math.cos(a), GROUND - 24 * Math.sin(a), 9.5, 10, -90 + (a * 180) / Math.PI, D);
      })
      .join("") +
    range(3)
      .map((i) => {
        const [x, y] = [28 + 17 * i, 38 + 14 * i];
        const fill = choose(i, B, A);
        return ball(x, y, 6, fill) + ball(x + 5, y - 6, 4, fill) + band(`M${x + 3} ${y - 8}L${x} ${y - 17}`, 2.4, fill);
      })
      .join(""),
  haptic: () =>
    line(34, 56, 34, GROUND, 126, GROUND, 126, 56) +
    band("M44 80Q64 70 88 80", 10, A) +
    box(102, GROUND - 8, 16, 16, 12, B) +
    ball(116, GROUND - 9, 7, C) +
    box(76, 54, 8, 26, 14, D) +
    line(80, 40, 86, 34, 76, 30, 88, 24, 82, 14),
  composite: () =>
    range(4)
      .map((i) => band(`M${50 + 20 * i} 16V88`, 8, A) + band(`M40 ${24 + 18 * i}H120`, 8, B))
      .join("") +
    ball(60, 33, 3, D) +
    ball(100, 33, 3, D),
  "thrown-composite": () =>
    floor +
    range(4)
      .map((i) => line(38 + 28 * i, GROUND, 38 + 28 * i, GROUND - 20))
      .join("") +
    band("M34 40Q57 30 80 40Q103 50 126 40", 5, A) +
    band("M34 40Q57 50 80 40Q103 30 126 40", 5, B),
  jamming: () =>
    line(46, 10, 46, 98) + line(114, 10, 114, 98) + band("M50 34L110 22", 7, A) + band("M50 76Q84 66 110 50", 7, B),
  terrain: () =>
    band("M4 70Q30 40 56 66T108 60Q134 50 156 76", 6, A) + box(40, 30, 18, 14, 20, B) + ball(88, 46, 9, C),
  "periodic-cell": () =>
    line(46, 16, 46, 84) +
    line(114, 16, 114, 84) +
    line(40, 16, 120, 16) +
    line(40, 84, 120, 84) +
    ball(114, 38, 11, A) +
    ball(46, 38, 11, A) +
    ball(72, 28, 11, B) +
    ball(86, 52, 11, C) +
    ball(60, 64, 11, A) +
    ball(104, 70, 11, B),
};

const anything = () =>
  floor + box(66, GROUND - 12, 24, 24, 0, A) + ball(98, GROUND - 11, 11, B) + box(72, GROUND - 32, 22, 15, 9, C);

export const hasDrawing = (name: string): boolean => name in DRAWINGS;

export function thumbnail(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 160 100");
  svg.setAttribute("class", "thumbnail");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = (DRAWINGS[name] ?? anything)();
  return svg;
}
