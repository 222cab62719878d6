// Khronos' validator on glTF files: prints how many errors and warnings each has, and what they are.
//   node gltf_check.mjs MODULES FILE ...
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const validator = createRequire(path.resolve(modules, 'x.js'))('gltf-validator');
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
  const { numErrors, numWarnings, messages } = report.issues;
  console.log(JSON.stringify({ errors: numErrors, warnings: numWarnings, messages: messages.slice(0, 5) }));
}
