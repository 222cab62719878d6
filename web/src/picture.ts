// Pictures and films: `cardhouse render` opens a replay file in a browser without a window, and asks this for one moment
// after the other. The controls are hidden; a line of text tells what is seen.
import "./picture.css";
import type { Frame } from "./protocol";
import type { ReplaySource } from "./replay";
import { find, setText } from "./ui/dom";
import { verdictOf } from "./ui/verdict";
import type { Direction } from "./view/camera";
import type { Colouring } from "./view/quantities";
import type { Stage } from "./view/stage";
import { texturesReady } from "./view/textures";

export interface PictureOptions {
  view: Direction | ""; // "": as the scene says
  colouring: Colouring | "";
  contacts: boolean;
  chains: boolean;
  dark: boolean;
  caption: boolean;
  fine?: boolean; // soft shadows and ambient occlusion
}

const ROOM = 0.94; // the scale and the caption lie at the edges

function nextPicture(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
}

class Picture {
  private readonly caption = document.createElement("p");
  private options: PictureOptions | null = null;

  constructor(
    private readonly source: ReplaySource,
    private readonly stage: Stage,
  ) {
    this.caption.className = "picture-caption";
  }

  async begin(options: PictureOptions): Promise<void> {
    this.options = options;
    await this.source.ready;
    document.documentElement.dataset.picture = options.caption ? "told" : "plain";
    if (options.dark !== (document.documentElement.dataset.theme === "dark")) find("theme").click();
    const { look } = this.source.scene;
    this.stage.shown.points = this.stage.shown.forces = options.contacts || (look?.contacts ?? false);
    this.stage.shown.chains ||= options.chains;
    if (options.colouring) this.stage.shown.colouring = options.colouring;
    this.stage.steady = true;
    if (options.fine) this.stage.takeTime();
    this.stage.apply();
    if (options.caption) find("stage").append(this.caption);
    await nextPicture(); // the canvas takes its new size
  }

  // The camera is fitted to what the first picture shows, and stays.
  async show(time: number, smooth: boolean): Promise<void> {
    await this.source.seek(time, smooth);
    if (this.options) {
      this.stage.fit(this.options.view || undefined, 1 / ROOM);
    }
    this.options = null;
    await texturesReady();
    this.stage.invalidate();
    this.tell();
    await nextPicture();
  }

  private tell(): void {
    const frame = this.source.present as Frame;
    const { name, tolerance } = this.source.scene;
    const step = frame.stats[frame.stats.length - 1];
    const verdict = step && verdictOf(step, tolerance);
    setText(this.caption, `${name} · t = ${frame.time.toFixed(3)} s${verdict ? ` · ${verdict.text}` : ""}`);
  }
}

declare global {
  interface Window {
    cardhousePicture?: Picture;
  }
}

export function offerPictures(source: ReplaySource, stage: Stage): void {
  window.cardhousePicture = new Picture(source, stage);
}
