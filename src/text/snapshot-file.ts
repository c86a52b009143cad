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
  /** The checksum of each block of this section. */
  sums: Uint32Array;
}

/** Reads up to this size pass through one buffer, and only the bytes asked for are kept. */
const SCRATCH_BYTES = 16 * BLOCK_BYTES;
const scratch = new Uint8Array(SCRATCH_BYTES);

export function fileBytes(section: FileSection): ByteSource {
  const { fd, offset: sectionAt, length: total, sums } = section;

  /** `bytes` begin at a block's boundary and end at one, or with the section. */
  const verify = (bytes: Uint8Array, firstBlock: number) => {
    const found = checksumBlocks(bytes, BLOCK_BYTES);
    for (let i = 0; i < found.length; i++) {
      if (found[i] === sums[firstBlock + i]) continue;
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
      readFully(fd, bytes, sectionAt + from);
      verify(bytes, firstBlock);
      const [start, end] = [offset - from, offset - from + length];
      return small ? bytes.slice(start, end) : bytes.subarray(start, end);
    },
    readInto(target) {
      if (target.length !== total) {
        throw new DamagedSnapshot(`${target.length} bytes were expected where the index has ${total}`);
      }
      readFully(fd, target, sectionAt);
      verify(target, 0);
    },
  };
}
