// Bundles every test/*.test.ts for Node and runs them:  node test/run.mjs [--modules FOLDER/node_modules] [--out FOLDER]
import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : resolve(process.argv[at + 1]);
}

const modules = option("modules", join(here, "..", "node_modules"));
const out = option("out", join(here, "..", "dist", "test"));
const esbuild = createRequire(join(modules, "esbuild", "package.json"))("esbuild");
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));

await esbuild.build({
  entryPoints: tests.map((name) => join(here, name)),
  bundle: true,
  platform: "node",
  target: "node18",
  format: "esm",
  outdir: out,
  outExtension: { ".js": ".mjs" },
  loader: { ".css": "empty", ".svg": "text" },
  nodePaths: [modules],
  logLevel: "warning",
});
const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
process.exit(spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1);
