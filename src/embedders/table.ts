// The file format of the table of word vectors: encodes it, opens it, finds keys and decodes rows.
//
// Little-endian: a header of 128 bytes with the offsets of the parts, then fingerprints (u32 per slot), row numbers (u16
// per slot), scales (f32 per row), idf (u8 per row), codes (two 4-bit codes per byte).
// Opening reads everything except the codes: a tenth of the file. Codes are read row by row for the first texts, because
// embedding one message should not read five megabytes, and then all at once. Checksums are verified only then: an index
// is never built from a damaged table, while a single message may get a wrong vector.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { RepertoireError } from "../model/errors.ts";
import { checksum } from "../search/search.ts";
import { hashKey, type RowIndex } from "./words.ts";

const MAGIC = 0x45545052; // "RPTE"
const VERSION = 1;
const HEADER_BYTES = 128;
/** The parts of the file start at multiples of this. */
const ALIGNMENT = 16;
/** The offset of the 16 values of the 4-bit codes, in the header. */
const LEVELS_AT = 64;
const NO_ROW = 0xffff;
/** One step of the stored idf: 255 steps cover 0 to 12.75. */
const IDF_STEP = 0.05;
/** After this many single rows, all rows are read at once: single reads have cost as much by then. */
const SINGLE_READS = 512;
/** The header's words (u32). */
const FIELD = {
  magic: 0,
  version: 1,
  checksum: 2,
  bytes: 3,
  dimensions: 4,
  rows: 5,
  slots: 6,
  fingerprints: 7,
  rowNumbers: 8,
  scales: 9,
  idf: 10,
  codes: 11,
  content: 12,
} as const;

/** The checksum of everything before the codes. */
const checksumOfHead = (head: Uint8Array): number => checksum(head.subarray(4 * (FIELD.checksum + 1)));
const slotOf = (a: number): number => (a ^ (a >>> 15)) >>> 0;

interface TableParts {
  /** The key of each row. */
  readonly keys: readonly string[];
  readonly dimensions: number;
  readonly idf: ArrayLike<number>;
  readonly scales: ArrayLike<number>;
  /** The values of the 16 codes. */
  readonly levels: ArrayLike<number>;
  readonly codes: Uint8Array;
}

/** Encodes a table; `scripts/embedding-table` writes it. */
export function encodeTable({ keys, dimensions, idf, scales, levels, codes }: TableParts): Uint8Array {
  let slots = 1;
  while (slots < keys.length * 1.5) slots *= 2;
  let bytes = HEADER_BYTES;
  const part = (size: number): number => {
    const start = bytes;
    bytes = Math.ceil((bytes + size) / ALIGNMENT) * ALIGNMENT;
    return start;
  };
  const at = {
    fingerprints: part(slots * 4),
    rowNumbers: part(slots * 2),
    scales: part(keys.length * 4),
    idf: part(keys.length),
    codes: part(codes.length),
  };
  const buffer = new ArrayBuffer(bytes);
  const table = new Uint8Array(buffer);
  const header = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
  const words = { magic: MAGIC, version: VERSION, bytes, dimensions, rows: keys.length, slots, ...at };
  for (const [name, word] of Object.entries(words)) header[FIELD[name as keyof typeof words]] = word;
  new Float32Array(buffer, LEVELS_AT, 16).set(levels);
  const fingerprints = new Uint32Array(buffer, at.fingerprints, slots);
  const rowNumbers = new Uint16Array(buffer, at.rowNumbers, slots).fill(NO_ROW);
  for (const [row, key] of keys.entries()) {
    const [a, b] = hashKey(key);
    let slot = slotOf(a) & (slots - 1);
    while (rowNumbers[slot] !== NO_ROW) slot = (slot + 1) & (slots - 1);
    fingerprints[slot] = b >>> 0;
    rowNumbers[slot] = row;
    table[at.idf + row] = Math.max(0, Math.min(255, Math.round(idf[row]! / IDF_STEP)));
  }
  new Float32Array(buffer, at.scales, keys.length).set(scales);
  table.set(codes, at.codes);
  header[FIELD.content] = checksum(table.subarray(at.codes));
  header[FIELD.checksum] = checksumOfHead(table.subarray(0, at.codes));
  return table;
}

/** A copy of a table file with other numbers for the same keys; `evals/train` tunes them. */
export function replaceRows(
  file: Uint8Array<ArrayBuffer>,
  rowsOf: (dimensions: number) => Pick<TableParts, "scales" | "levels" | "codes">,
): Uint8Array {
  const table = file.slice();
  const header = new Uint32Array(table.buffer, 0, HEADER_BYTES / 4);
  const { scales, levels, codes } = rowsOf(header[FIELD.dimensions]!);
  new Float32Array(table.buffer, header[FIELD.scales]!, header[FIELD.rows]!).set(scales);
  new Float32Array(table.buffer, LEVELS_AT, 16).set(levels);
  table.set(codes, header[FIELD.codes]!);
  header[FIELD.content] = checksum(table.subarray(header[FIELD.codes]!));
  header[FIELD.checksum] = checksumOfHead(table.subarray(0, header[FIELD.codes]!));
  return table;
}

/** An open table file. */
export class EmbeddingTable implements RowIndex {
  readonly dimensions: number;
  readonly rows: number;
  /** The checksum of the codes, which identifies the table. */
  readonly content: number;
  readonly #path: string;
  readonly #header: Uint32Array;
  readonly #mask: number;
  readonly #fingerprints: Uint32Array;
  readonly #rowNumbers: Uint16Array;
  readonly #scales: Float32Array;
  readonly #idf: Uint8Array;
  readonly #levels: Float32Array;
  readonly #codes: Uint8Array;
  readonly #present: Uint8Array;
  #singleReads = 0;

  constructor(path: string) {
    this.#path = path;
    const { buffer } = withFile(path, (file) => this.#readHead(file));
    const header = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
    const slots = header[FIELD.slots]!;
    this.#header = header;
    this.dimensions = header[FIELD.dimensions]!;
    this.rows = header[FIELD.rows]!;
    this.content = header[FIELD.content]!;
    this.#mask = slots - 1;
    this.#fingerprints = new Uint32Array(buffer, header[FIELD.fingerprints]!, slots);
    this.#rowNumbers = new Uint16Array(buffer, header[FIELD.rowNumbers]!, slots);
    this.#scales = new Float32Array(buffer, header[FIELD.scales]!, this.rows);
    this.#idf = new Uint8Array(buffer, header[FIELD.idf]!, this.rows);
    this.#levels = new Float32Array(buffer, LEVELS_AT, 16);
    this.#codes = new Uint8Array(header[FIELD.bytes]! - header[FIELD.codes]!);
    this.#present = new Uint8Array(this.rows);
  }

  find(a: number, b: number): number {
    const fingerprint = b >>> 0;
    let slot = slotOf(a) & this.#mask;
    for (let tried = 0; tried <= this.#mask; tried++) {
      const row = this.#rowNumbers[slot]!;
      if (row >= this.rows) return -1;
      if (this.#fingerprints[slot] === fingerprint) return row;
      slot = (slot + 1) & this.#mask;
    }
    return -1;
  }

  idf(key: string): number | undefined {
    const row = this.find(...hashKey(key));
    return row < 0 ? undefined : this.#idf[row]! * IDF_STEP;
  }

  /** Loads the rows; call it before `addRow`. */
  need(rows: Int32Array): void {
    if (this.#singleReads > SINGLE_READS) return;
    const missing = rows.filter((row) => this.#present[row] === 0);
    if (missing.length === 0) return;
    this.#singleReads += missing.length;
    withFile(this.#path, (file) => {
      const now = new Uint32Array(HEADER_BYTES / 4);
      readFully(file, new Uint8Array(now.buffer), 0);
      if (now.some((word, i) => word !== this.#header[i])) this.#refuse("it was replaced while in use");
      if (this.#singleReads > SINGLE_READS) this.#readAllCodes(file);
      else for (const row of missing) this.#readRow(file, row);
    });
  }

  /** Adds `weight` times a row to `sum`. */
  addRow(row: number, weight: number, sum: Float32Array): void {
    const half = this.dimensions >> 1;
    const scale = this.#scales[row]! * weight;
    const levels = this.#levels;
    const codes = this.#codes;
    const from = row * half;
    for (let i = 0; i < half; i++) {
      const pair = codes[from + i]!;
      sum[2 * i]! += levels[pair & 15]! * scale;
      sum[2 * i + 1]! += levels[pair >> 4]! * scale;
    }
  }

  #readHead(file: number): Uint8Array<ArrayBuffer> {
    const size = fstatSync(file).size;
    const header = new Uint32Array(HEADER_BYTES / 4);
    if (size < HEADER_BYTES) this.#refuse(`${size} bytes long`);
    readFully(file, new Uint8Array(header.buffer), 0);
    if (header[FIELD.magic] !== MAGIC) this.#refuse("the first four bytes differ");
    if (header[FIELD.version] !== VERSION) this.#refuse(`version ${header[FIELD.version]}`);
    if (header[FIELD.bytes] !== size) this.#refuse(`${size} bytes instead of ${header[FIELD.bytes]}`);
    if (header[FIELD.codes]! > size) this.#refuse("its parts lie outside the file");
    const head = new Uint8Array(header[FIELD.codes]!);
    readFully(file, head, 0);
    return head;
  }

  #readRow(file: number, row: number): void {
    const half = this.dimensions >> 1;
    readFully(
      file,
      this.#codes.subarray(row * half, (row + 1) * half),
      this.#header[FIELD.codes]! + row * half,
    );
    this.#present[row] = 1;
  }

  #readAllCodes(file: number): void {
    readFully(file, this.#codes, this.#header[FIELD.codes]!);
    const head = new Uint8Array(this.#header.buffer);
    if (this.#header[FIELD.checksum] !== checksumOfHead(head)) this.#refuse("its checksum differs");
    if (checksum(this.#codes) !== this.content) this.#refuse("the checksum of its codes differs");
  }

  #refuse(why: string): never {
    throw new RepertoireError(
      "embedding-table-unreadable",
      `${this.#path} is not a usable embedding table of version ${VERSION}: ${why}. ` +
        'Reinstall the package, or choose the embedder "none".',
      this.#path,
    );
  }
}

function withFile<T>(path: string, read: (file: number) => T): T {
  const file = openSync(path, "r");
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

function readFully(file: number, into: Uint8Array, from: number): void {
  let done = 0;
  while (done < into.length) {
    const count = readSync(file, into, done, into.length - done, from + done);
    if (count === 0) throw new Error(`the file ended ${into.length - done} bytes early`);
    done += count;
  }
}
