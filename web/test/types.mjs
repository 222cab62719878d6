// Checks the types of all sources, with modules that may lie elsewhere:  node test/types.mjs [--modules FOLDER] [--out FOLDER]
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : resolve(process.argv[at + 1]);
}

const modules = option("modules", join(web, "node_modules"));
const out = option("out", join(web, "dist", "types"));
mkdirSync(out, { recursive: true });
const config = {
  extends: join(web, "tsconfig.json"),
  compilerOptions: { paths: { "*": [join(modules, "@types", "*"), join(modules, "*")] } },
  include: [join(web, "src")],
};
writeFileSync(join(out, "tsconfig.json"), JSON.stringify(config));
const compiler = join(modules, "typescript", "bin", "tsc");
process.exit(spawnSync(process.execPath, [compiler, "--project", out], { stdio: "inherit" }).status ?? 1);
