// Quantises what export.py wrote into the encoder's file: pack.mjs FOLDER TARGET

import { readFileSync, writeFileSync } from "node:fs";
import { encodeWeights, type Shape } from "../../src/embedders/encoder/weights.ts";

const [folder, target] = process.argv.slice(2) as [string, string];
const { shape, vocabulary, parts } = JSON.parse(readFileSync(`${folder}/floats.json`, "utf8")) as {
  shape: Shape;
  vocabulary: string[];
  parts: Record<string, [start: number, count: number]>;
};
const { buffer, byteOffset, length } = readFileSync(`${folder}/floats.bin`);
const floats = new Float32Array(buffer, byteOffset, length / 4);
const part = (name: string): Float32Array => {
  const [start, count] = parts[name]!;
  return floats.subarray(start, start + count);
};
const file = encodeWeights({ shape, vocabulary, part });
writeFileSync(target, file);
console.log(`${target}: ${file.length} bytes`);
