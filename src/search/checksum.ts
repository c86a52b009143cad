// A fast 32-bit checksum that detects damage to stored bytes. It is not a cryptographic hash.

import { instantiate, type Kernel } from "./kernels.ts";

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

/** The checksum of each block; the last block may be shorter. */
export function blockChecksums(bytes: Uint8Array): Uint32Array {
  const sums = new Uint32Array(blocksOf(bytes.length));
  const whole = Math.floor(bytes.length / BLOCK_BYTES);
  const byKernel = whole > 0 ? kernelChecksums(bytes, sums, whole) : 0;
  for (let block = byKernel, from = block * BLOCK_BYTES; block < sums.length; block++, from += BLOCK_BYTES) {
    sums[block] = checksum(bytes, from, Math.min(bytes.length, from + BLOCK_BYTES));
  }
  return sums;
}

/** The checksum of many bytes, quick in a process that has just begun: that of the checksums of their blocks. */
export function longChecksum(bytes: Uint8Array): number {
  return checksum(new Uint8Array(blockChecksums(bytes).buffer));
}

/** Blocks that are copied into the kernel's memory at once. */
const KERNEL_BLOCKS = 16;
let kernel: { bytes: Uint8Array; sums: Uint32Array; run: Kernel["checksums"] } | undefined | "none";

/** Writes the checksums of whole blocks into `sums`; returns how many it wrote: all, or none without a kernel. */
function kernelChecksums(bytes: Uint8Array, sums: Uint32Array, whole: number): number {
  kernel ??= checksumKernel() ?? "none";
  if (kernel === "none") return 0;
  for (let from = 0; from < whole; from += KERNEL_BLOCKS) {
    const count = Math.min(KERNEL_BLOCKS, whole - from);
    const at = from * BLOCK_BYTES;
    const end = count * BLOCK_BYTES;
    kernel.bytes.set(bytes.subarray(at, at + end));
    kernel.run(0, end, BLOCK_BYTES, KERNEL_BLOCKS * BLOCK_BYTES, FINISHER ^ BLOCK_BYTES, MULTIPLIER);
    sums.set(count === KERNEL_BLOCKS ? kernel.sums : kernel.sums.subarray(0, count), from);
  }
  return whole;
}

function checksumKernel(): Exclude<typeof kernel, "none"> {
  const size = KERNEL_BLOCKS * BLOCK_BYTES;
  const found = instantiate(size + KERNEL_BLOCKS * 4);
  if (found === undefined) return undefined;
  return {
    bytes: new Uint8Array(found.buffer, 0, size),
    sums: new Uint32Array(found.buffer, size, KERNEL_BLOCKS),
    run: found.checksums,
  };
}
