// Charts of a run: certificate, energy, contacts, iterations, time of a step and, where two methods are compared, the
// distance between them. They share one time axis; in a recording a click goes to its moment.
//
// Frames come up to 60 times a second. What they tell is gathered at once (history.ts); it is drawn a few times a
// second, and only where it can be seen.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./charts.css";
import { quantity } from "./format";
import { History, type Bucket } from "./history";
import type { Panel } from "./panel";
import type { Frame, HelloMessage, SceneMessage } from "./protocol";

const DRAW_MS = 120;
const WINDOW_SECONDS = 10;
const HEIGHT = 120; // pixels of a chart, as in charts.css
const SMALLEST_SHOWN = 1e-16; // certificates of zero lie at the lower edge of their logarithmic axis
const PANES_MOST = 2;

type Colour = "text" | "faint" | "grid" | "first" | "second" | "third" | "alarm";
const COLOURS: Colour[] = ["text", "faint", "grid", "first", "second", "third", "alarm"];

// ------------------------------------------------------------------------------------------------ numbers as people say them

export function certificateText(value: number): string {
  if (Number.isNaN(value)) return "no number";
  return value === 0 ? "0" : value.toExponential(1).replace(".0e", "e").replace("e-", "e−");
}

// Ticks that would read the same as the one before have no text.
export function unrepeated(texts: string[]): string[] {
  return texts.map((text, k) => (k > 0 && text === texts[k - 1] ? "" : text));
}

const WHOLE_STEPS = Array.from({ length: 10 }, (_, k) => [1, 2, 5].map((lead) => lead * 10 ** k)).flat();

// ---------------------------------------------------------------------------------------------------------- the charts as a table

interface Line {
  label: string; // "" where the chart has one line a pane: the pane's label stands for it
  colour: Colour;
  value: (bucket: Bucket, first: Bucket) => number;
  marks?: boolean; // points without a line
  quiet?: boolean; // not among the figures above the chart
}

interface ChartKind {
  title: string;
  hint: string;
  lines: Line[]; // for every pane; with two panes only the first that is a line
  text: (value: number) => string;
  logarithmic?: boolean;
  whole?: boolean; // counts: no ticks between whole numbers
  comparison?: boolean; // only where two panes are compared
}

// The state at t = 0 has energies, but no step led to it.
const stepped = (bucket: Bucket, value: number) => (bucket.time === 0 ? NaN : value);
const shown = (natural: number) => (Number.isNaN(natural) ? 1 : Math.min(1, Math.max(natural, SMALLEST_SHOWN)));

// A change of energy; what is less than rounding counts as none.
const ROUNDING = 1e-14;
const changed = (a: Bucket, b: Bucket, change: number) => {
  const scale = [a, b].reduce((sum, x) => sum + Math.abs(x.kinetic) + Math.abs(x.potential), 0);
  return Math.abs(change) <= ROUNDING * scale ? 0 : change;
};

const KINDS: ChartKind[] = [
  {
    title: "Certificate",
    hint: "how exactly the contact law was met (natural); the dashed line is the tolerance, crosses are steps that missed it, or are out of bounds",
    logarithmic: true,
    text: (v) => (v <= SMALLEST_SHOWN ? "0" : certificateText(v)),
    lines: [
      { label: "", colour: "first", value: (b) => stepped(b, shown(b.natural)) },
      { label: "missed", colour: "alarm", value: (b) => (b.missed || b.bounds ? shown(b.natural) : NaN), marks: true, quiet: true },
    ],
  },
  {
    title: "Energy",
    hint: "total, kinetic and potential energy, all as changes since the start",
    text: (v) => quantity(v, "J"),
    lines: [
      { label: "\u0394 total", colour: "text", value: (b, first) => changed(b, first, b.kinetic + b.potential - first.kinetic - first.potential) },
      { label: "\u0394 kin.", colour: "second", value: (b, first) => changed(b, first, b.kinetic - first.kinetic) },
      { label: "\u0394 pot.", colour: "third", value: (b, first) => changed(b, first, b.potential - first.potential) },
    ],
  },
  {
    title: "Contacts",
    hint: "points that take part in the step",
    text: (v) => v.toFixed(0),
    whole: true,
    lines: [{ label: "", colour: "first", value: (b) => stepped(b, b.contacts) }],
  },
  {
    title: "Iterations",
    hint: "of the solver, all islands together, per step",
    text: (v) => v.toFixed(0),
    whole: true,
    lines: [{ label: "", colour: "first", value: (b) => stepped(b, b.iterations) }],
  },
  {
    title: "Time per step",
    hint: "the slowest step of every point of the line",
    text: (v) => quantity(v, "s"),
    lines: [{ label: "", colour: "first", value: (b) => stepped(b, b.seconds) }],
  },
  {
    title: "Distance of the two",
    hint: "the largest distance between the same body's centres in the two panes",
    text: (v) => quantity(v, "m"),
    comparison: true,
    lines: [{ label: "", colour: "text", value: (b) => b.natural }],
  },
];

// ------------------------------------------------------------------------------------------------------------- one run, one pane

class Pane {
  whole = new History();
  recent = new History(512, WINDOW_SECONDS);
  add(step: Bucket | Frame["stats"][number]): void {
    this.whole.add(step);
    this.recent.add(step);
  }
}

// The largest distance of a body's centres, from two frames of the same step.
export function largestDistance(a: Float32Array, b: Float32Array): number {
  let most = 0;
  for (let at = 0; at + 2 < Math.min(a.length, b.length); at += 7) {
    most = Math.max(most, Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2]));
  }
  return most;
}

// ------------------------------------------------------------------------------------------------------------------ one chart

type Palette = Record<Colour, string>;

interface Series {
  line: Line;
  pane: number;
  label: string;
  colour: Colour;
}

function seriesOf(kind: ChartKind, labels: string[]): Series[] {
  const panes = kind.comparison ? 1 : labels.length;
  const series: Series[] = [];
  for (let pane = 0; pane < panes; pane++) {
    const lines = panes > 1 ? kind.lines.filter((line, k) => k === 0 || line.marks) : kind.lines;
    for (const line of lines) {
      const colour = panes > 1 && !line.marks ? (pane === 0 ? "first" : "second") : line.colour;
      series.push({ line, pane, colour, label: panes > 1 && !line.marks ? labels[pane] : line.label });
    }
  }
  return series;
}

class Chart {
  readonly figure = document.createElement("figure");
  private readonly values = document.createElement("span");
  private readonly host = document.createElement("div");
  private plot: uPlot | null = null;
  private series: Series[] = [];
  private width = 0;

  constructor(
    readonly kind: ChartKind,
    private readonly page: Charts,
  ) {
    this.figure.className = "chart";
    this.figure.dataset.chart = kind.title.toLowerCase().replaceAll(" ", "-");
    const caption = document.createElement("figcaption");
    const title = document.createElement("span");
    title.className = "chart-title";
    title.textContent = kind.title;
    caption.title = kind.hint;
    this.values.className = "chart-values";
    this.host.className = "chart-plot";
    caption.append(title, this.values);
    this.figure.append(caption, this.host);
  }

  // New lines or colours: the plot is made anew.
  build(labels: string[], palette: Palette): void {
    this.plot?.destroy();
    this.series = seriesOf(this.kind, labels);
    this.width = Math.max(40, Math.floor(this.host.clientWidth));
    this.plot = new uPlot(this.options(palette), this.empty(), this.host);
    this.values.replaceChildren(...this.told().map((series) => this.valueElement(series)));
  }

  resize(): void {
    const width = Math.floor(this.host.clientWidth);
    if (!this.plot || width < 40 || width === this.width) return;
    this.width = width;
    this.plot.setSize({ width, height: this.host.clientHeight || HEIGHT });
  }

  draw(histories: readonly (readonly Bucket[])[], at: number): void {
    if (!this.plot) return;
    this.plot.setData(this.table(histories));
    this.tellValues(histories, at);
  }

  redraw(): void {
    this.plot?.redraw(false, false);
  }

  private told(): Series[] {
    return this.series.filter((series) => !series.line.quiet);
  }

  private valueElement(series: Series): HTMLElement {
    const element = document.createElement("span");
    element.className = "chart-value";
    element.style.setProperty("--swatch", `var(--chart-${series.colour})`);
    return element;
  }

  private tellValues(histories: readonly (readonly Bucket[])[], at: number): void {
    const parts: string[] = [];
    this.told().forEach((series, k) => {
      const history = histories[series.pane] ?? [];
      const bucket = bucketAt(history, at);
      const value = bucket ? series.line.value(bucket, history[0]) : NaN;
      const number = Number.isNaN(value) ? "–" : this.kind.text(value);
      const text = series.label ? `${series.label} ${number}` : number;
      const element = this.values.children[k] as HTMLElement;
      if (element.textContent !== text) element.textContent = text;
      parts.push(text);
    });
    this.figure.setAttribute("aria-label", `${this.kind.title}: ${parts.join(", ")}`);
  }

  private empty(): uPlot.AlignedData {
    return [[], ...this.series.map(() => [])] as uPlot.AlignedData;
  }

  private columns(history: readonly Bucket[], series: Series[]): uPlot.AlignedData {
    const line = (s: Series) =>
      history.map((bucket) => {
        const value = s.line.value(bucket, history[0]);
        return Number.isNaN(value) ? null : value;
      });
    return [history.map((bucket) => bucket.time), ...series.map(line)] as uPlot.AlignedData;
  }

  private table(histories: readonly (readonly Bucket[])[]): uPlot.AlignedData {
    const panes = [...new Set(this.series.map((series) => series.pane))];
    const tables = panes.map((pane) =>
      this.columns(
        histories[pane] ?? [],
        this.series.filter((series) => series.pane === pane),
      ),
    );
    return tables.length === 1 ? tables[0] : uPlot.join(tables);
  }

  private options(palette: Palette): uPlot.Options {
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: palette.faint, font, grid: { stroke: palette.grid, width: 1 }, ticks: { show: false } };
    return {
      width: this.width,
      height: HEIGHT,
      padding: [6, 14, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false },
        points: { show: false },
        sync: { key: "cardhouse-charts" },
        bind: { dblclick: () => null },
      },
      scales: {
        x: { time: false, range: (_plot, low, high) => this.page.timeRange(low, high) },
        y: this.kind.logarithmic
          ? { distr: 3, log: 10, range: () => this.page.certificateRange() }
          : { range: (_plot, low, high) => paddedRange(low, high) },
      },
      axes: [
        { ...axis, size: 24, gap: 7, values: (_plot, ticks) => ticks.map((t) => `${Number(t.toPrecision(6))} s`), space: 70 },
        {
          ...axis,
          size: 58,
          gap: 4,
          space: 26,
          ...(this.kind.logarithmic ? { splits: () => this.page.certificateSplits(), filter: (_p: uPlot, all: number[]) => all } : {}),
          ...(this.kind.whole ? { incrs: WHOLE_STEPS } : {}),
          values: (_plot, ticks) => unrepeated(ticks.map((v) => this.axisText(v))),
        },
      ],
      series: [{}, ...this.series.map((series) => lineOptions(series, palette))],
      hooks: {
        draw: [(plot) => this.page.drawOver(plot, this.kind, palette)],
        setCursor: [(plot) => this.page.hover(plot)],
        ready: [(plot) => plot.over.addEventListener("click", () => this.page.click(plot))],
      },
    };
  }

  private axisText(value: number | null): string {
    if (value === null) return "";
    if (this.kind.logarithmic) return certificateText(value);
    if (value === 0) return "0";
    return this.kind.text(value);
  }
}

function lineOptions(series: Series, palette: Palette): uPlot.Series {
  const stroke = palette[series.colour];
  if (!series.line.marks) return { stroke, width: 1.5, spanGaps: true, points: { show: false } };
  return {
    stroke,
    width: 0,
    paths: () => null,
    points: { show: true, size: 7, width: 2, stroke, fill: stroke, paths: crosses },
  };
}

// Points as crosses: told apart from the line by their form, not by colour alone.
const crosses: uPlot.Series.Points.PathBuilder = (plot, seriesIndex, first, last) => {
  const path = new Path2D();
  const size = 3.5 * devicePixelRatio;
  let drawn = -Infinity; // where misses crowd, every cross stands for several
  for (let k = first; k <= last; k++) {
    const value = plot.data[seriesIndex][k];
    if (value === null || value === undefined) continue;
    const x = plot.valToPos(plot.data[0][k], "x", true);
    if (x - drawn < 4 * size) continue;
    drawn = x;
    const y = plot.valToPos(value, "y", true);
    path.moveTo(x - size, y - size);
    path.lineTo(x + size, y + size);
    path.moveTo(x - size, y + size);
    path.lineTo(x + size, y - size);
  }
  return { stroke: path, fill: null, clip: null, band: null, gaps: null, flags: 0 } as unknown as ReturnType<
    uPlot.Series.Points.PathBuilder
  >;
};

function paddedRange(low: number | null, high: number | null): [number, number] {
  const from = Math.min(0, low ?? 0);
  const to = Math.max(0, high ?? 1);
  const span = to - from;
  if (span === 0) return [0, 1];
  return [from < 0 ? from - 0.05 * span : 0, to > 0 || from === 0 ? to + 0.08 * span : 0];
}

function bucketAt(history: readonly Bucket[], time: number): Bucket | undefined {
  let low = 0;
  let high = history.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (history[middle].from <= time) low = middle;
    else high = middle;
  }
  return history[low];
}

// ------------------------------------------------------------------------------------------------------------------ the panel

function button(text: string, pressed: boolean, click: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.setAttribute("aria-pressed", String(pressed));
  element.addEventListener("click", click);
  return element;
}

class Charts implements Panel {
  private readonly root = document.createElement("div");
  private readonly note = document.createElement("span");
  private readonly buttons: HTMLButtonElement[];
  private readonly charts: Chart[];
  private panes: Pane[] = [new Pane()];
  private distance = new Pane();
  private labels = ["run"];
  private generation = -1;
  private name = "";
  private renewed = false; // a scene came and none of its frames yet
  private tolerance = NaN;
  private now = 0;
  private hovered: number | null = null;
  private windowed = false;
  private replay = false;
  private lastPoses: { step: number; poses: Float32Array } | null = null;
  private due = false;
  private drawn = 0;
  private stale = true; // the plots must be made anew

  constructor(
    host: HTMLElement,
    private readonly seek?: (time: number) => void,
  ) {
    this.root.className = "charts";
    const bar = document.createElement("div");
    bar.className = "charts-bar";
    this.note.className = "charts-note";
    const span = document.createElement("span");
    span.className = "charts-span";
    span.setAttribute("role", "group");
    span.setAttribute("aria-label", "Time shown in the charts");
    this.buttons = [
      button("whole run", true, () => this.setWindow(false)),
      button(`last ${WINDOW_SECONDS} s`, false, () => this.setWindow(true)),
    ];
    span.append(...this.buttons);
    bar.append(this.note, span);
    const grid = document.createElement("div");
    grid.className = "charts-grid";
    this.charts = KINDS.map((kind) => new Chart(kind, this));
    grid.append(...this.charts.map((chart) => chart.figure));
    this.root.append(bar, grid);
    host.append(this.root);
    this.showKinds();
    new ResizeObserver(() => this.resize()).observe(grid);
    document.addEventListener("visibilitychange", () => this.request());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.theme());
    this.theme();
  }

  // ---- what the page tells

  hello(message: HelloMessage): void {
    this.replay = message.mode === "replay";
    this.root.dataset.seek = String(this.replay && this.seek !== undefined);
  }

  scene(message: SceneMessage): void {
    this.tolerance = message.tolerance;
    const count = Math.min(PANES_MOST, Math.max(1, message.panes));
    if (message.name !== this.name || count !== this.panes.length) this.begin(count);
    this.renewed ||= message.generation !== this.generation;
    this.generation = message.generation;
    this.name = message.name;
    this.labels = Array.from({ length: count }, (_, k) => message.methods?.[k] ?? (count > 1 ? `${k + 1}` : message.method));
    this.showKinds();
    this.stale = true;
    this.request();
  }

  state(message: { tolerance?: number }): void {
    if (message.tolerance !== undefined) this.tolerance = message.tolerance;
    this.request();
  }

  frame(frame: Frame): void {
    if (frame.generation !== this.generation) return;
    if (this.renewed && frame.time < this.now) this.begin(this.panes.length); // a reset; a shot goes on in time
    this.renewed = false;
    const pane = this.panes[frame.pane];
    if (!pane) return;
    for (const step of frame.stats) pane.add(step);
    if (this.panes.length > 1) this.compare(frame);
    this.now = frame.time;
    this.request();
  }

  theme(): void {
    // The page's own background tells whether it is dark, whoever chose it.
    const [r, g, b] = /(\d+)[, ]+(\d+)[, ]+(\d+)/.exec(getComputedStyle(document.body).color)?.slice(1).map(Number) ?? [0, 0, 0];
    this.root.dataset.dark = String(r + g + b > 380);
    this.stale = true;
    this.request();
  }

  // ---- what the charts ask

  timeRange(low: number | null, high: number | null): [number, number] {
    const to = Math.max(high ?? 0, this.replay ? 0 : this.now);
    const from = this.windowed ? to - WINDOW_SECONDS : (low ?? 0);
    return to > from ? [from, to] : [from, from + 1];
  }

  // Powers of ten around all that was seen and the tolerance.
  certificateRange(): [number, number] {
    let low = Number.isFinite(this.tolerance) ? this.tolerance : 1e-8;
    let high = low;
    for (const history of this.histories()) {
      for (const bucket of history) {
        if (bucket.time === 0) continue;
        low = Math.min(low, shown(bucket.natural));
        high = Math.max(high, shown(bucket.natural));
      }
    }
    return [10 ** (Math.floor(Math.log10(low)) - 0.3), 10 ** (Math.ceil(Math.log10(high)) + 0.6)];
  }

  // At most four powers of ten, the tolerance's among them where it is one.
  certificateSplits(): number[] {
    const [low, high] = this.certificateRange().map(Math.log10);
    const stride = Math.max(1, Math.ceil((high - low) / 4));
    const anchor = Number.isFinite(this.tolerance) ? Math.round(Math.log10(this.tolerance)) : 0;
    const splits: number[] = [];
    for (let power = Math.ceil(low); power <= high; power++) {
      if ((power - anchor) % stride === 0) splits.push(Number(`1e${power}`));
    }
    return splits;
  }

  drawOver(plot: uPlot, kind: ChartKind, palette: Palette): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    const line = (x0: number, y0: number, x1: number, y1: number) => {
      ctx.beginPath();
      ctx.moveTo(x0, y0);
      ctx.lineTo(x1, y1);
      ctx.stroke();
    };
    if (kind.logarithmic && Number.isFinite(this.tolerance)) {
      const y = plot.valToPos(this.tolerance, "y", true);
      ctx.strokeStyle = palette.text;
      ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
      line(bbox.left, y, bbox.left + bbox.width, y);
      ctx.setLineDash([]);
    }
    if (this.replay) {
      const x = plot.valToPos(this.now, "x", true);
      ctx.strokeStyle = palette.alarm;
      if (x >= bbox.left && x <= bbox.left + bbox.width) line(x, bbox.top, x, bbox.top + bbox.height);
    }
    ctx.restore();
  }

  hover(plot: uPlot): void {
    const left = plot.cursor.left ?? -1;
    const time = left < 0 ? null : plot.posToVal(left, "x");
    if (time === this.hovered) return;
    this.hovered = time;
    this.request();
  }

  click(plot: uPlot): void {
    const left = plot.cursor.left ?? -1;
    if (this.replay && left >= 0) this.seek?.(Math.max(0, plot.posToVal(left, "x")));
  }

  // ---- inside

  private begin(count: number): void {
    this.panes = Array.from({ length: count }, () => new Pane());
    this.distance = new Pane();
    this.lastPoses = null;
    this.now = 0;
  }

  // The certificate's place in a history carries the distance: it keeps the largest.
  private compare(frame: Frame): void {
    if (frame.pane === 0) {
      this.lastPoses = { step: frame.step, poses: frame.poses };
    } else if (this.lastPoses?.step === frame.step && this.lastPoses.poses.length === frame.poses.length) {
      const natural = largestDistance(this.lastPoses.poses, frame.poses);
      const rest = { kinetic: 0, potential: 0, contacts: 0, iterations: 0, seconds: 0, missed: false, atRest: false, bounds: 0 };
      this.distance.add({ time: frame.time, natural, ...rest });
    }
  }

  private showKinds(): void {
    for (const chart of this.charts) chart.figure.hidden = chart.kind.comparison === true && this.panes.length < 2;
  }

  private setWindow(windowed: boolean): void {
    this.windowed = windowed;
    this.buttons.forEach((element, k) => element.setAttribute("aria-pressed", String((k === 1) === windowed)));
    this.request();
  }

  private histories(): readonly (readonly Bucket[])[] {
    return this.panes.map((pane) => (this.windowed ? pane.recent : pane.whole).all());
  }

  private resize(): void {
    for (const chart of this.charts) chart.resize();
    this.request();
  }

  private request(): void {
    if (this.due) return;
    this.due = true;
    const wait = Math.max(0, DRAW_MS - (performance.now() - this.drawn));
    setTimeout(() => requestAnimationFrame(() => this.draw()), wait);
  }

  private draw(): void {
    this.due = false;
    if (document.hidden || this.root.clientWidth === 0) return; // drawn when it is seen again
    this.drawn = performance.now();
    if (this.stale) this.rebuild();
    const at = this.hovered ?? (this.replay ? this.now : Infinity);
    for (const chart of this.charts) {
      if (chart.figure.hidden) continue;
      chart.draw(chart.kind.comparison ? [(this.windowed ? this.distance.recent : this.distance.whole).all()] : this.histories(), at);
    }
    this.tell(at);
  }

  private rebuild(): void {
    this.stale = false;
    const style = getComputedStyle(this.root);
    const palette = Object.fromEntries(
      COLOURS.map((name) => [name, style.getPropertyValue(`--chart-${name}`).trim()]),
    ) as Palette;
    for (const chart of this.charts) if (!chart.figure.hidden) chart.build(this.labels, palette);
  }

  private tell(at: number): void {
    const moment = Number.isFinite(at) ? at : this.now;
    const tolerance = Number.isFinite(this.tolerance) ? ` · tolerance ${certificateText(this.tolerance)}` : "";
    const counts = this.panes.map((pane) => pane.whole.missed);
    const missed = counts.some((count) => count > 0);
    const steps = counts.map((count, k) => `${this.panes.length > 1 ? `${this.labels[k]} ` : ""}${count} missed`);
    const text = `t = ${moment.toFixed(3)} s${tolerance} · ${missed ? steps.join(", ") : "no step missed it"}`;
    const out = this.panes.reduce((sum, pane) => sum + pane.whole.outOfBounds, 0);
    const whole = out > 0 ? `${text} · ${out} out of bounds` : text;
    if (this.note.textContent !== whole) this.note.textContent = whole;
    this.note.dataset.missed = String(missed || out > 0);
  }
}

// Fills `host` with the charts. `seek` is called with a time where a recording is clicked.
export function createCharts(host: HTMLElement, seek?: (time: number) => void): Panel {
  return new Charts(host, seek);
}
