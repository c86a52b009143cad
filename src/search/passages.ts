// Vectors as codes of two bits per dimension: of passages, and of documents for a first choice of the nearest.
//
// A row is rotated first, so that all dimensions have about the same variance: with two bits the error of a cosine is
// then about 0.025. A rotation keeps every cosine if the query is rotated too, so rows are never rotated back.

import { Int8Matrix, type QuantizedVectors, quantizeOne } from "./vectors.ts";

/** Dimensions per byte. */
const PER_BYTE = 4;
/** The values of the four codes: those with the least error for a normal distribution, as integers. */
const LEVELS = [-60, -18, 18, 60] as const;
/** Larger values than this, in standard deviations, get an outer code. */
const OUTER = 0.9816;
/** The expected cosine of a row with its own codes: cosines are divided by it. */
const FIDELITY = 0.94;

/** Bytes of one row. */
export function rowBytes(dims: number): number {
  return Math.ceil(dims / PER_BYTE);
}

/** Changes pseudo-randomly chosen signs, then applies the Walsh-Hadamard transform to blocks of a power of two. */
function rotate(values: Int8Array): Float64Array {
  const dims = values.length;
  const rotated = new Float64Array(dims);
  for (let i = 0; i < dims; i++) {
    rotated[i] = (Math.imul(i + 1, 0x9e3779b1) >>> 15) & 1 ? values[i]! : -values[i]!;
  }
  const block = dims & -dims;
  for (let half = 1; half < block; half *= 2) {
    for (let from = 0; from < dims; from += half * 2) {
      for (let i = from; i < from + half; i++) {
        const sum = rotated[i]! + rotated[i + half]!;
        rotated[i + half] = rotated[i]! - rotated[i + half]!;
        rotated[i] = sum;
      }
    }
  }
  return rotated;
}

/** The codes of each row. Rows of zeros are left out: they are close to nothing. */
export function encodeRows({ dims, values, scales }: QuantizedVectors): Uint8Array {
  const bytes = new Uint8Array(scales.length * rowBytes(dims));
  let at = 0;
  for (let row = 0; row < scales.length; row++) {
    if (scales[row] === 0) continue;
    const rotated = rotate(values.subarray(row * dims, (row + 1) * dims));
    let squares = 0;
    for (let i = 0; i < dims; i++) squares += rotated[i]! * rotated[i]!;
    const outer = OUTER * Math.sqrt(squares / dims);
    for (let i = 0; i < dims; i++) {
      const value = rotated[i]!;
      const code = value < 0 ? (value < -outer ? 0 : 1) : value > outer ? 3 : 2;
      bytes[at + (i >>> 2)]! |= code << ((i & 3) * 2);
    }
    at += rowBytes(dims);
  }
  return bytes.slice(0, at);
}

/** For each byte of codes its four values, and the sum of their squares. */
const decoded = new Int8Array(256 * PER_BYTE).map((_, i) => LEVELS[((i >>> 2) >>> ((i & 3) * 2)) & 3]!);
const decodedWords = new Int32Array(decoded.buffer);
const squaresOf = Int32Array.from(decodedWords, (_, byte) =>
  decoded.subarray(byte * PER_BYTE, (byte + 1) * PER_BYTE).reduce((sum, value) => sum + value * value, 0),
);

/** Rows that are collected before their products are computed. */
const BATCH_ROWS = 1024;
const batches = new Map<number, Int8Matrix>();

function batchOf(dims: number): Int8Matrix {
  const known = batches.get(dims);
  if (known !== undefined) return known;
  const batch = Int8Matrix.fill(BATCH_ROWS, dims, () => {});
  batches.set(dims, batch);
  return batch;
}

/** A query that is compared with codes. */
export class RotatedQuery {
  private readonly rowBytes: number;
  private readonly values: Int8Array;
  private readonly scale: number;
  private readonly batch: Int8Matrix;
  private readonly words: Int32Array;
  /** What the codes after the last dimension add to the squares of every row. */
  private readonly padding: number;

  constructor(query: QuantizedVectors) {
    const rotated = quantizeOne(rotate(query.values));
    this.rowBytes = rowBytes(query.dims);
    const padded = this.rowBytes * PER_BYTE;
    this.values = new Int8Array(padded);
    this.values.set(rotated.values);
    this.scale = rotated.scales[0]! / FIDELITY;
    this.batch = batchOf(padded);
    this.words = new Int32Array(
      this.batch.values.buffer,
      this.batch.values.byteOffset,
      BATCH_ROWS * this.rowBytes,
    );
    this.padding = (padded - query.dims) * LEVELS[0] ** 2;
  }

  /** The cosine of each row. */
  cosines(codes: Uint8Array): Float64Array {
    const { batch, rowBytes: bytes, words } = this;
    const cosines = new Float64Array(codes.length / bytes);
    for (let first = 0; first < cosines.length; first += BATCH_ROWS) {
      const rows = Math.min(BATCH_ROWS, cosines.length - first);
      for (let row = 0, at = 0; row < rows; row++) {
        let squares = -this.padding;
        for (const end = at + bytes; at < end; at++) {
          const code = codes[first * bytes + at]!;
          words[at] = decodedWords[code]!;
          squares += squaresOf[code]!;
        }
        batch.scales[row] = this.scale / Math.sqrt(squares);
      }
      const dots = batch.dots(this.values, rows);
      for (let row = 0; row < rows; row++)
        cosines[first + row] = Math.min(1, dots[row]! * batch.scales[row]!);
    }
    return cosines;
  }
}

/** For each group of rows, the largest cosine with the query; 0 for a group without rows. */
export function closestOf(query: QuantizedVectors, groups: readonly Uint8Array[]): Float64Array {
  const rotated = new RotatedQuery(query);
  return Float64Array.from(groups, (codes) => rotated.cosines(codes).reduce((a, b) => Math.max(a, b), 0));
}
