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

export class Int8Matrix {
  readonly rows: number;
  readonly dims: number;
  readonly values: Int8Array;
  readonly scales: Float32Array;
  private readonly kernel: ReturnType<typeof dotKernel>;
  private readonly plainDots: Int32Array;

  private constructor(rows: number, dims: number, withKernel: boolean) {
    this.rows = rows;
    this.dims = dims;
    this.scales = new Float32Array(rows);
    this.kernel = withKernel ? dotKernel(rows, dims) : undefined;
    this.values = this.kernel?.values ?? new Int8Array(rows * dims);
    this.plainDots = this.kernel?.dots ?? new Int32Array(rows);
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

  /** The integer dot product of every row with `query`. Valid until the next call. */
  dots(query: Int8Array): Int32Array {
    if (this.kernel !== undefined) {
      this.kernel.run(query);
      return this.plainDots;
    }
    const { dims, values, plainDots } = this;
    for (let row = 0, at = 0; row < this.rows; row++, at += dims) {
      let dot = 0;
      for (let i = 0; i < dims; i++) dot += query[i]! * values[at + i]!;
      plainDots[row] = dot;
    }
    return plainDots;
  }
}
