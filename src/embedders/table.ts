/**
 * Owns the table file: its layout, its checks, the look-up of a key and the decoding of a row.
 * Does not cut texts into keys and does not know who trained the rows.
 *
 * Layout, little-endian: 128 bytes of header, then fingerprints (u32 a slot), row numbers (u16 a slot),
 * scales (f32 a row), background idf (u8 a row), codes (two 4-bit codes a byte). Offsets stand in the header.
 * All but the codes, a tenth of the file, is read at opening; codes are read row by row for the first texts, so that
 * a process that embeds one message need not read five megabytes, and then all at once. Only then are checksums worth
 * their time: an index is built from a sound table or not at all, and one message from a damaged one is merely misread.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { RepertoireError } from "../model/errors.ts";
import { checksum } from "../search/search.ts";
import { hashKey, type RowIndex } from "./words.ts";

export const MAGIC = 0x45545052; // "RPTE"
export const VERSION = 1;
export const HEADER_BYTES = 128;
/** The 16 levels that a 4-bit code stands for follow the numbers of the header. */
export const LEVELS_AT = 64;
export const NO_ROW = 0xffff;
/** One step of the stored idf: 255 steps cover 0 to 12.75. */
export const IDF_STEP = 0.05;
/** Rows read one by one before the rest is read at once: by then single reads have cost as much. */
const SINGLE_READS = 512;
/** Header words (u32): what is where. */
export const FIELD = {
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

/** Of all that is read at opening. */
export const checksumOfIndex = (head: Uint8Array): number =>
  checksum(head.subarray(4 * (FIELD.checksum + 1)));
/** Of the codes: names what the table says, and is checked when all of them are read. */
export const checksumOfCodes = (codes: Uint8Array): number => checksum(codes);
export const slotOf = (a: number): number => (a ^ (a >>> 15)) >>> 0;

export class EmbeddingTable implements RowIndex {
  readonly dimensions: number;
  readonly rows: number;
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

  /** Makes the rows ready for `addRow`. */
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
    if (this.#header[FIELD.checksum] !== checksumOfIndex(head)) this.#refuse("its checksum differs");
    if (checksumOfCodes(this.#codes) !== this.content) this.#refuse("the checksum of its codes differs");
  }

  #refuse(why: string): never {
    throw new RepertoireError(
      "embedding-table-unreadable",
      `${this.#path} is no usable embedding table of version ${VERSION}: ${why}. ` +
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
