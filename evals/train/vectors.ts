// Embeds skills and messages with the run time, for measure.py: vectors.mjs ENCODER WORK TARGET MESSAGES.jsonl ...

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createEncoder } from "../../src/embedders/encoder/encoder.ts";

const [folder, work, target, ...files] = process.argv.slice(2) as [string, string, string, ...string[]];
const encoder = await createEncoder({ folder });
const documents = JSON.parse(readFileSync(`${work}/documents.json`, "utf8")) as {
  id: string;
  text: string;
}[];
const lines = files.flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
const messages = lines.map((line) => JSON.parse(line) as { id: string; query: string });
const write = (name: string, vectors: readonly Float32Array[]) =>
  writeFileSync(`${target}/${name}.f32`, Buffer.concat(vectors.map((v) => new Uint8Array(v.buffer))));
mkdirSync(target, { recursive: true });
const began = performance.now();
write("documents", await encoder.embedDocuments(documents.map(({ text }) => text)));
console.log(`${encoder.id}: ${(documents.length / (performance.now() - began)) * 1000} documents a second`);
write("messages", await encoder.embed(messages.map(({ query }) => query)));
writeFileSync(`${target}/documents.json`, JSON.stringify(documents.map(({ id }) => id)));
writeFileSync(`${target}/messages.json`, JSON.stringify(messages.map(({ id }) => id)));
