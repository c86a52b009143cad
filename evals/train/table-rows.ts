// For table.py: the rows that the static table has for each text, and the table's own numbers as floats.
// table-rows.mjs TABLE TEXTS.json TARGET: TEXTS is a list of strings; writes rows.i32, offsets.i32, table.f32, shape.json

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { EmbeddingTable } from "../../src/embedders/table.ts";
import { WordCutter } from "../../src/embedders/words.ts";

const [path, textsPath, target] = process.argv.slice(2) as [string, string, string];
const table = new EmbeddingTable(path);
const cutter = new WordCutter(table);
const texts = JSON.parse(readFileSync(textsPath, "utf8")) as string[];
const rows: number[] = [];
const offsets = texts.map((text) => {
  const start = rows.length;
  for (const row of cutter.cut(text)) rows.push(row);
  return start;
});
const floats = new Float32Array(table.rows * table.dimensions);
table.need(Int32Array.from({ length: table.rows }, (_, row) => row));
for (let row = 0; row < table.rows; row++) {
  table.addRow(row, 1, floats.subarray(row * table.dimensions, (row + 1) * table.dimensions));
}
mkdirSync(target, { recursive: true });
writeFileSync(`${target}/rows.i32`, new Uint8Array(Int32Array.from(rows).buffer));
writeFileSync(`${target}/offsets.i32`, new Uint8Array(Int32Array.from([...offsets, rows.length]).buffer));
writeFileSync(`${target}/table.f32`, new Uint8Array(floats.buffer));
writeFileSync(`${target}/shape.json`, JSON.stringify({ rows: table.rows, dimensions: table.dimensions }));
console.log(`${texts.length} texts, ${rows.length} rows`);
