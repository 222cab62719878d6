// A recording inside the page: blocks of frames, unpacked when they are needed. apps/serve/replay_file.h says how they are
// packed.
import { bytesOf } from "./bytes";
import {
  BODY_FLOATS,
  CONTACT_WORDS,
  modeCount,
  readStats,
  shareSurfaces,
  STATS_BYTES,
  type Frame,
  type HelloMessage,
  type SceneMessage,
  type StepStats,
} from "./protocol";

const VERSION = 2; // 1 knew no deformable bodies
const BLOCKS_KEPT = 6;

export interface BlockHead {
  from: number; // time of its first frame, s
  frames: number;
  size: number; // bytes, unpacked
}

export interface RecordingHead {
  version: number;
  hello: HelloMessage;
  scene: SceneMessage;
  rows: number; // of the trajectory that it was made from
  frames: number;
  contacts: boolean;
  stats: number;
  blocks: BlockHead[];
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// Four planes of bytes, lowest first, as words.
function joinPlanes(planes: Uint8Array, count: number): Uint32Array {
  const words = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    words[k] =
      planes[k] | (planes[count + k] << 8) | (planes[2 * count + k] << 16) | (planes[3 * count + k] << 24);
  }
  return words;
}

export function unpackBlock(
  buffer: ArrayBuffer,
  frames: number,
  bodies: number,
  modes: number,
  generation: number,
): Frame[] {
  const view = new DataView(buffer);
  const bodyWords = (BODY_FLOATS + 1) * bodies + modes;
  const modesAt = BODY_FLOATS * bodies;
  const contacts = Array.from({ length: frames }, (_, f) => view.getUint32(12 * frames + 4 * f, true));
  const contactWords = contacts.reduce((sum, count) => sum + CONTACT_WORDS * count, 0);
  const count = frames * bodyWords + contactWords;
  if (buffer.byteLength !== 16 * frames + 4 * count) throw new Error("the recording in this file is damaged");
  const words = joinPlanes(new Uint8Array(buffer, 16 * frames), count);
  const unpacked: Frame[] = [];
  let contactAt = frames * bodyWords;
  for (let f = 0; f < frames; f++) {
    const bodyAt = f * bodyWords;
    if (f > 0) {
      for (let k = 0; k < bodyWords; k++) words[bodyAt + k] ^= words[bodyAt + k - bodyWords];
      const before = contactAt - CONTACT_WORDS * contacts[f - 1];
      const shared = CONTACT_WORDS * Math.min(contacts[f], contacts[f - 1]);
      for (let k = 0; k < shared; k++) words[contactAt + k] ^= words[before + k];
    }
    unpacked.push({
      generation,
      pane: 0,
      time: view.getFloat64(8 * f, true),
      step: view.getUint32(8 * frames + 4 * f, true),
      running: false,
      bodies,
      contacts: contacts[f],
      poses: new Float32Array(words.buffer, 4 * bodyAt, BODY_FLOATS * bodies),
      modes: new Float32Array(words.buffer, 4 * (bodyAt + modesAt), modes),
      islands: new Int32Array(words.buffer, 4 * (bodyAt + modesAt + modes), bodies),
      contactFloats: new Float32Array(words.buffer, 4 * contactAt, CONTACT_WORDS * contacts[f]),
      contactInts: new Int32Array(words.buffer, 4 * contactAt, CONTACT_WORDS * contacts[f]),
      stats: [],
    });
    contactAt += CONTACT_WORDS * contacts[f];
  }
  return unpacked;
}

// Between two frames: positions and amplitudes on a line, orientations along the shortest turn; contacts are those of the first.
export function between(a: Frame, b: Frame, time: number): Frame {
  const share = Math.min(1, Math.max(0, (time - a.time) / (b.time - a.time)));
  const poses = new Float32Array(a.poses.length);
  for (let at = 0; at < poses.length; at += BODY_FLOATS) {
    let dot = 0;
    for (let k = 3; k < 7; k++) dot += a.poses[at + k] * b.poses[at + k];
    let norm = 0;
    for (let k = 0; k < 7; k++) {
      const to = k >= 3 && dot < 0 ? -b.poses[at + k] : b.poses[at + k];
      const value = a.poses[at + k] + share * (to - a.poses[at + k]);
      poses[at + k] = value;
      if (k >= 3) norm += value * value;
    }
    for (let k = 3; k < 7; k++) poses[at + k] /= Math.sqrt(norm);
  }
  const modes = a.modes.map((q, k) => q + share * (b.modes[k] - q));
  return { ...a, time, poses, modes };
}

export class Recording {
  private readonly blocks = new Map<number, Promise<Frame[]>>(); // the ones used last are at its end

  constructor(
    readonly head: RecordingHead,
    private readonly packed: (name: string) => string,
  ) {
    shareSurfaces(head.scene);
  }

  get first(): number {
    return this.head.blocks[0].from;
  }

  async stats(): Promise<StepStats[]> {
    const buffer = await inflate(bytesOf(this.packed("stats")));
    return readStats(new DataView(buffer), 0, Math.floor(buffer.byteLength / STATS_BYTES));
  }

  block(index: number): Promise<Frame[]> {
    let block = this.blocks.get(index);
    if (!block) {
      const { frames } = this.head.blocks[index];
      const { bodies, generation } = this.head.scene;
      const modes = modeCount(this.head.scene);
      block = inflate(bytesOf(this.packed(String(index)))).then((b) =>
        unpackBlock(b, frames, bodies.length, modes, generation),
      );
    }
    this.blocks.delete(index);
    this.blocks.set(index, block);
    for (const old of this.blocks.keys()) {
      if (this.blocks.size <= BLOCKS_KEPT) break;
      this.blocks.delete(old);
    }
    return block;
  }

  blockAt(time: number): number {
    let low = 0;
    let high = this.head.blocks.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.head.blocks[middle].from <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  async last(): Promise<number> {
    const frames = await this.block(this.head.blocks.length - 1);
    return frames[frames.length - 1].time;
  }

  // The frame before the last one; null where there is none.
  async before(frame: Frame): Promise<Frame | null> {
    const index = this.blockAt(frame.time);
    const frames = await this.block(index);
    const k = frames.findIndex((one) => one.time === frame.time);
    if (k > 0) return frames[k - 1];
    const earlier = index > 0 ? await this.block(index - 1) : [];
    return earlier[earlier.length - 1] ?? null;
  }

  // The last frame that is not later than `time`, and the one after it.
  async at(time: number): Promise<{ frame: Frame; next: Frame | null }> {
    const index = this.blockAt(time);
    const frames = await this.block(index);
    let k = 0;
    while (k + 1 < frames.length && frames[k + 1].time <= time) k++;
    if (k + 1 < frames.length) return { frame: frames[k], next: frames[k + 1] };
    if (index + 1 === this.head.blocks.length) return { frame: frames[k], next: null };
    return { frame: frames[k], next: (await this.block(index + 1))[0] };
  }
}

// The recording that this page carries, or null where it came from a server.
export function recordingOf(page: Document): Recording | null {
  const element = (name: string) => page.querySelector(`script[data-recording="${name}"]`);
  const head = element("head");
  if (!head) return null;
  const parsed = JSON.parse(head.textContent ?? "") as RecordingHead;
  if (!(parsed.version >= 1 && parsed.version <= VERSION))
    throw new Error(`a recording of version ${parsed.version}; this page reads 1 to ${VERSION}`);
  return new Recording(parsed, (name) => element(name)?.textContent ?? "");
}
