// Int8 vectors: quantization, cosines, and the dot products of a whole matrix with a SIMD kernel.

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
  private readonly kernel: DotKernel | undefined;
  private readonly products: Int32Array;
  /** The query whose products with every row are in `products`. */
  private lastQuery: Int8Array | undefined;

  private constructor(rows: number, dims: number, withKernel: boolean) {
    this.rows = rows;
    this.dims = dims;
    this.scales = new Float32Array(rows);
    this.kernel = withKernel ? dotKernel(rows, dims) : undefined;
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

  /** Cosine of one row with the query. Reuses the products if `dots` was last called with the same query. */
  cosine(query: QuantizedVectors, row: number): number {
    if (this.lastQuery !== query.values) return cosine(query, this, row);
    return this.products[row]! * query.scales[0]! * this.scales[row]!;
  }
}

interface DotKernel {
  values: Int8Array;
  dots: Int32Array;
  run(query: Int8Array, rows: number): void;
}

const LANE_BYTES = 16;

/** A kernel with its own memory for the rows; undefined if the host lacks SIMD or `dims` is not a multiple of 16. */
function dotKernel(rows: number, dims: number): DotKernel | undefined {
  if (rows === 0 || dims === 0 || dims % LANE_BYTES !== 0) return undefined;
  // Memory: the query widened to 16 bits, one 32-bit product per row, the rows.
  const dotsAt = dims * 2;
  const rowsAt = dotsAt + Math.ceil((rows * 4) / LANE_BYTES) * LANE_BYTES;
  const kernel = instantiate(rowsAt + rows * dims);
  if (kernel === undefined) return undefined;
  const wideQuery = new Int16Array(kernel.buffer, 0, dims);
  return {
    values: new Int8Array(kernel.buffer, rowsAt, rows * dims),
    dots: new Int32Array(kernel.buffer, dotsAt, rows),
    run(query, first) {
      if (first === 0) return;
      wideQuery.set(query.length === dims ? query : query.subarray(0, dims));
      kernel.run(0, rowsAt, dotsAt, first, dims);
    },
  };
}

/** The part of WebAssembly that is used here; TypeScript describes it only in its DOM library. */
interface WebAssemblyHost {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: { run: (...args: number[]) => void } };
}

const PAGE_BYTES = 65_536;
let compiled: object | undefined;

/** The kernel with `bytes` of memory, compiled on first use; undefined without SIMD. */
function instantiate(bytes: number) {
  const { WebAssembly: host } = globalThis as { WebAssembly?: WebAssemblyHost };
  if (host === undefined) return undefined;
  if (compiled === undefined) {
    const binary = kernelModule();
    if (!host.validate(binary)) return undefined;
    compiled = new host.Module(binary);
  }
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new host.Memory({ initial: pages, maximum: pages });
  const { run } = new host.Instance(compiled, { m: { m: memory } }).exports;
  return { buffer: memory.buffer, run };
}

/** WebAssembly instructions, nested as is convenient. */
type Code = number | readonly Code[];

const flat = (code: Code): number[] => (typeof code === "number" ? [code] : code.flatMap(flat));

function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}

/** `run(query, row, result, count, dims)`: for each of `count` rows, the sum of row times query. */
function kernelBody(): Code {
  const [query, row, result, count, dims, q, end, even, odd] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
  const get = (local: number): Code => [0x20, local];
  const set = (local: number): Code => [0x21, local];
  const tee = (local: number): Code => [0x22, local];
  const [add, subtract, lessThan] = [0x6a, 0x6b, 0x49];
  const advance = (local: number, by: number): Code => [get(local), 0x41, by, add];
  const storeI32: Code = [0x36, 2, 0];
  /** Repeats while the value left by the body is not 0. */
  const loop = (...body: Code[]): Code => [0x03, 0x40, body, 0x0d, 0, 0x0b];
  const simd = (opcode: number, ...operands: number[]): Code => [0xfd, leb128(opcode), operands];
  const zero = simd(0x0c, ...new Array<number>(LANE_BYTES).fill(0));
  const load = (offset: number) => simd(0x00, 0, offset);
  const load8BytesAsI16 = (offset: number) => simd(0x01, 0, offset);
  const extractI32 = (lane: number) => simd(0x1b, lane);
  const addI32 = simd(0xae);
  const dotI16 = simd(0xba);
  const accumulate = (sum: number, rowOffset: number, queryOffset: number): Code => [
    [get(sum), get(row), load8BytesAsI16(rowOffset), get(q), load(queryOffset), dotI16, addI32, set(sum)],
  ];
  return loop(
    [zero, set(even), zero, set(odd), get(query), set(q)],
    [get(row), get(dims), add, set(end)],
    // Two accumulators that do not wait for each other.
    loop(
      [accumulate(even, 0, 0), accumulate(odd, 8, LANE_BYTES)],
      [advance(q, 2 * LANE_BYTES), set(q), advance(row, LANE_BYTES), tee(row), get(end), lessThan],
    ),
    [get(even), get(odd), addI32, set(even), get(result)],
    [0, 1, 2, 3].map((lane) => [get(even), extractI32(lane), lane > 0 ? add : []]),
    [storeI32, advance(result, 4), set(result)],
    [get(count), 0x41, 1, subtract, tee(count)],
  );
}

function kernelModule(): Uint8Array {
  const [i32, v128, functionType, end] = [0x7f, 0x7b, 0x60, 0x0b];
  const section = (id: number, ...content: Code[]): Code => {
    const bytes = flat(content);
    return [id, leb128(bytes.length), bytes];
  };
  const name = (text: string): Code => [text.length, [...text].map((c) => c.charCodeAt(0))];
  const code = flat([2, 2, i32, 2, v128, kernelBody(), end]);
  return Uint8Array.from(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, 1, functionType, 5, i32, i32, i32, i32, i32, 0),
      section(2, 1, name("m"), name("m"), 0x02, 0x00, 1),
      section(3, 1, 0),
      section(7, 1, name("run"), 0x00, 0),
      section(10, 1, leb128(code.length), code),
    ]),
  );
}
