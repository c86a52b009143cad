// Owns trusted reading from a snapshot file: ranges are read in blocks of 4 KB and each block is checked on arrival.
// Does not own the file's layout (snapshot.ts).

import { readSync } from "node:fs";
import { checksumBlocks } from "./checksum.ts";
import { type ByteSource, DamagedSnapshot } from "./snapshot-bytes.ts";

/** Small enough that reading ten terms stays cheap, large enough that the sums of 50 MB fit in 50 KB. */
export const BLOCK_BYTES = 4096;

export function blocksOf(length: number): number {
  return Math.ceil(length / BLOCK_BYTES);
}

/** Fills `target` from the file at `position`, or reports the file as damaged. */
export function readFully(fd: number, target: Uint8Array, position: number): void {
  let filled = 0;
  while (filled < target.length) {
    let got: number;
    try {
      got = readSync(fd, target, filled, target.length - filled, position + filled);
    } catch (error) {
      throw new DamagedSnapshot(
        `Reading the index failed (${error instanceof Error ? error.message : error})`,
      );
    }
    if (got === 0) throw new DamagedSnapshot(`The index ends before byte ${position + target.length}`);
    filled += got;
  }
}

export interface FileSection {
  fd: number;
  offset: number;
  length: number;
  /** The checksums of this section's blocks. */
  sums: Sums;
}

/** Checksums of blocks, by the number of the first one wanted. Asked before a block is read. */
export interface Sums {
  of(first: number, count: number): Uint32Array;
}

export function sumsInMemory(sums: Uint32Array): Sums {
  return { of: (first, count) => sums.subarray(first, first + count) };
}

/** Checksums that lie in the file themselves, read a block of them at a time: a cold process needs few. */
export function sumsInFile(source: ByteSource): Sums {
  const perBlock = BLOCK_BYTES / 4;
  const known: Uint32Array[] = [];
  const blockOf = (n: number) => {
    known[n] ??= wordsOf(
      source.read(n * BLOCK_BYTES, Math.min(BLOCK_BYTES, source.length - n * BLOCK_BYTES)),
    );
    return known[n]!;
  };
  return {
    of(first, count) {
      const from = Math.floor(first / perBlock);
      if (count <= 0 || Math.floor((first + count - 1) / perBlock) === from)
        return blockOf(from).subarray(first % perBlock, (first % perBlock) + count);
      return Uint32Array.from({ length: count }, (_, i) => {
        const sum = first + i;
        return blockOf(Math.floor(sum / perBlock))[sum % perBlock]!;
      });
    },
  };
}

/** Checksums counted from another one than the first. */
export function sumsFrom(sums: Sums, start: number): Sums {
  return { of: (first, count) => sums.of(start + first, count) };
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
}

/** Reads up to this size pass through one buffer, and only the bytes asked for are kept. */
const SCRATCH_BYTES = 16 * BLOCK_BYTES;
const scratch = new Uint8Array(SCRATCH_BYTES);

export function fileBytes(section: FileSection): ByteSource {
  const { fd, offset: sectionAt, length: total, sums } = section;

  /** Reads blocks: `bytes` begin at a block's boundary and end at one, or with the section. */
  const readBlocks = (bytes: Uint8Array, firstBlock: number) => {
    // Before the blocks: checksums pass through the same buffer.
    const wanted = sums.of(firstBlock, blocksOf(bytes.length));
    readFully(fd, bytes, sectionAt + firstBlock * BLOCK_BYTES);
    const found = checksumBlocks(bytes, BLOCK_BYTES);
    for (let i = 0; i < found.length; i++) {
      if (found[i] === wanted[i]) continue;
      throw new DamagedSnapshot(`Block ${firstBlock + i} at byte ${sectionAt} of the index is damaged`);
    }
  };

  return {
    length: total,
    resident: false,
    read(offset, length) {
      if (offset < 0 || length < 0 || offset + length > total) {
        throw new DamagedSnapshot(`Range ${offset}+${length} lies outside ${total} stored bytes`);
      }
      const firstBlock = Math.floor(offset / BLOCK_BYTES);
      const from = firstBlock * BLOCK_BYTES;
      const to = Math.min(total, blocksOf(offset + length) * BLOCK_BYTES);
      const size = Math.max(0, to - from);
      const small = size <= SCRATCH_BYTES;
      const bytes = small ? scratch.subarray(0, size) : new Uint8Array(size);
      readBlocks(bytes, firstBlock);
      const [start, end] = [offset - from, offset - from + length];
      return small ? bytes.slice(start, end) : bytes.subarray(start, end);
    },
    readInto(target) {
      if (target.length !== total) {
        throw new DamagedSnapshot(`${target.length} bytes were expected where the index has ${total}`);
      }
      readBlocks(target, 0);
    },
  };
}
