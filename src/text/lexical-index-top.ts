// Owns keeping the best N of a segment's scored documents. Of equal scores the lower document number is better,
// which within a segment means the lower key. Score and document are packed into one number: comparing is one
// comparison, and nothing is allocated for a document that does not stay.

import { SEGMENT_DOCUMENTS } from "./lexical-index-segment.ts";

/** Scores are integers below this. */
export const SCORE_RANGE = 2 ** 31;

export class Top {
  /** A score must exceed this to be worth offering, when documents come in ascending order. */
  floor: number;
  private readonly limit: number;
  /** A heap with its worst at the root. */
  private readonly heap: number[] = [];

  constructor(limit: number, floor = 0) {
    this.limit = limit;
    this.floor = limit > 0 ? floor : SCORE_RANGE;
  }

  get full(): boolean {
    return this.heap.length === this.limit;
  }

  /** Takes a score above the floor. */
  offer(score: number, doc: number): void {
    const packed = score * SEGMENT_DOCUMENTS + (SEGMENT_DOCUMENTS - 1 - doc);
    if (!this.full) this.rise(packed);
    else if (packed > this.heap[0]!) this.sink(packed, this.limit);
    if (this.full) this.floor = Math.floor(this.heap[0]! / SEGMENT_DOCUMENTS);
  }

  /** Best first. Takes the heap apart: for once, at the end. */
  forEachRanked(visit: (doc: number, score: number) => void): void {
    const { heap } = this;
    for (let last = heap.length - 1; last > 0; last--) {
      const packed = heap[last]!;
      heap[last] = heap[0]!;
      this.sink(packed, last);
    }
    for (const packed of heap) {
      const score = Math.floor(packed / SEGMENT_DOCUMENTS);
      visit(SEGMENT_DOCUMENTS - 1 - (packed - score * SEGMENT_DOCUMENTS), score);
    }
  }

  private rise(packed: number): void {
    const { heap } = this;
    let place = heap.length;
    heap.push(packed);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent]! <= packed) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = packed;
  }

  /** Replaces the root of the heap's first `size` numbers. */
  private sink(packed: number, size: number): void {
    const { heap } = this;
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= size) break;
      if (child + 1 < size && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= packed) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = packed;
  }
}
