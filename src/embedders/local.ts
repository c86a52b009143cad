// The default embedder: sums the rows of a text's words in a static table (made by `scripts/embedding-table`).

import { statSync } from "node:fs";
import type { Embedder } from "../recall/recall.ts";
import { EmbeddingTable } from "./table.ts";
import { WordCutter } from "./words.ts";

export interface LocalEmbedder extends Embedder {
  embed(texts: readonly string[]): Float32Array[];
  embedOne(text: string): Float32Array;
  /** The idf of a word, `##piece` or phrase in general and technical prose; undefined if unknown. */
  idf(token: string): number | undefined;
}

interface Opened {
  table: EmbeddingTable;
  cutter: WordCutter;
  /** How often each row occurs in the current text. */
  seen: Uint16Array;
}

/** Creates the local embedder; the table is read on first use. */
export function createLocalEmbedder({ tablePath }: { readonly tablePath: string }): LocalEmbedder {
  let opened: Opened | undefined;
  const open = (): Opened => {
    opened ??= openTable(tablePath);
    return opened;
  };
  // Intent and meaning ask for the vector of the same message.
  let last: { readonly text: string; readonly vector: Float32Array } | undefined;
  const embedOne = (text: string): Float32Array => {
    if (last?.text !== text) last = { text, vector: sumOfRows(open(), text) };
    return last.vector.slice();
  };
  return {
    get id() {
      return `local-${open().table.content.toString(16).padStart(8, "0")}`;
    },
    get dimensions() {
      return open().table.dimensions;
    },
    embed: (texts) => texts.map(embedOne),
    embedOne,
    idf: (token) => open().table.idf(token.toLowerCase()),
  };
}

/** The table that was opened last, and the file that it was read from: engines of one process share its memory. */
let shared: { readonly file: string; readonly opened: Opened } | undefined;

function openTable(path: string): Opened {
  const { ino, size, mtimeMs } = statSync(path);
  const file = [path, ino, size, mtimeMs].join(":");
  if (shared?.file !== file) {
    const table = new EmbeddingTable(path);
    shared = { file, opened: { table, cutter: new WordCutter(table), seen: new Uint16Array(table.rows) } };
  }
  return shared.opened;
}

/** The second occurrence of a word counts half, the third a third, so that repetition does not dominate the text. */
function sumOfRows({ table, cutter, seen }: Opened, text: string): Float32Array {
  const sum = new Float32Array(table.dimensions);
  const rows = cutter.cut(text);
  table.need(rows);
  for (const row of rows) seen[row]!++;
  for (const row of rows) {
    const times = seen[row]!;
    if (times === 0) continue;
    seen[row] = 0;
    table.addRow(row, times < WEIGHTS.length ? WEIGHTS[times]! : harmonic(times), sum);
  }
  return toUnitLength(sum);
}

function harmonic(times: number): number {
  let sum = 0;
  for (let n = 1; n <= times; n++) sum += 1 / n;
  return sum;
}

/** The weight of a word by its number of occurrences, precomputed for all but the most repeated words. */
const WEIGHTS = Float64Array.from({ length: 64 }, (_, times) => harmonic(times));

function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const inverse = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i]! *= inverse;
  return vector;
}
