// Passage vectors as codes of two bits per dimension, and the closest passage of each document.
//
// A row is rotated first, so that all dimensions have about the same variance: with two bits the error of a cosine is
// then about 0.025. A rotation keeps every cosine if the query is rotated too, so rows are never rotated back.

import { instantiate, LANE_BYTES } from "./kernels.ts";
import { type QuantizedVectors, quantizeOne } from "./vectors.ts";

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

/** Rows as codes, their products with a query, and the sums of their squares. */
interface Batch {
  readonly codes: Uint8Array;
  readonly squares: Int32Array;
  readonly dots: Int32Array;
  run(query: Int8Array, rows: number): void;
}

const batches = new Map<number, Batch>();

function batchOf(bytes: number): Batch {
  const known = batches.get(bytes);
  if (known !== undefined) return known;
  const batch = kernelBatch(bytes) ?? plainBatch(bytes);
  batches.set(bytes, batch);
  return batch;
}

function kernelBatch(bytes: number): Batch | undefined {
  const dims = bytes * PER_BYTE;
  if (dims === 0 || dims % LANE_BYTES !== 0) return undefined;
  // Memory: the query widened to 16 bits, products, squares, the two tables, the codes, the rows.
  const dotsAt = dims * 2;
  const squaresAt = dotsAt + BATCH_ROWS * 4;
  const wordsAt = squaresAt + BATCH_ROWS * 4;
  const valuesAt = wordsAt + decodedWords.byteLength;
  const codesAt = valuesAt + squaresOf.byteLength;
  const rowsAt = codesAt + BATCH_ROWS * bytes;
  const kernel = instantiate(rowsAt + BATCH_ROWS * dims);
  if (kernel === undefined) return undefined;
  const { buffer } = kernel;
  new Int32Array(buffer, wordsAt).set(decodedWords);
  new Int32Array(buffer, valuesAt).set(squaresOf);
  const wideQuery = new Int16Array(buffer, 0, dims);
  return {
    codes: new Uint8Array(buffer, codesAt, BATCH_ROWS * bytes),
    squares: new Int32Array(buffer, squaresAt, BATCH_ROWS),
    dots: new Int32Array(buffer, dotsAt, BATCH_ROWS),
    run(query, rows) {
      if (rows === 0) return;
      wideQuery.set(query);
      kernel.unpack(codesAt, rows, bytes, wordsAt, valuesAt, rowsAt, squaresAt);
      kernel.dots(0, rowsAt, dotsAt, rows, dims);
    },
  };
}

function plainBatch(bytes: number): Batch {
  const codes = new Uint8Array(BATCH_ROWS * bytes);
  const squares = new Int32Array(BATCH_ROWS);
  const dots = new Int32Array(BATCH_ROWS);
  return {
    codes,
    squares,
    dots,
    run(query, rows) {
      for (let row = 0, at = 0; row < rows; row++) {
        let square = 0;
        let dot = 0;
        for (let i = 0; i < bytes * PER_BYTE; at++) {
          const code = codes[at]!;
          square += squaresOf[code]!;
          for (const end = i + PER_BYTE; i < end; i++) dot += query[i]! * decoded[code * PER_BYTE + (i & 3)]!;
        }
        squares[row] = square;
        dots[row] = dot;
      }
    },
  };
}

/** For each group of rows, the largest cosine with the query; 0 for a group without rows. */
export function closestOf(query: QuantizedVectors, groups: readonly Uint8Array[]): Float64Array {
  const closest = new Float64Array(groups.length);
  const bytes = rowBytes(query.dims);
  const padded = bytes * PER_BYTE;
  // What the codes after the last dimension add to the squares of every row.
  const padding = (padded - query.dims) * LEVELS[0] ** 2;
  const rotated = quantizeOne(rotate(query.values));
  const scale = rotated.scales[0]! / FIDELITY;
  const paddedQuery = new Int8Array(padded);
  paddedQuery.set(rotated.values);
  const batch = batchOf(bytes);
  const groupOf = new Int32Array(BATCH_ROWS);
  let filled = 0;
  const finish = () => {
    batch.run(paddedQuery, filled);
    for (let row = 0; row < filled; row++) {
      const group = groupOf[row]!;
      // As a 32-bit float, like the scales of other vectors.
      const inverse = Math.fround(scale / Math.sqrt(batch.squares[row]! - padding));
      closest[group] = Math.max(closest[group]!, Math.min(1, batch.dots[row]! * inverse));
    }
    filled = 0;
  };
  groups.forEach((codes, group) => {
    const rows = Math.floor(codes.length / bytes);
    for (let from = 0; from < rows; ) {
      if (filled === BATCH_ROWS) finish();
      const count = Math.min(rows - from, BATCH_ROWS - filled);
      batch.codes.set(codes.subarray(from * bytes, (from + count) * bytes), filled * bytes);
      groupOf.fill(group, filled, filled + count);
      filled += count;
      from += count;
    }
  });
  finish();
  return closest;
}
