// Owns the generated parts of the documents: writes each between its markers, or with --check says which are out of date.
// Does not own what a part says: `docs/parts.mjs` does.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderPart, wholeFiles } from "./docs/parts.mjs";
import { loadProduct } from "./docs/product.mjs";

// The documents show what the program does by default, whatever the caller has switched off.
delete process.env.REPERTOIRE_ENCODER;

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BEGIN = "<!-- generated: ";
const END = "<!-- end -->";

const check = process.argv.includes("--check");
const product = await loadProduct(ROOT);
const outdated = [];
try {
  for (const file of guides()) {
    const before = readFileSync(join(ROOT, file), "utf8");
    settle(file, before, await filled(before, file));
  }
  for (const [file, text] of Object.entries(wholeFiles(product))) {
    const path = join(ROOT, file);
    settle(file, existsSync(path) ? readFileSync(path, "utf8") : "", text);
  }
} finally {
  product.dispose();
}
if (check && outdated.length > 0) {
  console.error(`Out of date: ${outdated.join(", ")}. Run \`npm run docs\` and commit the result.`);
  process.exitCode = 1;
} else
  console.log(outdated.length > 0 ? `Written: ${outdated.join(", ")}.` : "The documents are up to date.");

function settle(file, before, after) {
  if (after === before) return;
  outdated.push(file);
  if (!check) writeFileSync(join(ROOT, file), after);
}

function guides() {
  const folder = "docs/guides";
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** The text with every generated part rendered anew, in order, so that a later command sees what an earlier one did. */
async function filled(text, file) {
  const pieces = [];
  let at = 0;
  for (;;) {
    const begin = text.indexOf(BEGIN, at);
    if (begin < 0) break;
    const open = text.indexOf(" -->\n", begin);
    const end = text.indexOf(END, open);
    if (open < 0 || end < 0) throw new Error(`${file}: "${text.slice(begin, begin + 60)}" has no "${END}".`);
    const part = text.slice(begin + BEGIN.length, open);
    pieces.push(text.slice(at, open + " -->\n".length), `\n${await renderPart(part, product)}\n\n`);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}
