// Owns the measurement of a finished table: paraphrases that share no content word with their skill, speed, load.
// With a folder as argument (`queries.jsonl`, `libraries.json`, unpacked `skills/`) also recall on real libraries.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { borrow, tablePath } from "./cutter.mjs";
import { readLibraries } from "./libraries.mjs";
import { here } from "./work.mjs";

const { createLocalEmbedder } = await borrow("local.ts");
const linesOf = (path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const dot = (x, y) => x.reduce((sum, value, d) => sum + value * y[d], 0);

const started = performance.now();
const embedder = createLocalEmbedder({ tablePath });
embedder.embedOne("warm");
const loaded = performance.now() - started;

const skills = linesOf(join(here, "paraphrases.jsonl"));
const vectors = embedder.embed(
  skills.map((skill) => `${skill.name.replaceAll("-", " ")}: ${skill.description}`),
);
const ranks = skills.flatMap((skill, gold) => {
  if (!skill.message) return [];
  const query = embedder.embedOne(skill.message);
  const scores = vectors.map((vector) => dot(query, vector));
  return [{ message: skill.message, rank: scores.filter((score) => score > scores[gold]).length + 1 }];
});
const share = (limit) => (ranks.filter(({ rank }) => rank <= limit).length / ranks.length).toFixed(3);
console.log(
  `paraphrases: ${ranks.length} among ${skills.length}: Hit@1 ${share(1)}, Hit@3 ${share(3)}, Hit@10 ${share(10)}`,
);
if (process.argv.includes("--misses")) {
  for (const { message, rank } of ranks) if (rank > 3) console.log(`  ${rank}\t${message}`);
}

const samples = skills.map((skill) => skill.description);
for (let round = 0; round < 20; round++) embedder.embed(samples);
const from = performance.now();
for (let round = 0; round < 20; round++) embedder.embed(samples);
const micros = ((performance.now() - from) * 1000) / (20 * samples.length);
console.log(`load and first text ${loaded.toFixed(1)} ms, then ${micros.toFixed(1)} microseconds a text`);

const folder = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
if (folder) {
  const results = readLibraries(folder).map(({ source, documents, queries }) => {
    const rows = embedder.embed(documents.map((document) => document.text));
    let first = 0;
    let third = 0;
    for (const { query, gold } of queries) {
      const vector = embedder.embedOne(query);
      const ranked = rows
        .map((row, i) => ({ id: documents[i].id, score: dot(vector, row) }))
        .sort((x, y) => y.score - x.score);
      if (gold.has(ranked[0].id)) first++;
      const found = new Set(ranked.slice(0, 3).map((hit) => hit.id));
      if ([...gold].some((id) => found.has(id))) third++;
    }
    console.log(
      `  ${source}: Hit@1 ${(first / queries.length).toFixed(3)}, Hit@3 ${(third / queries.length).toFixed(3)}`,
    );
    return [first / queries.length, third / queries.length];
  });
  const macro = (k) => (results.reduce((sum, result) => sum + result[k], 0) / results.length).toFixed(3);
  console.log(`libraries, macro: Hit@1 ${macro(0)}, in the top 3 ${macro(1)}`);
}
