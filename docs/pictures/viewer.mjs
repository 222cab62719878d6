// Makes the pictures of the viewer from real runs, in a browser without a window; `make pictures` calls it.
//
//   node docs/pictures/viewer.mjs --program build/cardhouse --modules build/web/node_modules --out docs/pictures [NAME ...]
//
// Every picture is taken when what it is to show is there: a certificate below 1e-8, a block that hit, a house that fell.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { launch, option, serve } from "../../tests/e2e/browser.mjs";

const LARGEST = 200 * 1000; // bytes
const PATIENCE = 300000; // ms
const program = option("program");
const out = option("out");
const browser = await launch(option("modules"));


const sleep = (page, ms) => page.waitForTimeout(ms);

async function until(page, what, condition, argument) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(page, 50)) {
    if (await page.evaluate(condition, argument)) return;
  }
  throw new Error(`never seen: ${what}`);
}

const certified = () => document.querySelector(".chip")?.dataset.met === "true";
const timeIs = (t) => parseFloat(document.getElementById("time").textContent) >= t;
// Metres between the two, as the chart tells them.
const apart = (least) => {
  const text = document.querySelector('[data-chart="distance-of-the-two"] .chart-values').textContent;
  return / m$/.test(text) && parseFloat(text) >= least;
};
// Millimetres by which the selected body is displaced.
const bent = (least) => parseFloat(/up to ([\d.]+) mm/.exec(document.getElementById("inspect").innerText)?.[1]) >= least;
const summaryHas = (text) => document.getElementById("scene-summary").textContent.includes(text);

// Where there is no graphics card the page would leave them out as soon as it falls behind; what was chosen stays.
const keepShadows = () => {
  const box = document.getElementById("show-shadows");
  box.checked = true;
  box.dispatchEvent(new Event("change"));
};

// A picture of at most 256 colours is a third as large, and looks the same.
function shrink(path) {
  const small = `${path}.small.png`;
  const colours = "split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=none";
  const made = spawnSync("ffmpeg", ["-y", "-loglevel", "error", "-i", path, "-filter_complex", colours, small]);
  if (made.status === 0 && statSync(small).size < statSync(path).size) renameSync(small, path);
  else if (made.status === 0) unlinkSync(small);
}

// A film of a page that people read: it plays wherever a picture is shown.
function pack(film, name) {
  const packing = ["-c:v", "libwebp_anim", "-loop", "0", "-q:v", "50", "-compression_level", "6"];
  execFileSync("ffmpeg", ["-y", "-loglevel", "error", "-i", film, ...packing, join(out, `${name}.webp`)]);
}

// A scene of docs/gallery.md, run as the page says, and slowly.
function gallery(name, speed, to, camera, target, fov) {
  const folder = mkdtempSync(join(tmpdir(), "cardhouse-"));
  const [run, film] = ["run.h5", "film.mp4"].map((file) => join(folder, file));
  const running = ["--tol", "1e-6", "--strict", "--until", to, "--out", run, "--quiet"];
  execFileSync(program, ["run", name, ...running], { stdio: "inherit" });
  const part = ["--speed", speed, "--fps", "12", "--size", "400x300", "--plain", "--quiet"];
  const view = ["--camera", camera, "--target", target, "--fov", fov];
  execFileSync(program, ["render", run, "--mp4", film, ...part, ...view], { stdio: "inherit" });
  pack(film, `gallery-${name}`);
  rmSync(folder, { recursive: true });
}

function finish(name) {
  const path = join(out, `${name}.png`);
  shrink(path);
  const size = statSync(path).size;
  if (size > LARGEST) throw new Error(`${path} takes ${size} bytes, more than ${LARGEST}`);
  console.log(`${path}  ${(size / 1000).toFixed(0)} kB`);
}

async function picture(name, words, options, body) {
  const { link, server } = await serve(program, words);
  await pictureOf(name, link, server, options, body);
}

async function pictureOf(name, link, server, options, body) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, ...options });
  try {
    await page.goto(link);
    await until(page, "a connection", () => document.documentElement.dataset.connection === "open");
    await page.evaluate(keepShadows);
    await body(page);
    await page.mouse.move(2, 2);
    await page.evaluate(() => document.activeElement?.blur());
    await until(page, "no message in the way", () => document.getElementById("toasts").childElementCount === 0);
    await sleep(page, 600);
    await page.screenshot({ path: join(out, `${name}.png`) });
  } finally {
    await page.close();
    server.kill();
  }
  finish(name);
}

// A program in Python that prints its page's link and steps on; the module is the build folder's.
async function python(text) {
  const lib = join(dirname(program), "python", "lib");
  const env = { ...process.env, CARDHOUSE: program, PYTHONPATH: lib, OPENBLAS_NUM_THREADS: "1" };
  const server = spawn("/usr/bin/python3", ["-u", "-c", text], { stdio: ["ignore", "pipe", "inherit"], env });
  let told = "";
  const link = await new Promise((resolve, reject) => {
    server.stdout.on("data", (part) => {
      told += part;
      if (told.endsWith("\n")) resolve(told.trim());
    });
    server.on("exit", () => reject(new Error(`no link from Python: ${told}`)));
  });
  return { link, server };
}

async function pause(page) {
  if (await page.evaluate(() => document.getElementById("run").dataset.state === "running")) await page.click("#run");
  await until(page, "a pause", () => document.getElementById("run").dataset.state === "paused");
}

// Shoots a block at the middle of the house, and waits for `seconds` of its time.
async function shoot(page, seconds) {
  await until(page, "a certificate", certified);
  await until(page, "a moment of rest", timeIs, 0.05);
  await sleep(page, 2000); // the camera has found the house
  const from = await page.$eval("#time", (element) => parseFloat(element.textContent));
  await page.keyboard.press("b");
  await until(page, "the block", summaryHas, "27 bodies");
  await until(page, "the hit", timeIs, from + seconds);
}

// A built-in scene under a title of its own, run, recorded and rendered, all by the program.
function clip(path, title, scene, running, rendering) {
  const folder = mkdtempSync(join(tmpdir(), "cardhouse-"));
  const file = join(folder, "scene.json");
  const run = join(folder, "run.h5");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(execFileSync(program, ["scene", ...scene])), name: title }));
  execFileSync(program, ["run", file, ...running, "--out", run, "--quiet"], { stdio: "inherit" });
  execFileSync(program, ["render", run, "--mp4", path, ...rendering], { stdio: "inherit" });
  rmSync(folder, { recursive: true });
}

const film = (name, scene, running, rendering) => clip(join(out, `${name}.mp4`), name, scene, running, rendering);

// Several of them in one picture, so many in a row: [title, scene].
function films(name, columns, scenes, running, rendering) {
  const folder = mkdtempSync(join(tmpdir(), "cardhouse-"));
  const inputs = scenes.flatMap(([title, scene], k) => {
    clip(join(folder, `${k}.mp4`), title, scene, running, rendering);
    return ["-i", join(folder, `${k}.mp4`)];
  });
  const side = (count, letter) => (count === 0 ? "0" : Array(count).fill(`${letter}0`).join("+"));
  const layout = scenes.map((_, k) => `${side(k % columns, "w")}_${side(Math.floor(k / columns), "h")}`).join("|");
  const words = ["-filter_complex", `xstack=inputs=${scenes.length}:layout=${layout}`, "-crf", "27", "-pix_fmt", "yuv420p"];
  execFileSync("ffmpeg", ["-y", "-loglevel", "error", ...inputs, ...words, join(out, `${name}.mp4`)], { stdio: "inherit" });
  rmSync(folder, { recursive: true });
}

const pictures = {
  // The house stands, every step certified.
  "viewer-cards": () =>
    picture("viewer-cards", ["cards"], {}, async (page) => {
      await until(page, "two seconds", timeIs, 2);
      await until(page, "a certificate", certified);
    }),
  // A block flies into it.
  "viewer-shot": () =>
    picture("viewer-shot", ["cards", "--speed", "0.1"], {}, async (page) => {
      await shoot(page, 0.8);
      await pause(page);
    }),
  // What is left of it has found a new rest.
  "viewer-rest": () =>
    picture("viewer-rest", ["cards"], {}, async (page) => {
      await shoot(page, 3);
      await until(page, "rest", () => ![...document.querySelectorAll(".rest")].some((mark) => mark.hidden));
    }),
  // With the sweeps of a game engine one method lets it fall and the other holds it.
  "viewer-compare": () =>
    picture("viewer-compare", ["cards", "--compare", "pgs,auto"], {}, async (page) => {
      await until(page, "a fallen house", apart, 1.5);
      await pause(page);
      await page.keyboard.press("v");
      for (const word of ["Contact points", "Contact forces"]) await page.getByLabel(word).uncheck();
      await page.keyboard.press("v");
    }),
  "viewer-phone": () =>
    picture("viewer-phone", ["arch"], { viewport: { width: 390, height: 844 }, colorScheme: "dark" }, async (page) => {
      await until(page, "a second", timeIs, 1);
      await until(page, "a certificate", certified);
    }),
  // A bar of rubber that hangs over a step, by how far its points are displaced.
  "viewer-soft": () =>
    picture("viewer-soft", ["soft-bar", "--speed", "0.05"], {}, async (page) => {
      await page.keyboard.press("n");
      await page.keyboard.press("v");
      await page.selectOption("#colouring", "displacement");
      await page.keyboard.press("v");
      await until(page, "a bent bar", bent, 30);
      await pause(page);
    }),
  // By `cardhouse render`, without a server.
  render: () => {
    const words = ["cards", "--until", "1", "--png", join(out, "render.png"), "--size", "960x540", "--contacts"];
    execFileSync(program, ["render", ...words], { stdio: "inherit" });
    finish("render");
  },
  // Three blocks fall on a house of playing cards, every step certified: README's first picture.
  "cards-hit": () => {
    const folder = mkdtempSync(join(tmpdir(), "cardhouse-"));
    const [scene, run, film] = ["scene.json", "run.h5", "film.mp4"].map((name) => join(folder, name));
    const words = ["--card", "playing", "--blocks", "3", "--edge", "0.4", "--drop", "1.5", "--every", "0.12"];
    writeFileSync(scene, execFileSync(program, ["scene", "cards", ...words]));
    const running = ["--until", "1.9", "--every", "8", "--adaptive", "miss", "--out", run, "--quiet"];
    execFileSync(program, ["run", scene, ...running], { stdio: "inherit" });
    const part = ["--from", "1.08", "--to", "1.72", "--speed", "0.17", "--fps", "12", "--size", "560x350", "--plain", "--fine"];
    const camera = ["--camera", "0.32,-0.47,0.2", "--target", "0.022,0,0.094", "--fov", "36"];
    execFileSync(program, ["render", run, "--mp4", film, ...part, ...camera], { stdio: "inherit" });
    pack(film, "cards-hit");
    rmSync(folder, { recursive: true });
  },
  // The gallery: surfaces that hold by contact alone.
  "gallery-screw": () => gallery("screw", "0.165", "0.66", "0.078,-0.095,0.045", "0,0,0.008", "38"),
  "gallery-chain-net": () => gallery("chain-net", "0.125", "0.5", "0.82,-1.5,0.72", "0,0,-0.02", "40"),
  "gallery-bike-chain": () => gallery("bike-chain", "0.5", "2", "0.1,-0.235,0.05", "0.072,0,-0.002", "40"),
  "gallery-anchor": () => gallery("anchor", "0.4", "1.6", "0.2,-5,-0.8", "0,0,-1.05", "40"),
  "gallery-wrecking-ball": () => gallery("wrecking-ball", "0.3", "1.2", "2.6,-5.4,2.3", "0.1,0,1.3", "40"),
  // Films. Blocks that knock a house of cards down: a quarter of an hour where the machine is busy.
  blocks: () =>
    film(
      "blocks",
      ["cards", "--blocks", "24", "--drop", "0.6", "--every", "0.4", "--restitution", "0.1"],
      ["--until", "8", "--every", "25"],
      ["--fps", "20", "--size", "640x360", "--view", "front"],
    ),
  // A loop in Python drops boxes onto a stack; the page follows it.
  "python-live": async () => {
    const { link, server } = await python(`
import time, cardhouse
sim = cardhouse.Simulation(cardhouse.scenes.stack(n=3))
page = sim.view(browser=False)
print(page.url)
for n in range(100000):
    if n % 60 == 30 and n < 700:
        sim.add_box([0.25, 0.25, 0.25], position=[0.4 * (n % 7) - 1.2, 0.3 * (n % 5) - 0.6, 4.5])
    sim.step(5)
    time.sleep(0.005)
`);
    await pictureOf("python-live", link, server, {}, async (page) => {
      await until(page, "boxes", summaryHas, "15 bodies");
      await until(page, "a certificate", certified);
    });
  },
  // Legs that chatter as the chairs slide.
  chairs: () =>
    film(
      "chairs",
      ["chairs"],
      ["--h", "0.002", "--every", "5"],
      ["--from", "1.1", "--to", "2.4", "--speed", "0.4", "--fps", "25", "--size", "800x450"],
    ),
  // Mats that hold, creep apart or fall: the two rows of Kaufman's Fig 7.1.
  composites: () =>
    films(
      "composites",
      3,
      ["3.25e7", "6.5e7"].flatMap((young) =>
        ["0.1", "0.3", "0.5"].map((mu) => [`${young} Pa, mu = ${mu}`, ["composite", "--young", young, "--mu", mu]]),
      ),
      ["--until", "0.7"],
      ["--from", "0.1", "--speed", "0.15", "--size", "480x360", "--view", "front"],
    ),
  // Bars that jam, or pass: the more friction, the more of them stay.
  jamming: () =>
    films(
      "jamming",
      3,
      ["0.2", "0.4", "0.8"].map((mu) => [`mu = ${mu}`, ["jamming", "--mu", mu]]),
      ["--until", "1.6", "--every", "5"],
      ["--speed", "0.4", "--size", "480x400", "--view", "front"],
    ),
  // A mesh that Gmsh made, under load.
  "hook": () => {
    const run = join(mkdtempSync(join(tmpdir(), "cardhouse-")), "hook.h5");
    execFileSync(program, ["run", "scenes/hook.json", "--out", run, "--every", "20", "--quiet"], { stdio: "inherit" });
    const words = ["--png", join(out, "hook.png"), "--size", "720x540", "--colour", "displacement", "--contacts"];
    execFileSync(program, ["render", run, ...words], { stdio: "inherit" });
    finish("hook");
  },
};

const wanted = process.argv.slice(2).filter((word) => word in pictures);
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(pictures)) await pictures[name]();
} finally {
  await browser.close();
}
