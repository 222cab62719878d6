// The state of what was clicked: of a body by asking the server a few times a second, of a contact from the frames.
import { number, quantity, vector } from "../format";
import { CONTACT_NAMES } from "../palette";
import type { Panel } from "../panel";
import {
  frameContact,
  type BodyMessage,
  type Command,
  type Contact,
  type Frame,
  type SceneMessage,
  type SoftState,
} from "../protocol";
import type { Stage } from "../view/stage";
import { el, setText } from "./dom";

const ASK_MS = 150;
const MODES_SHOWN = 8;

const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const length = (v: number[]) => Math.hypot(...v);

// How much of the cone is used: tangential force over mu times the normal one.
export function utilisation(contact: Contact): { normal: number; tangential: number; used: number; slip: number } {
  const normal = dot(contact.force, contact.normal);
  const tangential = length(contact.force.map((f, i) => f - normal * contact.normal[i]));
  const along = dot(contact.slip, contact.normal);
  const slip = length(contact.slip.map((s, i) => s - along * contact.normal[i]));
  const most = contact.mu * normal;
  return { normal, tangential, used: most > 0 ? tangential / most : 0, slip };
}

// The contact of a frame that continues an older one: the same bodies, the nearest point.
export function continueContact(frame: Frame, old: Contact): number {
  let best = { distance: Infinity, index: -1 };
  for (let k = 0; k < frame.contacts; k++) {
    const c = frameContact(frame, k);
    if (c.bodies[0] !== old.bodies[0] || c.bodies[1] !== old.bodies[1]) continue;
    const distance = length(c.point.map((x, i) => x - old.point[i]));
    if (distance < best.distance) best = { distance, index: k };
  }
  return best.index;
}

export class Inspector implements Panel {
  private readonly heading = el("h2", { id: "inspected" });
  private readonly hint = el("p", { class: "note" }, "Click a body or a contact mark to see its state.");
  private readonly table = el("dl", { class: "figures" });
  private readonly bar = el("div", { class: "meter", hidden: true, role: "img" }, el("span", {}));
  private sceneShown: SceneMessage | null = null;
  private body = -1;
  private pane = 0;
  private contact: Contact | null = null;
  private asked = 0;
  private later = 0; // timer of a question that waits
  private drawn = 0;

  constructor(
    host: HTMLElement,
    private readonly stage: Stage,
    private readonly send: (command: Command) => void,
  ) {
    host.append(el("section", { class: "form", "aria-live": "off" }, this.heading, this.hint, this.bar, this.table));
    this.clear();
  }

  private clear(): void {
    clearTimeout(this.later);
    this.later = 0;
    this.body = -1;
    this.contact = null;
    this.bar.hidden = true;
    this.hint.hidden = false;
    this.table.replaceChildren();
    setText(this.heading, "Nothing selected");
  }

  select(pane: number, body: number, contact: number): void {
    this.clear();
    this.pane = pane;
    const frame = this.stage.panes[pane]?.frame;
    this.stage.select(pane, body, contact);
    if (contact >= 0 && frame) {
      this.contact = frameContact(frame, contact);
      this.showContact(this.contact);
    } else if (body >= 0) {
      this.body = body;
      setText(this.heading, this.name(body));
      this.ask();
    }
  }

  // The next body that moves, in the order of the scene.
  selectNext(): void {
    const bodies = this.sceneShown?.bodies ?? [];
    for (let k = 1; k <= bodies.length; k++) {
      const next = (this.body + k) % bodies.length;
      if (!bodies[next].fixed) return this.select(this.pane, next, -1);
    }
  }

  private name(body: number): string {
    return body < 0 ? "ground" : (this.sceneShown?.bodies[body]?.name ?? `body ${body}`);
  }

  scene(message: SceneMessage): void {
    if (message.pane !== 0) return;
    const same =
      this.sceneShown?.name === message.name &&
      this.sceneShown.bodies[this.body]?.name === message.bodies[this.body]?.name;
    this.sceneShown = message;
    if (!same) this.select(0, -1, -1);
  }

  private ask(): void {
    clearTimeout(this.later);
    this.later = 0;
    this.asked = performance.now();
    this.send({ type: "inspect", pane: this.pane, body: this.body });
  }

  frame(frame: Frame): void {
    if (frame.pane !== this.pane) return;
    const now = performance.now();
    if (this.body >= 0 && now - this.asked > ASK_MS) this.ask();
    // It may be the last frame for long: nothing that was shown stays out of date.
    else if (this.body >= 0 && !this.later) this.later = window.setTimeout(() => this.ask(), ASK_MS);
    if (!this.contact) return;
    const index = continueContact(frame, this.contact);
    if (index >= 0) this.contact = frameContact(frame, index);
    this.stage.select(this.pane, -1, index);
    if (now - this.drawn < ASK_MS && frame.running) return;
    this.drawn = now;
    if (index >= 0) this.showContact(this.contact);
    else this.show([["State", "not in contact"]]);
  }

  bodyState(message: BodyMessage): void {
    if (message.index !== this.body || message.pane !== this.pane) return;
    const d = this.sceneShown?.dimension ?? 3;
    const rows: [string, string][] = [["Kind", message.kind ?? "\u2013"]];
    if (message.mass) rows.push(["Mass", quantity(1000 * message.mass, "g")]);
    if (message.position) rows.push(["Centre", vector(message.position, "m", d)]);
    if (message.velocity)
      rows.push(["Velocity", vector(message.velocity, "m/s", d)], ["Speed", quantity(length(message.velocity), "m/s")]);
    if (message.omega)
      rows.push(["Spin", d === 2 ? `${number(message.omega[2] ?? 0)} rad/s` : vector(message.omega, "rad/s")]);
    if (message.contact_force) rows.push(["Contact force", vector(message.contact_force, "N", d)]);
    rows.push(
      ["Contacts", String(message.contacts ?? 0)],
      ["Island", (message.island ?? -1) < 0 ? "none" : String(message.island)],
    );
    if (message.soft) rows.push(...this.softRows(message.soft));
    this.show(rows);
  }

  // A mode by the displacement that it makes where it moves the body most; an amplitude alone says nothing.
  private softRows(soft: SoftState): [string, string][] {
    const shape = this.stage.panes[this.pane]?.deformation(this.body);
    const rows: [string, string][] = [];
    if (soft.kind) rows.push(["Elastic law", soft.kind === "stvk" ? "St. Venant-Kirchhoff" : "linear modes"]);
    if (shape) rows.push(["Displacement", `up to ${quantity(shape.displacement, "m")}`]);
    if (soft.least_volume !== undefined)
      rows.push(["Volume, where least", soft.least_volume > 0 ? `${number(100 * soft.least_volume)} %` : "turned inside out"]);
    if (soft.elastic_energy !== undefined) rows.push(["Elastic energy", quantity(soft.elastic_energy, "J")]);
    rows.push(["Modes", String(soft.modes)]);
    for (let a = 0; a < Math.min(soft.modes, MODES_SHOWN); a++) {
      const frequency = soft.frequencies?.[a];
      const made = soft.amplitudes[a] * (shape?.reach[a] ?? 1);
      rows.push([`Mode ${a + 1}${frequency ? `, ${number(frequency)} Hz` : ""}`, quantity(made, "m")]);
    }
    return rows;
  }

  private showContact(c: Contact): void {
    const { normal, tangential, used, slip } = utilisation(c);
    const d = this.sceneShown?.dimension ?? 3;
    setText(this.heading, `${this.name(c.bodies[0])} \u2013 ${this.name(c.bodies[1])}`);
    this.bar.hidden = false;
    this.bar.dataset.status = String(c.status);
    this.bar.setAttribute("aria-label", `${(100 * used).toFixed(0)} % of the friction cone used`);
    (this.bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, 100 * used).toFixed(1)}%`;
    this.show([
      ["State", CONTACT_NAMES[c.status] ?? "\u2013"],
      ["Cone used", `${number(100 * used)} %`],
      ["Gap", quantity(c.gap, "m")],
      ["Normal force", quantity(normal, "N")],
      ["Friction force", quantity(tangential, "N")],
      ["Friction \u00b5", number(c.mu)],
      ["Slip", quantity(slip, "m/s")],
      ["Point", vector(c.point, "m", d)],
      ["Normal", vector(c.normal, "", d)],
    ]);
  }

  // Rows stay where they are; only their texts change.
  private show(rows: [string, string][]): void {
    this.hint.hidden = true;
    const dl = this.table;
    while (dl.children.length > 2 * rows.length) dl.lastElementChild?.remove();
    while (dl.children.length < 2 * rows.length) dl.append(el(dl.children.length % 2 ? "dd" : "dt", {}));
    rows.forEach(([name, value], i) => {
      setText(dl.children[2 * i] as HTMLElement, name);
      setText(dl.children[2 * i + 1] as HTMLElement, value);
    });
  }
}
