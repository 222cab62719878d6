// The viewer in a real browser: what a reader does with it, done by a program. Exit status 77 where there is no Chromium.
//
//   node tests/e2e/viewer.mjs --program build/cardhouse --modules build/web/node_modules
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test, { after, before } from "node:test";
import { findChromium, launch, option, serve } from "./browser.mjs";

if (!findChromium()) {
  console.log("skipped: there is no Chromium (Debian: apt-get install chromium)");
  process.exit(77);
}
const program = option("program");
const folder = mkdtempSync(join(tmpdir(), "cardhouse-e2e-"));
const DESK = { width: 960, height: 560 };
const PATIENCE = 60000; // ms; a busy machine draws a picture a second
const PHONE = { width: 390, height: 844 };

let browser;

before(async () => {
  browser = await launch(option("modules"));
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// ------------------------------------------------------------------------------------------------------------- helpers

// A page of its own for every test; whatever its console complains of fails it.
async function look(address, viewport, body) {
  const page = await browser.newPage({ viewport });
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.setDefaultTimeout(PATIENCE);
  try {
    await page.goto(address);
    await until(page, "a connection", () => document.documentElement.dataset.connection === "open");
    await body(page);
    assert.deepEqual(complaints, []);
  } finally {
    await page.close();
  }
}

async function view(words, body, viewport = DESK) {
  const { link, server } = await serve(program, words);
  try {
    await look(link, viewport, body);
  } finally {
    server.kill();
  }
}

// The page's security policy allows no eval, which the browser driver's own waiting needs.
async function until(page, what, condition, argument) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await page.waitForTimeout(50)) {
    if (await page.evaluate(condition, argument)) return;
  }
  assert.fail(`never seen: ${what}`);
}

const seconds = (page) => page.$eval("#time", (element) => parseFloat(element.textContent));
const steps = (page) => page.$eval("#steps", (element) => Number(/\d+/.exec(element.textContent)[0]));
const running = (page) => page.$eval("#run", (element) => element.dataset.state === "running");

async function setRunning(page, wanted) {
  if ((await running(page)) !== wanted) await page.click("#run");
  await until(page, wanted ? "running" : "paused", (w) => (document.getElementById("run").dataset.state === "running") === w, wanted);
}

// Centres of the bodies and amplitudes of those that deform, from a connection of its own, in the present frame.
const present = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        const socket = new WebSocket(`ws://${location.host}/ws${location.search}`);
        socket.binaryType = "arraybuffer";
        socket.onmessage = ({ data }) => {
          if (typeof data === "string") return;
          const [bodies, modes] = [32, 48].map((at) => new DataView(data).getUint32(at, true));
          const poses = new Float32Array(data, 52, 7 * bodies);
          socket.close();
          done({
            centres: Array.from({ length: bodies }, (_, b) => [...poses.subarray(7 * b, 7 * b + 3)]),
            amplitudes: [...new Float32Array(data, 52 + 28 * bodies, modes)],
          });
        };
      }),
  );
const centres = async (page) => (await present(page)).centres;

const farthest = (a, b) => Math.max(...a.map((p, k) => Math.hypot(...p.map((x, i) => x - b[k][i]))));

// A chart has its number, and its lines are painted in more than one colour.
async function chartIsFull(page, name) {
  await until(page, `a number in the chart ${name}`, (n) => /\d/.test(document.querySelector(`[data-chart="${n}"] .chart-values`).textContent), name);
  const colours = await page.$eval(`[data-chart="${name}"] canvas`, (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colours > 3, `the chart ${name} is empty`);
}

// A beam that is held at one end, 0.6 m long; it hangs where there is gravity.
function beam(name, gravity) {
  const mesh = { shape: "bar", size: [0.6, 0.06, 0.06], cells: [12, 2, 2] };
  const damping = { ratio: 0.2, at: [5, 50] };
  const soft = { mesh, young: 4e5, poisson: 0.4, modes: 6, damping, clamp: [[-1, -1, -1], [-0.299, 1, 1]] };
  const path = join(folder, `${name}.json`);
  const step = { h: 0.001, until: 1 };
  writeFileSync(path, JSON.stringify({ cardhouse: 1, name, gravity: [0, 0, gravity], step, bodies: [{ name: "beam", soft }] }));
  return path;
}

async function load(page, scene, title) {
  await page.keyboard.press("g");
  await page.click(`[data-scene="${scene}"]`);
  await page.click("#load");
  await until(page, title, (t) => document.getElementById("scene-name").textContent === t, title);
}

// --------------------------------------------------------------------------------------------------------------- tests

test("the gallery shows the scenes, and one of them opens and runs", () =>
  view(["cards"], async (page) => {
    await page.click("#open-gallery");
    const cards = await page.$$eval("[data-scene]", (found) => found.map((card) => card.dataset.scene));
    for (const name of ["cards", "stack", "arch", "pile"]) assert.ok(cards.includes(name), name);
    assert.equal(await page.$$eval("[data-scene] svg, [data-scene] img", (found) => found.length), cards.length);
    await page.keyboard.press("Escape");
    await load(page, "stack", "Stack");
    await setRunning(page, true);
    const from = await seconds(page);
    await until(page, "time passes", (t) => parseFloat(document.getElementById("time").textContent) > t + 0.2, from);
    await until(page, "a certificate", () => document.querySelector(".chip")?.dataset.met === "true");
  }));

test("pause, step and reset", () =>
  view(["stack"], async (page) => {
    await until(page, "ten steps", () => Number(/\d+/.exec(document.getElementById("steps").textContent)[0]) > 10);
    await page.keyboard.press(" ");
    await until(page, "paused", () => document.getElementById("run").dataset.state === "paused");
    await page.waitForTimeout(150); // frames that were on their way
    const at = await steps(page);
    await page.waitForTimeout(250);
    assert.equal(await steps(page), at);
    for (let k = 1; k <= 3; k++) {
      await page.click("#step");
      await until(page, `step ${at + k}`, (n) => document.getElementById("steps").textContent === `step ${n}`, at + k);
    }
    await page.click("#reset");
    await until(page, "the start", () => parseFloat(document.getElementById("time").textContent) < 0.05);
  }));

test("the charts fill while it runs", () =>
  view(["cards"], async (page) => {
    await setRunning(page, true);
    await page.waitForTimeout(800);
    for (const name of ["certificate", "energy", "contacts", "iterations", "time-per-step"]) await chartIsFull(page, name);
  }));

test("a drag pulls a body along, a shot brings one more", () =>
  view(["incline"], async (page) => {
    await setRunning(page, true);
    const before = await centres(page);
    await page.keyboard.press("2");
    const box = await page.locator("#stage canvas").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 6; k++) await page.mouse.move(x + 20 * k, y - 20 * k);
    let moved = 0;
    for (let k = 0; k < 50 && moved < 0.02; k++) {
      await page.waitForTimeout(100);
      moved = farthest(before, await centres(page));
    }
    await page.mouse.up();
    assert.ok(moved >= 0.02, `nothing moved: ${moved} m`);
    await page.keyboard.press("b");
    await until(page, "one more body", () => document.getElementById("scene-summary").textContent.includes("2 bodies"));
    assert.equal((await centres(page)).length, before.length + 1);
  }));

test("a click tells of a body", () =>
  view(["stack", "--paused"], async (page) => {
    await page.keyboard.press("v");
    for (const word of ["Contact points", "Contact forces"]) await page.getByLabel(word).uncheck();
    await page.keyboard.press("v");
    const box = await page.locator("#stage canvas").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await until(page, "its mass", () => /Mass/.test(document.getElementById("inspect").textContent));
  }));

test("a soft body bends where it is pulled, tells what that costs, and shows how far", () =>
  view([beam("beam", 0)], async (page) => {
    await setRunning(page, true);
    await page.keyboard.press("2");
    const box = await page.locator("#stage canvas").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 6; k++) await page.mouse.move(x, y - 15 * k);
    let most = 0;
    for (let k = 0; k < 50 && most < 1e-3; k++) {
      await page.waitForTimeout(100);
      most = Math.max(...(await present(page)).amplitudes.map(Math.abs));
    }
    await page.keyboard.press("n");
    await until(page, "its energy", () => /Elastic energy\s*[\d.]+ \S?J/.test(document.getElementById("inspect").innerText));
    await page.mouse.up();
    assert.ok(most >= 1e-3, `nothing bent: ${most}`);
    assert.match(await page.$eval("#inspect", (element) => element.innerText), /Mode 1, [\d.]+ Hz/);
    await page.keyboard.press("v");
    await page.selectOption("#colouring", "displacement");
    await until(page, "the scale", () => /m displaced/.test(document.querySelector(".colours:not([hidden])")?.textContent ?? ""));
  }));

test("two methods side by side, with the distance between them", () =>
  view(["cards"], async (page) => {
    await page.click("#tab-settings");
    await page.click("#compare");
    await until(page, "two panes", () => document.querySelectorAll(".chip").length === 2);
    await setRunning(page, true);
    await page.click("#tab-charts");
    await chartIsFull(page, "distance-of-the-two");
    const text = await page.$eval('[data-chart="certificate"] .chart-values', (element) => element.textContent);
    assert.match(text, /pgs.*auto/);
  }));

test("a phone shows all of it, in the dark, and nothing sticks out", () =>
  view(["cards"], async (page) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await until(page, "dark colours", () => document.documentElement.dataset.theme === "dark");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= PHONE.width, `${wide} pixels wide`);
    await setRunning(page, true);
    await page.click("#tab-charts");
    await chartIsFull(page, "certificate");
  }, PHONE));

test("a replay file opens from disk, plays and goes where it is sent", async () => {
  const run = join(folder, "run.h5");
  const html = join(folder, "replay.html");
  execFileSync(program, ["run", "incline", "--until", "1", "--every", "10", "--out", run, "--quiet"]);
  execFileSync(program, ["replay", run, "--out", html, "--quiet"]);
  await look(pathToFileURL(html).href, DESK, async (page) => {
    await until(page, "a slider", () => !document.getElementById("seek").hidden);
    await setRunning(page, true);
    await until(page, "time passes", () => parseFloat(document.getElementById("time").textContent) > 0.2);
    await setRunning(page, false);
    // Not before: at the start there was no step yet, of which a chart could give the number.
    for (const name of ["certificate", "energy"]) await chartIsFull(page, name);
    await page.$eval("#seek", (slider) => {
      slider.value = "0.75";
      slider.dispatchEvent(new Event("input"));
    });
    await until(page, "the moment", () => Math.abs(parseFloat(document.getElementById("time").textContent) - 0.75) < 0.02);
    await page.click("#step");
    await until(page, "the next row", () => Math.abs(parseFloat(document.getElementById("time").textContent) - 0.76) < 0.02);
  });
});

test("a soft body in a replay file bends as it did", async () => {
  const run = join(folder, "hanging.h5");
  const html = join(folder, "hanging.html");
  execFileSync(program, ["run", beam("hanging", -9.81), "--until", "0.2", "--every", "10", "--out", run, "--quiet"]);
  execFileSync(program, ["replay", run, "--out", html, "--quiet"]);
  await look(pathToFileURL(html).href, DESK, async (page) => {
    await until(page, "a slider", () => !document.getElementById("seek").hidden);
    await page.keyboard.press("n");
    await until(page, "no displacement", () => /Displacement\s*up to 0 m/.test(document.getElementById("inspect").innerText));
    await page.$eval("#seek", (slider) => {
      slider.value = "0.15";
      slider.dispatchEvent(new Event("input"));
    });
    await until(page, "a displacement", () => /Displacement\s*up to \d\S* mm/.test(document.getElementById("inspect").innerText));
  });
});

test("names that try to break a page or to mislead are shown as they are, live and in a replay file", async () => {
  const name = "<!--<script>\u2028\u202eowned\u001b[31m</script>-->";
  const shown = "<!--<script>\\u2028\\u202eowned\\x1b[31m</script>-->";
  const title = shown.replace(/-/g, " ");
  const path = join(folder, "names.json");
  const html = join(folder, "names.html");
  const bodies = [
    { name: "floor", fixed: true, shapes: [{ type: "halfspace", normal: [0, 0, 1], offset: 0 }] },
    { name, position: [0, 0, 0.1], shapes: [{ type: "sphere", radius: 0.1 }] },
  ];
  writeFileSync(path, JSON.stringify({ cardhouse: 1, name, step: { h: 0.01, until: 0.1 }, bodies }));
  execFileSync(program, ["replay", path, "--out", html, "--quiet"]);
  const asWritten = async (page) => {
    await until(page, "its name", (n) => document.getElementById("scene-name").textContent === n, title);
    await page.keyboard.press("n");
    await until(page, "the body's name", (n) => document.getElementById("inspect").textContent.includes(n), shown);
    assert.ok((await page.title()).startsWith(title.replace(/ +/g, " ")));
  };
  await look(pathToFileURL(html).href, DESK, asWritten);
  await view([path], asWritten);
});

test("without its key the page is refused, in words, and the key leads nowhere else", async () => {
  const { link, server } = await serve(program, ["stack"]);
  const page = await browser.newPage({ viewport: DESK });
  try {
    const answer = await page.goto(new URL("/", link).href);
    assert.equal(answer.status(), 403);
    assert.match(await page.textContent("body"), /copy the whole address/);
    await page.goto(link);
    await until(page, "a connection", () => document.documentElement.dataset.connection === "open");
    assert.equal((await page.context().cookies()).length, 0);
    const told = await page.evaluate(() => fetch("/?none").then((response) => response.status));
    assert.equal(told, 403);
    await page.reload();
    await until(page, "a connection again", () => document.documentElement.dataset.connection === "open");
    const problem = await page.getAttribute("#problem-0", "href");
    assert.equal(await page.evaluate((href) => fetch(href).then((response) => response.status), problem), 200);
  } finally {
    await page.close();
    server.kill();
  }
});
