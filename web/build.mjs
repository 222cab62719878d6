// Bundles the page into one html file that fetches nothing: script and style sheet are inlined. Beside it comes a file
// .scripts, the hashes by which a browser knows the page's scripts (Content-Security-Policy).
//
//   node build.mjs [--modules FOLDER/node_modules] [--out FILE.html]
//
// The modules may lie outside of the source tree, so that a build leaves nothing in it.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : resolve(process.argv[at + 1]);
}

const modules = option("modules", join(here, "node_modules"));
const out = option("out", join(here, "dist", "viewer.html"));
const esbuild = createRequire(join(modules, "esbuild", "package.json"))("esbuild");

const result = await esbuild.build({
  entryPoints: [join(here, "src", "main.ts")],
  bundle: true,
  minify: true,
  write: false,
  outdir: "page",
  format: "iife",
  target: ["chrome100", "firefox100", "safari15.4"],
  legalComments: "eof",
  charset: "ascii",
  loader: { ".svg": "text" },
  nodePaths: [modules],
  logLevel: "warning",
});

const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
// A script ends at the first "</script" and turns odd at "<!--", whatever the language inside thinks of it.
const script = text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const html = readFileSync(join(here, "index.html"), "utf8")
  .replace("/* STYLE */", () => text(".css").trim())
  .replace("/* SCRIPT */", () => script.trim());
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, html);

const scripts = [...html.matchAll(/<script(?:\s[^>]*)?>([\s\S]*?)<\/script>/g)].map((match) => match[1]);
const hashes = scripts.map((body) => `'sha256-${createHash("sha256").update(body).digest("base64")}'`);
writeFileSync(out.replace(/\.html$/, ".scripts"), `${hashes.join(" ") || "'none'"}\n`);
