// Writes a library of real-sized skills into a folder, for every benchmark that needs files.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCorpus } from "./recall/corpus.mjs";

/** `count` skills below `root`, taken from a folder of SKILL.md folders or invented. */
export function writeLibrary(root, count, corpusFolder) {
  const corpus = openCorpus(corpusFolder);
  for (let n = 0; n < count; n++) {
    const { name, description, headings, text, code } = corpus.document(n);
    const folder = join(root, `skill-${n}`);
    mkdirSync(folder, { recursive: true });
    const front = `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n`;
    writeFileSync(join(folder, "SKILL.md"), `${front}\n${headings}\n${text}\n${code}\n`);
  }
}
