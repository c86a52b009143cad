// Vectors by the static table, for measure.py: table-vectors.mjs TABLE WORK TARGET full|head MESSAGES.jsonl ...
// `full` takes a skill's whole document, `head` its name and description.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createLocalEmbedder } from "../../src/embedders/local.ts";

const [tablePath, work, target, form, ...files] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  ...string[],
];
const embedder = createLocalEmbedder({ tablePath });
const read = <T>(name: string) => JSON.parse(readFileSync(`${work}/${name}.json`, "utf8")) as T;
const heads = () =>
  read<{ name: string; description: string }[]>("skills").map(
    (skill) => `${skill.name}. ${skill.description}`,
  );
const texts = form === "full" ? read<{ text: string }[]>("documents").map(({ text }) => text) : heads();
const lines = files.flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
const messages = lines.map((line) => JSON.parse(line) as { id: string; query: string });
const write = (name: string, vectors: readonly Float32Array[]) =>
  writeFileSync(`${target}/${name}.f32`, Buffer.concat(vectors.map((v) => new Uint8Array(v.buffer))));
mkdirSync(target, { recursive: true });
write("documents", embedder.embed(texts));
write("messages", embedder.embed(messages.map(({ query }) => query)));
writeFileSync(`${target}/messages.json`, JSON.stringify(messages.map(({ id }) => id)));
