// Puts the rows that table.py tuned into a copy of the static table; its keys and idf stay: table-write.mjs TABLE FLOATS TARGET

import { readFileSync, writeFileSync } from "node:fs";
import { quantise } from "../../scripts/embedding-table/quantise.mjs";
import { replaceRows } from "../../src/embedders/table.ts";

const [source, floats, target] = process.argv.slice(2);
const { buffer, byteOffset, length } = readFileSync(floats);
const rows = new Float32Array(buffer, byteOffset, length / 4);
writeFileSync(
  target,
  replaceRows(new Uint8Array(readFileSync(source)), (dimensions) => quantise(rows, dimensions)),
);
