// The scores of the documents of one segment while a query is answered: posting lists are added, the best are found.

import { instantiate } from "./kernels.ts";
import { documentsOfGaps, SEGMENT_DOCUMENTS, type Segment } from "./segment.ts";
import type { TermEntry } from "./terms.ts";

/** One sum per document, as 32-bit integers. */
interface Sums {
  readonly values: Int32Array;
  /** Adds `units` times each impact of a list to the sums of its documents. */
  add(list: ReturnType<Segment["storedList"]>, count: number, units: number): void;
  /** The first document of `from` to `end` whose sum is above `floor`; `end` if there is none. */
  above(from: number, end: number, floor: number): number;
}

let made: Sums | undefined;

/** The sums; there is one set, because a search is never interrupted by another. */
export function sums(): Sums {
  made ??= kernelSums() ?? plainSums();
  return made;
}

/** Adds the posting list of a term to the sums. */
export function addPostings(segment: Segment, entry: TermEntry, units: number): void {
  const { values, add } = sums();
  const { count, where } = entry;
  if (count > 1) {
    add(segment.storedList(entry), count, units);
    return;
  }
  const doc = where & 0xffff;
  values[doc] = (values[doc]! + Math.imul(units, where >>> 16)) | 0;
}

/** Impacts and documents of the longest list, each document in two bytes. */
const LIST_BYTES = SEGMENT_DOCUMENTS * 3 + 2;

function kernelSums(): Sums | undefined {
  const listAt = SEGMENT_DOCUMENTS * 4;
  const kernel = instantiate(listAt + LIST_BYTES);
  if (kernel === undefined) return undefined;
  const staged = new Uint8Array(kernel.buffer, listAt, LIST_BYTES);
  return {
    values: new Int32Array(kernel.buffer, 0, SEGMENT_DOCUMENTS),
    add({ bytes, asGaps }, count, units) {
      staged.set(bytes);
      if (asGaps) kernel.addGaps(listAt + count, listAt, count, units, 0);
      else kernel.addDocs(listAt + count + (count & 1), listAt, count, units, 0);
    },
    above: (from, end, floor) => kernel.above(0, from, end, floor),
  };
}

function plainSums(): Sums {
  const values = new Int32Array(SEGMENT_DOCUMENTS);
  return {
    values,
    add({ bytes, asGaps }, count, units) {
      const docs = asGaps
        ? documentsOfGaps(bytes.subarray(count), count)
        : new Uint16Array(bytes.buffer, bytes.byteOffset + count + (count & 1), count);
      for (let i = 0; i < count; i++) {
        const doc = docs[i]!;
        values[doc] = (values[doc]! + Math.imul(units, bytes[i]!)) | 0;
      }
    },
    above(from, end, floor) {
      let doc = from;
      while (doc < end && values[doc]! <= floor) doc++;
      return doc;
    },
  };
}
