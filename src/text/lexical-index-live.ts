// Owns which documents of a segment are still alive, and how many of a term's documents are.
// Does not own the segment's bytes, which never change.

import type { Segment } from "./lexical-index-segment.ts";
import type { TermEntry, TermHash } from "./lexical-index-terms.ts";

export class LiveSegment {
  readonly segment: Segment;
  /** 1 for a removed document; undefined while all live. */
  readonly dead: Uint8Array | undefined;
  readonly deadDocs: readonly number[];
  private readonly liveCounts = new Map<number, number>();

  constructor(segment: Segment, deadDocs: readonly number[] = []) {
    this.segment = segment;
    this.deadDocs = [...deadDocs].sort((a, b) => a - b);
    if (deadDocs.length > 0) {
      this.dead = new Uint8Array(segment.shape.documents);
      for (const doc of deadDocs) this.dead[doc] = 1;
    }
  }

  get size(): number {
    return this.segment.shape.documents - this.deadDocs.length;
  }

  alive(doc: number): boolean {
    return this.dead === undefined || this.dead[doc] === 0;
  }

  find(key: string): number | undefined {
    const doc = this.segment.find(key);
    return doc !== undefined && this.alive(doc) ? doc : undefined;
  }

  /** The documents that have a term, ascending. */
  docsWith(hash: TermHash): number[] {
    const entry = this.segment.lookup(hash);
    if (entry === undefined) return [];
    const { docs, docsAt, count } = this.segment.postings(entry);
    return Array.from(docs.subarray(docsAt, docsAt + count)).filter((doc) => this.alive(doc));
  }

  without(docs: readonly number[]): LiveSegment {
    return docs.length === 0 ? this : new LiveSegment(this.segment, [...this.deadDocs, ...docs]);
  }

  /** What is left when only some documents may be found. */
  among(allows: (key: string) => boolean): LiveSegment {
    this.segment.loadKeys();
    const hidden: number[] = [];
    for (let doc = 0; doc < this.segment.shape.documents; doc++)
      if (this.alive(doc) && !allows(this.segment.key(doc))) hidden.push(doc);
    return this.without(hidden);
  }

  /** Documents of the term that still live: what a fresh build would count. */
  liveCount(entry: TermEntry): number {
    if (this.dead === undefined) return entry.count;
    const known = this.liveCounts.get(entry.start);
    if (known !== undefined) return known;
    const { docs, docsAt, count } = this.segment.postings(entry);
    let live = count;
    for (let i = 0; i < count; i++) live -= this.dead[docs[docsAt + i]!] ?? 0;
    this.liveCounts.set(entry.start, live);
    return live;
  }
}
