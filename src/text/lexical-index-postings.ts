// Owns laying out posting lists and the table that finds them. Terms come in hash order, documents ascending.
// Does not own where the postings come from: a build or a merge.

import { type TermHash, TermTableWriter } from "./lexical-index-terms.ts";
import { type ByteSource, memoryBytes } from "./snapshot-bytes.ts";

/** 16-bit units of a posting list: two bytes of document and one of impact each, rounded up. */
function postingUnits(count: number): number {
  return count + ((count + 1) >>> 1);
}

export class PostingsWriter {
  private readonly table: TermTableWriter;
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly docs: Uint16Array;
  private units = 0;

  /** Takes the number of terms and the length of each list, in any order. */
  constructor(terms: number, counts: Iterable<number>) {
    let units = 0;
    for (const count of counts) units += postingUnits(count);
    this.table = new TermTableWriter(terms);
    this.bytes = new Uint8Array(units * 2);
    this.docs = new Uint16Array(this.bytes.buffer);
  }

  /** Each posting is its document times 256 plus its impact. */
  push({ high, low }: TermHash, postings: Uint32Array): void {
    const start = this.units;
    const count = postings.length;
    const impactsAt = (start + count) * 2;
    let maxImpact = 0;
    for (let i = 0; i < count; i++) {
      const impact = postings[i]! & 0xff;
      this.docs[start + i] = postings[i]! >>> 8;
      this.bytes[impactsAt + i] = impact;
      if (impact > maxImpact) maxImpact = impact;
    }
    this.table.push({ high, low, start, count, maxImpact });
    this.units += postingUnits(count);
  }

  finish(): { terms: ByteSource; postings: ByteSource } {
    return { terms: memoryBytes(this.table.finish()), postings: memoryBytes(this.bytes) };
  }
}
