// Load of the viewer: 10,000 rolling spheres streamed to several browsers, one of which stops reading. Prints, as Markdown, what the server
// and each page hold in memory and how the simulation goes on; exit status 1 where memory grows without bound.
//
// All pages take every frame apart and place every body, but only with --draw 1 does the first one draw, every few seconds: a picture of
// 10,000 spheres takes a machine without a graphics processor so long that pages have no time left to tell their heaps.
//
//   node bench/viewer_load.mjs --program build/cardhouse --modules build/web/node_modules [--minutes 10] [--browsers 10] [--draw 0]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, option, serve } from "../tests/e2e/browser.mjs";

const number = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const minutes = number("minutes", 10);
const browsers = number("browsers", 10);
const draws = number("draw", 0) > 0;
const LOOKS = 10;
const MEGA = 1024 * 1024;
const GROWTH = 1.5; // of memory after the second look: more is no bound
const DRAW_MS = 5000; // from picture to picture, at least
const TELL_MS = 20000; // how long a page may take to tell its heap

// 100 x 100 spheres on a plane, each rolling its own way.
function field(side) {
  const bodies = [{ name: "floor", fixed: true, shapes: [{ type: "halfspace", normal: [0, 0, 1], offset: 0 }] }];
  for (let i = 0; i < side; ++i)
    for (let j = 0; j < side; ++j) {
      const speed = 0.02 * (((i * 7 + j * 3) % 11) - 5);
      bodies.push({
        name: `sphere ${i}.${j}`,
        position: [0.3 * i, 0.3 * j, 0.1],
        velocity: [speed, 0, 0],
        omega: [0, speed / 0.1, 0],
        shapes: [{ type: "sphere", radius: 0.1 }],
      });
    }
  return { cardhouse: 1, name: "field", step: { h: 0.01 }, bodies };
}

const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

// Each in a process of its own; what a browser has once they share.
async function open(browser, link, draw) {
  const page = await browser.newPage({ viewport: draw ? { width: 480, height: 320 } : { width: 96, height: 64 } });
  await page.addInitScript((pause) => {
    window.drawn = 0;
    const draw = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (picture) => (pause ? setTimeout(() => draw(picture), pause) : 0);
    const count = () => {
      window.drawn += 1;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    const Socket = window.WebSocket; // counts what arrives, changes nothing
    window.received = 0;
    window.WebSocket = class extends Socket {
      constructor(...words) {
        super(...words);
        this.addEventListener("message", () => (window.received += 1));
      }
    };
  }, draw ? DRAW_MS : 0);
  await page.goto(link, { timeout: 0, waitUntil: "commit" });
  return { page, session: await page.context().newCDPSession(page) };
}

// What a page answers, or `otherwise` where it has no time to.
async function inTime(answer, otherwise) {
  let clock;
  const late = new Promise((done) => (clock = setTimeout(done, TELL_MS, otherwise)));
  const told = await Promise.race([answer.catch(() => otherwise), late]);
  clearTimeout(clock);
  return told;
}

// In megabytes.
async function heap({ session }) {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize / MEGA;
}

// A page whose script is halted, as in a debugger, reads nothing from its socket.
async function stopReading({ session }) {
  await session.send("Debugger.enable");
  await session.send("Debugger.pause");
}

const folder = mkdtempSync(join(tmpdir(), "cardhouse-load-"));
const scene = join(folder, "field.json");
writeFileSync(scene, JSON.stringify(field(100)));
const { link, server } = await serve(option("program"), [scene]);
const browser = await launch(option("modules"));
const open_pages = [];
let grew = false;
let silent = false;
try {
  for (let k = 0; k < browsers; ++k) open_pages.push(await open(browser, link, draws && k === 0));
  const deaf = browsers > 1 ? open_pages[browsers - 1] : undefined;
  const reading = deaf ? open_pages.slice(0, -1) : open_pages;
  if (deaf) await stopReading(deaf);
  console.log(`${browsers} browsers on 10,000 spheres${deaf ? ", the last one stops reading" : ""}.\n`);
  console.log("| seconds | server MB | largest heap of a page MB | pages that told theirs | frames received, first page | pictures drawn |");
  console.log("|---:|---:|---:|---:|---:|---:|");
  const began = Date.now();
  let first;
  for (let look = 1; look <= LOOKS; ++look) {
    await new Promise((done) => setTimeout(done, began + (look * minutes * 60000) / LOOKS - Date.now()));
    const held = [];
    for (const page of reading) held.push(await inTime(heap(page), NaN));
    const told = held.filter((size) => size > 0);
    const [received, drawn] = await inTime(
      reading[0].page.evaluate(() => [window.received, window.drawn]),
      [NaN, NaN],
    );
    const now = { server: resident(server.pid), page: Math.max(0, ...told) };
    if (told.length < held.length) silent = true;
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(`| ${seconds} | ${now.server.toFixed(0)} | ${now.page.toFixed(1)} | ${told.length} of ${held.length} | ${received} | ${drawn} |`);
    if (look === 2) first = now;
    if (look > 2 && (now.server > GROWTH * first.server || now.page > GROWTH * first.page)) grew = true;
  }
} finally {
  await browser.close();
  server.kill("SIGINT");
  rmSync(folder, { recursive: true, force: true });
}
console.log(grew ? "\nMemory grows." : "\nMemory is bounded on both sides.");
if (silent) console.log("Of some pages it is not known: they had no time to tell.");
process.exit(grew ? 1 : 0);
