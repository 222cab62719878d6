// A source that plays the recording inside the page: no server, no network.
import {
  ContactStatus,
  CONTACT_WORDS,
  frameContact,
  type Command,
  type Frame,
  type SceneMessage,
  type StateMessage,
  type StepStats,
} from "./protocol";
import { between, type Recording } from "./recording";
import type { Source, SourceListener } from "./source";

const STATUS_WORDS: Record<ContactStatus, string> = {
  [ContactStatus.Open]: "open",
  [ContactStatus.Stick]: "stick",
  [ContactStatus.Slip]: "slip",
  [ContactStatus.Opening]: "about to open",
  [ContactStatus.Roll]: "roll",
  [ContactStatus.Spin]: "spin",
};
const LONGEST_PAUSE = 0.1; // seconds that playing goes on by between two pictures, however long they took
const FASTEST = 16; // what "as fast as it goes" means here

export class ReplaySource implements Source {
  private listener: SourceListener | null = null;
  private time = 0;
  private end = 0;
  private running = false;
  private speed = 1;
  private shown: Frame | null = null;
  private ticking = false;
  private ticked = 0;
  private stats: StepStats[] = [];
  private begun: () => void = () => undefined;
  readonly ready = new Promise<void>((done) => (this.begun = done)); // kept when the first frame was shown
  private asked = 0; // requests for frames so far: only the last one is shown

  constructor(private readonly recording: Recording) {}

  async start(listener: SourceListener): Promise<void> {
    this.listener = listener;
    const { hello, scene } = this.recording.head;
    this.time = this.recording.first;
    this.end = await this.recording.last();
    listener.connection({ state: "open" });
    listener.message(hello);
    listener.message(scene);
    this.tell();
    this.stats = await this.recording.stats();
    await this.show(this.time, false, this.stats); // the charts show the whole run from the start
    this.begun();
  }

  get present(): Frame | null {
    return this.shown;
  }

  get scene(): SceneMessage {
    return this.recording.head.scene;
  }

  problemAddress(): null {
    return null;
  }

  send(command: Command): void {
    if (command.type === "run") this.run();
    if (command.type === "pause") this.stop();
    if (command.type === "reset") void this.seek(this.recording.first);
    if (command.type === "seek") void this.seek(command.time);
    if (command.type === "step") void this.step();
    if (command.type === "speed") {
      this.speed = command.value > 0 ? command.value : FASTEST;
      this.tell();
    }
    if (command.type === "inspect") this.inspect(command);
  }

  // Shows a moment, and is done when it has been told to all. A frame that was recorded, or, if `smooth`, one between two.
  async seek(time: number, smooth = false): Promise<void> {
    this.running = false;
    this.time = Math.min(this.end, Math.max(this.recording.first, time));
    this.tell();
    await this.show(this.time, smooth);
  }

  // ---- playing

  private run(): void {
    if (this.time >= this.end) this.time = this.recording.first;
    this.running = true;
    this.ticked = performance.now();
    this.tell();
    if (!this.ticking) this.tick();
  }

  private stop(): void {
    this.running = false;
    this.tell();
  }

  private async step(): Promise<void> {
    this.running = false;
    const { next } = await this.recording.at(this.time);
    await this.seek(next ? next.time : this.end);
  }

  private tick(): void {
    this.ticking = this.running;
    if (!this.running) return;
    requestAnimationFrame(async (now) => {
      if (this.running) {
        const passed = Math.min(LONGEST_PAUSE, Math.max(0, (now - this.ticked) / 1000));
        this.ticked = now;
        this.time = Math.min(this.end, this.time + passed * this.speed);
        this.running = this.time < this.end;
        await this.show(this.time, this.running);
        if (!this.running) this.tell();
      }
      this.tick();
    });
  }

  // The certificate of a moment: of the last step that was recorded until then.
  private statsAt(time: number): StepStats[] {
    let low = 0;
    let high = this.stats.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.stats[middle].time <= time) low = middle;
      else high = middle;
    }
    return this.stats.slice(low, low + 1);
  }

  private async show(time: number, smooth: boolean, stats = this.statsAt(time)): Promise<void> {
    const asked = ++this.asked;
    const { frame, next } = await this.recording.at(time);
    const beside = next ?? (await this.recording.before(frame));
    if (asked !== this.asked) return;
    const moment = smooth && next !== null && time > frame.time ? between(frame, next, time) : frame;
    this.shown = { ...moment, running: this.running, stats, beside: moment === frame ? beside : frame };
    this.listener?.frame(this.shown);
  }

  private tell(): void {
    const { tolerance, method, h, gravity } = this.recording.head.scene;
    const settings = { running: this.running, speed: this.speed, tolerance, method, h, gravity };
    const message: StateMessage = { type: "state", ...settings, range: [this.recording.first, this.end] };
    this.listener?.message(message);
  }

  // ---- looking closer

  private inspect(command: { body?: number; contact?: number }): void {
    const frame = this.shown;
    if (!frame) return;
    if (command.body !== undefined && command.body >= 0 && command.body < frame.bodies) this.tellBody(frame, command.body);
    const contact = command.contact;
    if (contact !== undefined && contact >= 0 && contact < frame.contacts) this.tellContact(frame, contact);
  }

  private tellBody(frame: Frame, index: number): void {
    const body = this.recording.head.scene.bodies[index];
    const pose = frame.poses.subarray(7 * index, 7 * index + 7);
    const { modes, first_mode: first = 0 } = body.shapes?.find((shape) => shape.modes) ?? {};
    const force = [0, 0, 0];
    let contacts = 0;
    for (let k = 0; k < frame.contacts; k++) {
      for (let side = 0; side < 2; side++) {
        if (frame.contactInts[CONTACT_WORDS * k + 14 + side] !== index) continue;
        contacts++;
        frameContact(frame, k).force.forEach((f, a) => (force[a] += side === 1 ? f : -f));
      }
    }
    this.listener?.message({
      type: "body",
      pane: 0,
      index,
      name: body.name,
      kind: body.fixed ? "fixed" : "dynamic",
      mass: body.mass,
      position: [...pose.subarray(0, 3)],
      orientation: [...pose.subarray(3)],
      island: frame.islands[index],
      time: frame.time,
      ...(this.recording.head.contacts ? { contact_force: force, contacts } : {}),
      ...(modes ? { soft: { modes, amplitudes: [...frame.modes.subarray(first, first + modes)] } } : {}),
    });
  }

  private tellContact(frame: Frame, index: number): void {
    const c = frameContact(frame, index);
    const along = (v: number[]) => v.reduce((sum, x, a) => sum + x * c.normal[a], 0);
    const aside = (v: number[]) => Math.hypot(...v.map((x, a) => x - along(v) * c.normal[a]));
    const bodies = this.recording.head.scene.bodies;
    this.listener?.message({
      type: "contact",
      pane: 0,
      index,
      bodies: c.bodies,
      names: c.bodies.map((b) => bodies[b]?.name),
      point: c.point,
      normal: c.normal,
      gap: c.gap,
      mu: c.mu,
      force: c.force,
      normal_force: along(c.force),
      tangential_force: aside(c.force),
      slip: c.slip,
      slip_speed: aside(c.slip),
      opening_speed: along(c.slip),
      utilisation: aside(c.force) / (c.mu * along(c.force)),
      status: STATUS_WORDS[c.status],
      time: frame.time,
    });
  }
}
