// Reads ranges of stored bytes, from memory or from a file whose blocks are checked as they are read.

import { readSync } from "node:fs";
import { BLOCK_BYTES, blockChecksums, blocksOf } from "./checksum.ts";

export interface ByteSource {
  readonly length: number;
  /** True if the bytes are in memory. */
  readonly resident: boolean;
  /** The bytes of a range, aligned in memory at least as `offset` is. Throws `DamagedSnapshot`. */
  read(offset: number, length: number): Uint8Array;
  /** Fills `target`, as long as the source, with it. Throws `DamagedSnapshot`. */
  readInto(target: Uint8Array): void;
  /** Fills `target` with whole blocks from `offset` on; only the source's last one may be shorter. Throws `DamagedSnapshot`. */
  readBlocks(offset: number, target: Uint8Array): void;
}

/** The stored bytes are not what was written. `SearchIndex` catches it; callers see its `damage` instead. */
export class DamagedSnapshot extends Error {
  readonly code = "index-damaged";

  constructor(what: string) {
    super(`${what}. Rebuild the index from its sources.`);
    this.name = "DamagedSnapshot";
  }
}

/** `bytes` as 32-bit words. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
}

function checkRange(offset: number, length: number, total: number): void {
  if (offset >= 0 && length >= 0 && offset + length <= total) return;
  throw new DamagedSnapshot(`Range ${offset}+${length} is outside the ${total} stored bytes`);
}

/** A source over bytes in memory. */
export function memoryBytes(bytes: Uint8Array): ByteSource {
  const read = (offset: number, length: number) => {
    checkRange(offset, length, bytes.length);
    return bytes.subarray(offset, offset + length);
  };
  return {
    length: bytes.length,
    resident: true,
    read,
    readInto: (target) => target.set(read(0, target.length)),
    readBlocks: (offset, target) => target.set(read(offset, target.length)),
  };
}

/** The same bytes in memory. */
export function loaded(source: ByteSource): ByteSource {
  return source.resident ? source : memoryBytes(source.read(0, source.length));
}

/** Fills `target` from the file at `position`, or throws `DamagedSnapshot`. */
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

/** The expected checksum of a block, by its number in the file. */
export type BlockChecksums = (block: number) => number;

/** Checksums that are in the file themselves, read 1,024 at a time: a new process needs few. */
export function storedChecksums(source: ByteSource): BlockChecksums {
  const perRead = BLOCK_BYTES / 4;
  const known: Uint32Array[] = [];
  return (block) => {
    const n = Math.floor(block / perRead);
    const at = n * BLOCK_BYTES;
    known[n] ??= wordsOf(source.read(at, Math.min(BLOCK_BYTES, source.length - at)));
    return known[n][block % perRead]!;
  };
}

interface FileRange {
  fd: number;
  offset: number;
  length: number;
  checksums: BlockChecksums;
  /** The number of the range's first block. */
  firstBlock: number;
}

/** Reads up to this size use one shared buffer, and only the requested bytes are copied. */
const SCRATCH_BYTES = 16 * BLOCK_BYTES;
const scratch = new Uint8Array(SCRATCH_BYTES);

/** A source over a range of a file. Each read checks the blocks that it touches. */
export function fileBytes({
  fd,
  offset: start,
  length: total,
  checksums,
  firstBlock,
}: FileRange): ByteSource {
  /** Reads whole blocks; only the range's last one may be shorter. */
  const readBlocks = (target: Uint8Array, first: number) => {
    // Looked up before the blocks are read, because stored checksums are read through the same scratch buffer.
    const expected = new Uint32Array(blocksOf(target.length));
    for (let i = 0; i < expected.length; i++) expected[i] = checksums(firstBlock + first + i);
    readFully(fd, target, start + first * BLOCK_BYTES);
    const sums = blockChecksums(target);
    for (let i = 0; i < sums.length; i++) {
      if (sums[i] === expected[i]) continue;
      throw new DamagedSnapshot(`Block ${first + i} at byte ${start} of the index is damaged`);
    }
  };
  return {
    length: total,
    resident: false,
    read(offset, length) {
      checkRange(offset, length, total);
      const first = Math.floor(offset / BLOCK_BYTES);
      const from = first * BLOCK_BYTES;
      const size = Math.max(0, Math.min(total, blocksOf(offset + length) * BLOCK_BYTES) - from);
      const small = size <= SCRATCH_BYTES;
      const bytes = small ? scratch.subarray(0, size) : new Uint8Array(size);
      readBlocks(bytes, first);
      const [begin, end] = [offset - from, offset - from + length];
      return small ? bytes.slice(begin, end) : bytes.subarray(begin, end);
    },
    readInto(target) {
      if (target.length !== total) {
        throw new DamagedSnapshot(`Expected ${target.length} bytes, but the index has ${total}`);
      }
      readBlocks(target, 0);
    },
    readBlocks(offset, target) {
      checkRange(offset, target.length, total);
      readBlocks(target, offset / BLOCK_BYTES);
    },
  };
}

/** Keeps recently used arrays, up to about `limit` bytes: two generations, the older dropped when the younger is full. */
export class RecentBytes<T extends { byteLength: number } = Uint8Array> {
  private readonly limit: number;
  private young = new Map<number, T>();
  private old = new Map<number, T>();
  private youngBytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get(key: number): T | undefined {
    const known = this.young.get(key);
    if (known !== undefined) return known;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: number, bytes: T): void {
    if (this.youngBytes + bytes.byteLength > this.limit / 2) {
      this.old = this.young;
      this.young = new Map();
      this.youngBytes = 0;
    }
    this.young.set(key, bytes);
    this.youngBytes += bytes.byteLength;
  }
}
