// Int8 vectors: quantization, cosines, and the dot products of a whole matrix with a SIMD kernel.

import { instantiate, LANE_BYTES } from "./kernels.ts";

/** Rows of `dims` signed bytes. A row times its scale has length 1, so a scaled dot product is a cosine. */
export interface QuantizedVectors {
  dims: number;
  values: Int8Array;
  scales: Float32Array;
}

/** 127 and not 128, so that a vector and its negative are equally far from zero. */
const LEVELS = 127;

/** With fewer rows, plain code finishes before the kernel's memory is set up. */
const KERNEL_ROWS = 512;

/** Quantizes each vector into one row. A vector of zeros gets scale 0, so every cosine with it is 0. */
export function quantize(vectors: readonly ArrayLike<number>[], dims: number): QuantizedVectors {
  const values = new Int8Array(vectors.length * dims);
  const scales = new Float32Array(vectors.length);
  vectors.forEach((vector, row) => {
    let largest = 0;
    for (let i = 0; i < dims; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
    if (!(largest > 0) || !Number.isFinite(largest)) return;
    let squares = 0;
    for (let i = 0; i < dims; i++) {
      const level = Math.round(((vector[i] ?? 0) / largest) * LEVELS);
      values[row * dims + i] = level;
      squares += level * level;
    }
    scales[row] = 1 / Math.sqrt(squares);
  });
  return { dims, values, scales };
}

/** Quantizes one vector, for a document or a query. */
export function quantizeOne(vector: ArrayLike<number>): QuantizedVectors {
  return quantize([vector], vector.length);
}

/** Cosine of row `row` with the single row of `query`. */
export function cosine(query: QuantizedVectors, vectors: QuantizedVectors, row: number): number {
  let dot = 0;
  for (let i = 0, at = row * query.dims; i < query.dims; i++) {
    dot += query.values[i]! * (vectors.values[at + i] ?? 0);
  }
  return dot * query.scales[0]! * (vectors.scales[row] ?? 0);
}

/** A matrix of quantized rows that computes the dot products of all rows at once. */
export class Int8Matrix implements QuantizedVectors {
  readonly rows: number;
  readonly dims: number;
  readonly values: Int8Array;
  readonly scales: Float32Array;
  private readonly kernel: MatrixKernel | undefined;
  private readonly products: Int32Array;
  /** The query whose products with every row are in `products`. */
  private lastQuery: Int8Array | undefined;

  private constructor(rows: number, dims: number, withKernel: boolean) {
    this.rows = rows;
    this.dims = dims;
    this.kernel = withKernel ? matrixKernel(rows, dims) : undefined;
    this.scales = this.kernel?.scales ?? new Float32Array(rows);
    this.values = this.kernel?.values ?? new Int8Array(rows * dims);
    this.products = this.kernel?.dots ?? new Int32Array(rows);
  }

  /** Allocates the matrix in the kernel's memory and lets `write` fill it in place. */
  static fill(
    rows: number,
    dims: number,
    write: (values: Int8Array, scales: Float32Array) => void,
    withKernel = rows >= KERNEL_ROWS,
  ): Int8Matrix {
    const matrix = new Int8Matrix(rows, dims, withKernel);
    write(matrix.values, matrix.scales);
    return matrix;
  }

  /** True if the SIMD kernel is used. */
  get accelerated(): boolean {
    return this.kernel !== undefined;
  }

  /** The integer dot products of the first `rows` rows with `query`. Valid until the next call. */
  dots(query: Int8Array, rows = this.rows): Int32Array {
    this.lastQuery = rows === this.rows ? query : undefined;
    if (this.kernel !== undefined) {
      this.kernel.run(query, rows);
      return this.products;
    }
    const { dims, values, products } = this;
    for (let row = 0, at = 0; row < rows; row++, at += dims) {
      let dot = 0;
      for (let i = 0; i < dims; i++) dot += query[i]! * values[at + i]!;
      products[row] = dot;
    }
    return products;
  }

  /**
   * The first row from `from` on whose product, times its scale and `factor`, is at least `least`; `rows` if there is none.
   * Call `dots` first.
   */
  nextReaching(from: number, factor: number, least: number): number {
    if (this.kernel !== undefined) return this.kernel.next(from, factor, least);
    const { rows, products, scales } = this;
    let row = from;
    while (row < rows && !(products[row]! * scales[row]! * factor >= least)) row++;
    return row;
  }

  /** Cosine of one row with the query. Reuses the products if `dots` was last called with the same query. */
  cosine(query: QuantizedVectors, row: number): number {
    if (this.lastQuery !== query.values) return cosine(query, this, row);
    return this.products[row]! * query.scales[0]! * this.scales[row]!;
  }
}

/** What a search asks of the vectors of a segment. */
export interface VectorRows extends Pick<Int8Matrix, "rows" | "dots" | "nextReaching" | "cosine"> {
  readonly scales: Float32Array;
}

/** Bytes of rows that are in memory at once while they are read for one query. */
const PIECE_BYTES = 65_536;

/**
 * The products of all rows with one query, for a process that asks once: the rows are read piece by piece and not kept. Undefined
 * where the kernel cannot do that.
 */
export function productsOnce(
  rows: number,
  dims: number,
  { query, readScales, readRows }: OneQuery,
): VectorRows | undefined {
  if (rows < KERNEL_ROWS || PIECE_BYTES % dims !== 0) return undefined;
  const kernel = matrixKernel(rows, dims, PIECE_BYTES);
  if (kernel === undefined) return undefined;
  readScales(kernel.scales);
  const perPiece = PIECE_BYTES / dims;
  for (let row = 0; row < rows; row += perPiece) {
    const count = Math.min(perPiece, rows - row);
    readRows(row * dims, kernel.values.subarray(0, count * dims));
    kernel.run(query.values, count, row);
  }
  const { scales, dots, next } = kernel;
  return {
    rows,
    scales,
    dots: () => dots,
    nextReaching: next,
    cosine: (_query, row) => dots[row]! * query.scales[0]! * scales[row]!,
  };
}

interface OneQuery {
  readonly query: QuantizedVectors;
  readonly readScales: (target: Float32Array) => void;
  /** Fills `target` with the rows' bytes from `offset` on. */
  readonly readRows: (offset: number, target: Int8Array) => void;
}

interface MatrixKernel {
  values: Int8Array;
  scales: Float32Array;
  dots: Int32Array;
  /** The products of the first `count` rows in memory, which are the rows from `firstRow` on. */
  run(query: Int8Array, count: number, firstRow?: number): void;
  next(from: number, factor: number, least: number): number;
}

/** A kernel with its own memory for the rows; undefined if the host lacks SIMD or `dims` is not a multiple of 16. */
function matrixKernel(rows: number, dims: number, rowBytes = rows * dims): MatrixKernel | undefined {
  if (rows === 0 || dims === 0 || dims % LANE_BYTES !== 0) return undefined;
  // Memory: the query widened to 16 bits, one 32-bit product and one scale per row, the rows.
  const dotsAt = dims * 2;
  const scalesAt = dotsAt + rows * 4;
  const rowsAt = Math.ceil((scalesAt + rows * 4) / LANE_BYTES) * LANE_BYTES;
  const kernel = instantiate(rowsAt + rowBytes);
  if (kernel === undefined) return undefined;
  const wideQuery = new Int16Array(kernel.buffer, 0, dims);
  return {
    values: new Int8Array(kernel.buffer, rowsAt, rowBytes),
    scales: new Float32Array(kernel.buffer, scalesAt, rows),
    dots: new Int32Array(kernel.buffer, dotsAt, rows),
    run(query, count, firstRow = 0) {
      if (count === 0) return;
      wideQuery.set(query.length === dims ? query : query.subarray(0, dims));
      kernel.dots(0, rowsAt, dotsAt + firstRow * 4, count, dims);
    },
    next: (from, factor, least) => kernel.next(dotsAt, scalesAt, from, rows, factor, least),
  };
}
