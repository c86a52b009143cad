// A fast 32-bit checksum that detects damage to stored bytes. It is not a cryptographic hash.

import { instantiate } from "./kernels.ts";

const MULTIPLIER = 0x9e3779b1;
const FINISHER = 0x85ebca77;

/** A bijection of `word` for a fixed `state`: a change within one 4-byte word always changes the result. */
function mix(state: number, word: number): number {
  const mixed = Math.imul(state ^ word, MULTIPLIER);
  return mixed ^ (mixed >>> 15);
}

/** The checksum of a range of `bytes`, by default all. Changes within one aligned 4-byte word are always detected. */
export function checksum(bytes: Uint8Array, from = 0, to = bytes.length): number {
  if ((bytes.byteOffset + from) % 4 !== 0) return checksum(bytes.slice(from, to));
  const length = to - from;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, length >>> 2);
  // Four independent chains, which the processor computes in parallel.
  let a = 1;
  let b = 2;
  let c = 3;
  let d = 4;
  const wholeRounds = words.length & ~3;
  for (let i = 0; i < wholeRounds; i += 4) {
    a = Math.imul(a ^ words[i]!, MULTIPLIER);
    b = Math.imul(b ^ words[i + 1]!, MULTIPLIER);
    c = Math.imul(c ^ words[i + 2]!, MULTIPLIER);
    d = Math.imul(d ^ words[i + 3]!, MULTIPLIER);
    a ^= a >>> 15;
    b ^= b >>> 15;
    c ^= c >>> 15;
    d ^= d >>> 15;
  }
  for (let i = wholeRounds; i < words.length; i++) a = mix(a, words[i]!);
  for (let i = words.length * 4; i < length; i++) b = mix(b, bytes[from + i]!);
  return mix(mix(mix(mix(FINISHER ^ length, a), b), c), d) >>> 0;
}

/** Small enough that looking up ten terms reads little, large enough that the checksums of 50 MB take 50 KB. */
export const BLOCK_BYTES = 4096;

/** The number of blocks that `length` bytes take. */
export function blocksOf(length: number): number {
  return Math.ceil(length / BLOCK_BYTES);
}

/** The checksum of each block. The last one may be shorter: zeros at its end do not count. */
export function blockChecksums(bytes: Uint8Array): Uint32Array {
  const sums = new Uint32Array(blocksOf(bytes.length));
  for (let from = 0; from < sums.length; from += KERNEL_BLOCKS) {
    const at = from * BLOCK_BYTES;
    sums.set(checksumsOfPiece(bytes.subarray(at, at + KERNEL_BLOCKS * BLOCK_BYTES)), from);
  }
  return sums;
}

/** The checksum of many bytes, quick in a process that has just begun: that of the checksums of their blocks. */
export function longChecksum(bytes: Uint8Array): number {
  return checksum(new Uint8Array(blockChecksums(bytes).buffer));
}

/** Blocks that are copied into the kernel's memory at once. */
const KERNEL_BLOCKS = 16;
const FOUR_BLOCKS = 4 * BLOCK_BYTES;
/** Shorter blocks are filled with zeros to a multiple of this. */
const ROUND_BYTES = 16;

interface Checksummer {
  readonly bytes: Uint8Array;
  /** The checksums of `bytes` from `at` to `end`, in blocks of `size` bytes, go into `sums` from its beginning. */
  readonly sums: Uint32Array;
  run(at: number, end: number, size: number): void;
}

let checksummer: Checksummer | undefined;

function checksumsOfPiece(piece: Uint8Array): Uint32Array {
  checksummer ??= kernelChecksummer() ?? plainChecksummer();
  const { bytes, sums } = checksummer;
  const whole = Math.floor(piece.length / BLOCK_BYTES);
  const wholeBytes = whole * BLOCK_BYTES;
  bytes.set(piece);
  if (whole > 0) checksummer.run(0, wholeBytes, BLOCK_BYTES);
  if (piece.length === wholeBytes) return sums.subarray(0, whole);
  const found = sums.slice(0, whole + 1);
  const size = Math.ceil((piece.length - wholeBytes) / ROUND_BYTES) * ROUND_BYTES;
  bytes.fill(0, piece.length, wholeBytes + size);
  checksummer.run(wholeBytes, wholeBytes + size, size);
  found[whole] = sums[0]!;
  return found;
}

function kernelChecksummer(): Checksummer | undefined {
  const sumsAt = KERNEL_BLOCKS * BLOCK_BYTES;
  const kernel = instantiate(sumsAt + KERNEL_BLOCKS * 4);
  if (kernel === undefined) return undefined;
  return {
    bytes: new Uint8Array(kernel.buffer, 0, sumsAt),
    sums: new Uint32Array(kernel.buffer, sumsAt, KERNEL_BLOCKS),
    run(at, end, size) {
      const seed = FINISHER ^ size;
      const fours = size === BLOCK_BYTES ? Math.floor((end - at) / FOUR_BLOCKS) : 0;
      const next = at + fours * FOUR_BLOCKS;
      if (fours > 0) kernel.fourChecksums(at, next, sumsAt, seed, MULTIPLIER);
      if (next < end) kernel.checksums(next, end, size, sumsAt + fours * 16, seed, MULTIPLIER);
    },
  };
}

function plainChecksummer(): Checksummer {
  const bytes = new Uint8Array(KERNEL_BLOCKS * BLOCK_BYTES);
  const sums = new Uint32Array(KERNEL_BLOCKS);
  return {
    bytes,
    sums,
    run(at, end, size) {
      for (let from = at, n = 0; from < end; from += size, n++) sums[n] = checksum(bytes, from, from + size);
    },
  };
}
