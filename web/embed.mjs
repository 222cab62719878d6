// Makes the C file that puts the page into the program, with the hashes by which a browser knows the page's scripts.
//
//   node embed.mjs PAGE.html OUT.c
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const [page, out] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
const scripts = [...html.matchAll(/<script(?:\s[^>]*)?>([\s\S]*?)<\/script>/g)].map((match) => match[1]);
const hashes = scripts.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`);
const symbol = (name) => `"  .globl ${name}\\n${name}:\\n"`;
writeFileSync(
  out,
  `#include "serve/viewer_page.h"

__asm__(
    "  .section .rodata\\n"
    ${symbol("ch_page_begin")}
    "  .incbin \\"${page.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}\\"\\n"
    ${symbol("ch_page_end")}
    "  .byte 0\\n"
    "  .previous\\n");

const char ch_page_scripts[] = "${hashes.join(" ") || "'none'"}";
`,
);
