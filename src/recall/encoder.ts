// The port of a trained encoder, and the vectors that it made of skills, kept in one file by the skills' digests.

import { readFileSync } from "node:fs";
import { UNREADABLE, unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import { checksum, Int8Matrix, quantizeOne } from "../search/search.ts";

/** What stands for a skill when its vector is made. */
export interface EncodedParts {
  readonly name: string;
  readonly description: string;
  /** The Markdown below the front matter. */
  readonly body: string;
}

/** Vectors that other machines made of the same contents. */
export interface SharedVectors {
  /** By key, of those that are there. `model` is the id of an encoder. */
  get(model: string, keys: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  put(model: string, vectors: ReadonlyMap<string, Uint8Array>): Promise<void>;
}

/** Turns messages and skills into unit vectors that are close if the skill serves the message. */
export interface SkillEncoder {
  /** Names the weights; vectors of different ids are never compared. */
  readonly id: string;
  readonly dimensions: number;
  embedMessage(text: string): Promise<Float32Array>;
  embedSkills(skills: readonly EncodedParts[]): Promise<Float32Array[]>;
}

const FILE = {
  magic: 0x56455052, // "RPEV"
  version: 1,
  /** Words of the header: magic, version, checksum of what follows, dimensions, number of vectors. */
  headerBytes: 20,
  /** Bytes of a digest that are kept: those that a document of the index has, too (`documentDigest`). */
  keyBytes: 10,
} as const;

const SCALE_BYTES = 4;

/** The key of a vector: the first bytes of the skill's digest, in hexadecimal. */
export function vectorKey(digest: string): string {
  return digest.slice(0, 2 * FILE.keyBytes).padEnd(2 * FILE.keyBytes, "0");
}

/** The vectors of skills. A damaged or foreign file counts as an empty one. */
export class SkillVectors {
  readonly dimensions: number;
  private readonly path: string | undefined;
  private readonly rows = new Map<string, number>();
  private values: Int8Array;
  private scales: Float32Array;
  private matrix: Int8Matrix | undefined;

  private constructor(path: string | undefined, dimensions: number, capacity: number) {
    this.path = path;
    this.dimensions = dimensions;
    this.values = new Int8Array(capacity * dimensions);
    this.scales = new Float32Array(capacity);
  }

  static open(path: string | undefined, dimensions: number): SkillVectors {
    const bytes = path === undefined ? undefined : unlessMissing(() => readFileSync(path), UNREADABLE);
    const header = bytes && bytes.length >= FILE.headerBytes ? wordsOf(bytes) : undefined;
    const count = header?.[4] ?? 0;
    const recordBytes = FILE.keyBytes + 4 + dimensions;
    const isWhole =
      bytes !== undefined &&
      header !== undefined &&
      header[0] === FILE.magic &&
      header[1] === FILE.version &&
      header[3] === dimensions &&
      bytes.length === FILE.headerBytes + count * recordBytes &&
      header[2] === checksum(bytes.subarray(FILE.headerBytes));
    const vectors = new SkillVectors(path, dimensions, Math.max(64, count));
    if (!isWhole) return vectors;
    for (let row = 0, at: number = FILE.headerBytes; row < count; row++, at += recordBytes) {
      vectors.rows.set(bytes.toString("hex", at, at + FILE.keyBytes), row);
      vectors.scales[row] = bytes.readFloatLE(at + FILE.keyBytes);
      const start = at + FILE.keyBytes + 4;
      vectors.values.set(new Int8Array(bytes.buffer, bytes.byteOffset + start, dimensions), row * dimensions);
    }
    return vectors;
  }

  get size(): number {
    return this.rows.size;
  }

  /** The row of the vector of the skill with this digest; undefined before it was made. */
  rowOf(digest: string): number | undefined {
    return this.rows.get(vectorKey(digest));
  }

  add(digest: string, vector: Float32Array): void {
    const key = vectorKey(digest);
    const row = this.rows.get(key) ?? this.rows.size;
    if (row === this.scales.length) this.grow();
    const { values, scales } = quantizeOne(vector);
    this.rows.set(key, row);
    this.values.set(values, row * this.dimensions);
    this.scales[row] = scales[0]!;
    this.matrix = undefined;
  }

  /** A vector as it is kept, to be given to other machines. */
  bytesOf(digest: string): Uint8Array | undefined {
    const row = this.rowOf(digest);
    if (row === undefined) return undefined;
    const bytes = Buffer.alloc(SCALE_BYTES + this.dimensions);
    bytes.writeFloatLE(this.scales[row]!);
    const { buffer } = this.values;
    bytes.set(new Uint8Array(buffer, row * this.dimensions, this.dimensions), SCALE_BYTES);
    return bytes;
  }

  /** Adds a vector that another machine made; says whether it is one. */
  addBytes(digest: string, bytes: Uint8Array): boolean {
    const { dimensions } = this;
    if (bytes.length !== SCALE_BYTES + dimensions || this.rowOf(digest) !== undefined) return false;
    const row = this.rows.size;
    if (row === this.scales.length) this.grow();
    this.rows.set(vectorKey(digest), row);
    this.scales[row] = Buffer.from(bytes.buffer, bytes.byteOffset).readFloatLE();
    this.values.set(
      new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, dimensions),
      row * dimensions,
    );
    this.matrix = undefined;
    return true;
  }

  /** The cosines of a message's vector with every row. Valid until the next call. */
  cosines(vector: Float32Array): (row: number) => number {
    const { dimensions, size } = this;
    this.matrix ??= Int8Matrix.fill(size, dimensions, (values, scales) => {
      values.set(this.values.subarray(0, size * dimensions));
      scales.set(this.scales.subarray(0, size));
    });
    const query = quantizeOne(vector);
    const { matrix } = this;
    matrix.dots(query.values);
    return (row) => matrix.cosine(query, row);
  }

  save(): void {
    if (this.path === undefined) return;
    const recordBytes = FILE.keyBytes + 4 + this.dimensions;
    const bytes = Buffer.alloc(FILE.headerBytes + this.size * recordBytes);
    for (const [key, row] of this.rows) {
      const at = FILE.headerBytes + row * recordBytes;
      bytes.write(key, at, "hex");
      bytes.writeFloatLE(this.scales[row]!, at + FILE.keyBytes);
      const from = row * this.dimensions;
      bytes.set(new Uint8Array(this.values.buffer, from, this.dimensions), at + FILE.keyBytes + 4);
    }
    const body = bytes.subarray(FILE.headerBytes);
    [FILE.magic, FILE.version, checksum(body), this.dimensions, this.size].forEach((word, i) => {
      bytes.writeUInt32LE(word >>> 0, 4 * i);
    });
    writeFileAtomically(this.path, bytes, { sync: false });
  }

  private grow(): void {
    const values = new Int8Array(2 * this.values.length);
    const scales = new Float32Array(2 * this.scales.length);
    values.set(this.values);
    scales.set(this.scales);
    this.values = values;
    this.scales = scales;
  }
}

function wordsOf(bytes: Buffer): number[] {
  return Array.from({ length: FILE.headerBytes / 4 }, (_, i) => bytes.readUInt32LE(4 * i));
}
