// Eight scenes as a visitor sees them: the viewer's page at a desk's size and at a phone's, light and dark, and its time to
// load. `make looks` calls it.
//
//   node docs/pictures/looks.mjs --program build/cardhouse --modules build/web/node_modules --out build/looks [SCENE ...]
//
// Look at the pictures: nothing may be clipped, forces are seen at once, bodies are told apart.
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { launch, option, serve } from "../../tests/e2e/browser.mjs";

const PATIENCE = 120000; // ms
const SIZES = { desk: { width: 1400, height: 900 }, phone: { width: 400, height: 800 } };
// Words of the command line, and the time of the scene at which the picture is taken, seconds.
const SCENES = {
  gripper: { words: ["scenes/gripper.json"], at: 1 },
  linkage: { words: ["scenes/linkage.json"], at: 1 },
  domino: { words: ["domino"], at: 0.6 },
  "box-of-spheres": { words: ["box-of-spheres"], at: 0.5 },
  cards: { words: ["cards"], at: 0.1 },
  hopper: { words: ["hopper"], at: 0.3 },
  arch: { words: ["arch"], at: 0.1 },
  screw: { words: ["screw"], at: 0.1 },
};

const program = option("program");
const out = option("out");
const flags = ["--program", "--modules", "--out"];
const named = process.argv.slice(2).filter((word, k, all) => !flags.includes(word) && !flags.includes(all[k - 1]));
mkdirSync(out, { recursive: true });
const browser = await launch(option("modules"));

async function until(page, what, condition, argument) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await page.waitForTimeout(50)) {
    if (await page.evaluate(condition, argument)) return;
  }
  console.log(`never seen: ${what}`);
}

const timeIs = (t) => parseFloat(document.getElementById("time").textContent) >= t;

async function shots(name, { words, at }) {
  const { link, server } = await serve(program, words);
  try {
    for (const [size, viewport] of Object.entries(SIZES)) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await browser.newPage({ viewport, colorScheme });
        await page.goto(link);
        await until(page, "a connection", () => document.documentElement.dataset.connection === "open");
        await until(page, `${name} at ${at} s`, timeIs, at);
        await page.waitForTimeout(1200); // the camera glides
        await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`) });
        await page.close();
      }
    }
  } finally {
    server.kill();
  }
  console.log(name, basename(out));
}

for (const [name, scene] of Object.entries(SCENES)) {
  if (named.length === 0 || named.includes(name)) await shots(name, scene);
}
await browser.close();
