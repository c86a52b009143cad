// Owns int8 vectors: quantising, and the exact nearest rows of a matrix by cosine.
// Does not own where vectors come from, nor the machine code of the dot product (vectors-kernel.ts).

import { dotKernel } from "./vectors-kernel.ts";

/** Rows of `dims` signed bytes; a row times its scale has length 1, so a dot product is a cosine. */
export interface QuantizedVectors {
  dims: number;
  values: Int8Array;
  scales: Float32Array;
}

/** 127 and not 128, so that a vector and its negative are equally far from zero. */
const LEVELS = 127;

/** Below this many rows plain code answers before a kernel's memory would be set up. */
const KERNEL_ROWS = 512;

/** A vector of zeros gets scale 0: it is near nothing. */
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

/** Rows gathered before their products are taken: the sections of a message's candidates, in one or two runs. */
const BATCH_ROWS = 1024;
const batches = new Map<number, Int8Matrix>();

/** For each group of rows, the largest cosine with the query; 0 for a group without rows. */
export function closestOf(query: QuantizedVectors, groups: readonly QuantizedVectors[]): Float64Array {
  const closest = new Float64Array(groups.length);
  const { dims } = query;
  let batch = batches.get(dims);
  if (batch === undefined) {
    batch = Int8Matrix.fill(BATCH_ROWS, dims, () => {});
    batches.set(dims, batch);
  }
  const { values, scales } = batch;
  let rows = 0;
  let first = 0;
  const finish = (end: number) => {
    const dots = batch.dots(query.values, rows);
    for (let group = first, row = 0; group < end; group++) {
      let best = closest[group]!;
      for (let left = groups[group]!.scales.length; left > 0; left--, row++) {
        best = Math.max(best, dots[row]! * query.scales[0]! * scales[row]!);
      }
      closest[group] = best;
    }
    first = end;
    rows = 0;
  };
  groups.forEach((group, g) => {
    const count = group.scales.length;
    if (count > BATCH_ROWS) {
      finish(g);
      for (let row = 0; row < count; row++) closest[g] = Math.max(closest[g]!, cosine(query, group, row));
      first = g + 1;
      return;
    }
    if (rows + count > BATCH_ROWS) finish(g);
    values.set(group.values, rows * dims);
    scales.set(group.scales, rows);
    rows += count;
  });
  finish(groups.length);
  return closest;
}

export class Int8Matrix {
  readonly rows: number;
  readonly dims: number;
  readonly values: Int8Array;
  readonly scales: Float32Array;
  private readonly kernel: ReturnType<typeof dotKernel>;
  /** What `dots` gave last, */
  readonly products: Int32Array;
  /** and the query that it was for, where the caller says so and asks no other in between. */
  answered: Int8Array | undefined;

  private constructor(rows: number, dims: number, withKernel: boolean) {
    this.rows = rows;
    this.dims = dims;
    this.scales = new Float32Array(rows);
    this.kernel = withKernel ? dotKernel(rows, dims) : undefined;
    this.values = this.kernel?.values ?? new Int8Array(rows * dims);
    this.products = this.kernel?.dots ?? new Int32Array(rows);
  }

  /** Allocates the matrix where the kernel can see it and lets `write` fill it in place. */
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

  /** True when the SIMD kernel answers. */
  get accelerated(): boolean {
    return this.kernel !== undefined;
  }

  /** The integer dot product of every row (or the first `rows`) with `query`. Valid until the next call. */
  dots(query: Int8Array, rows = this.rows): Int32Array {
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
}
