// What programs that use the viewer in a real browser share: the browser, the server, words of the command line.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";

export function option(name) {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) throw new Error(`--${name} is missing`);
  return resolve(process.argv[at + 1]);
}

// As `cardhouse render` looks for it; undefined where there is none.
export function findChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env.CARDHOUSE_CHROMIUM, ...paths].find((path) => path && existsSync(path));
}

// `modules`: the folder where playwright-core lies.
export function launch(modules) {
  const playwright = createRequire(join(modules, "playwright-core", "package.json"))("playwright-core");
  const root = process.getuid?.() === 0;
  const args = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", ...(root ? ["--no-sandbox"] : [])];
  return playwright.chromium.launch({ executablePath: findChromium(), args });
}

// Starts `cardhouse view` and gives its link; whoever calls it kills the server.
export async function serve(program, words) {
  const server = spawn(program, ["view", ...words, "--no-browser"], { stdio: ["ignore", "pipe", "ignore"] });
  let told = "";
  for await (const part of server.stdout) {
    told += part;
    const link = /http:\/\/\S+/.exec(told);
    if (link) return { link: link[0], server };
  }
  throw new Error(`no link: ${told}`);
}
