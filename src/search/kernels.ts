// The inner loops of a search as WebAssembly, which runs at full speed from its first call on: a new process answers one
// message and never gets to optimized JavaScript. Each has plain code beside it for hosts without SIMD.

import { kernelModule } from "./kernel-module.ts";

const PAGE_BYTES = 65_536;
/** Rows of a kernel have a multiple of this many bytes. */
export const LANE_BYTES = 16;

/** Numbers of a kernel's calls are positions in its memory, counts, and factors. */
interface Kernel {
  readonly buffer: ArrayBuffer;
  /** For each of `count` rows, stores the sum of row times query as 32-bit integer at `result`. */
  readonly dots: (query: number, rows: number, result: number, count: number, dims: number) => void;
  /** The first row of `from` to `count` whose product times its scale times `factor` is at least `least`; else `count`. */
  readonly next: (
    dots: number,
    scales: number,
    from: number,
    count: number,
    factor: number,
    least: number,
  ) => number;
  /**
   * Replaces each byte of `rows` rows of `bytes` bytes by the word in `words` that it numbers, and stores at `sums`, for
   * each row, the sum of the words in `values` that its bytes number.
   */
  readonly unpack: (
    codes: number,
    rows: number,
    bytes: number,
    words: number,
    values: number,
    result: number,
    sums: number,
  ) => void;
  /** Adds `units` times each impact (a byte) to the 32-bit sum of its document, given as 16-bit numbers, */
  readonly addDocs: (docs: number, impacts: number, count: number, units: number, sums: number) => void;
  /** or as gaps (see segment.ts). */
  readonly addGaps: (gaps: number, impacts: number, count: number, units: number, sums: number) => void;
  /** The first of `from` to `count` whose sum is above `floor`; else `count`. */
  readonly above: (sums: number, from: number, count: number, floor: number) => number;
  /** Stores the checksum of each block of `bytes` bytes, a multiple of 16, from `at` to `end` at `result`. */
  readonly checksums: (
    at: number,
    end: number,
    bytes: number,
    result: number,
    seed: number,
    multiplier: number,
  ) => void;
  /** The same for four whole blocks at a time. */
  readonly fourChecksums: (at: number, end: number, result: number, seed: number, multiplier: number) => void;
}

/** The part of WebAssembly that is used here; TypeScript describes it only in its DOM library. */
interface WebAssemblyHost {
  CompileError: new () => Error;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: Omit<Kernel, "buffer"> };
}

let compiled: object | undefined;

/** The kernels with `bytes` of memory, compiled on first use; undefined without SIMD. */
export function instantiate(bytes: number): Kernel | undefined {
  const { WebAssembly: host } = globalThis as unknown as { WebAssembly?: WebAssemblyHost };
  if (host === undefined) return undefined;
  if (compiled === undefined) {
    try {
      compiled = new host.Module(kernelModule());
    } catch (thrown) {
      if (!(thrown instanceof host.CompileError)) throw thrown;
      return undefined;
    }
  }
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new host.Memory({ initial: pages, maximum: pages });
  return { buffer: memory.buffer, ...new host.Instance(compiled, { m: { m: memory } }).exports };
}
