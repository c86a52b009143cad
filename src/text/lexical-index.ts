// Owns the index as its users see it: documents in, ranked documents out, incremental updates, one file on disk.
// A stack of immutable segments with tombstones; a document's impacts depend on itself alone and statistics are
// summed over what lives, so any history of updates answers like a fresh build. Does not own text or ranking policy.

import type { IndexDocument } from "./lexical-index-build.ts";
import {
  fitsBeside,
  type IndexProblem,
  type Label,
  openStored,
  type Stored,
  saveBeside,
  saveWhole,
} from "./lexical-index-file.ts";
import type { LiveSegment } from "./lexical-index-live.ts";
import { cosineOf, nearestIn } from "./lexical-index-near.ts";
import { DEFAULT_LEXICAL_PARAMS, fingerprint, type LexicalParams } from "./lexical-index-params.ts";
import {
  best,
  globalDoc,
  type Hit,
  type SearchOptions,
  type SearchResult,
  search,
} from "./lexical-index-search.ts";
import { SEGMENT_DOCUMENTS } from "./lexical-index-segment.ts";
import { hashTerm } from "./lexical-index-terms.ts";
import { buildStack, changed, type Stack, withoutKeys } from "./lexical-index-upkeep.ts";
import { DamagedSnapshot } from "./snapshot-bytes.ts";
import { closestOf, cosine, type QuantizedVectors } from "./vectors.ts";

export type { IndexDocument } from "./lexical-index-build.ts";
export type { IndexProblem } from "./lexical-index-file.ts";
export type { Hit, SearchOptions, SearchResult, WeighedTerm } from "./lexical-index-search.ts";

export interface IndexOptions {
  params?: LexicalParams;
  /** Names the embedder whose vectors are held; vectors of another one are of no use. */
  embedder?: string;
  dims?: number;
}

export interface IndexedDocument {
  doc: number;
  key: string;
  digest: string;
  flags: number;
}

const NO_BYTES = new Uint8Array(0);

export class LexicalIndex {
  private readonly params: LexicalParams;
  private readonly embedder: string;
  private readonly dims: number;
  private segments: Stack = [];
  private stored: Stored | undefined;
  /** Whether terms and postings are wanted in memory: true of what was built here or loaded. */
  private resident = true;
  /** Shared with every view: they read the same bytes. */
  private health: { problem?: IndexProblem } = {};

  constructor(options: IndexOptions = {}) {
    this.params = options.params ?? DEFAULT_LEXICAL_PARAMS;
    this.embedder = options.embedder ?? "none";
    this.dims = options.dims ?? 0;
  }

  /** Set once stored bytes proved damaged: answers given since are empty, and the index is to be built anew. */
  get damage(): IndexProblem | undefined {
    return this.health.problem;
  }

  get size(): number {
    return this.segments.reduce((sum, s) => sum + s.size, 0);
  }

  /** The caller's mark given to the last `save`. */
  get stamp(): string {
    return this.stored?.stamp ?? "";
  }

  /** Document numbers hold until the next update. */
  update(changes: { upsert?: Iterable<IndexDocument>; remove?: Iterable<string> }): void {
    this.guard(undefined, () => {
      const added = buildStack(changes.upsert ?? [], this.params, this.dims);
      const left = withoutKeys(this.segments, new Set(changes.remove ?? []));
      this.segments = changed(left, added, this.dims);
    });
  }

  /**
   * The same index over fewer documents: their numbers stay, and all is counted as if the others were not there. Holds
   * until the next update or save.
   */
  among(allows: (key: string) => boolean): LexicalIndex {
    const view = new LexicalIndex({ params: this.params, embedder: this.embedder, dims: this.dims });
    view.health = this.health;
    view.segments = this.guard([], () => this.segments.map((live) => live.among(allows)));
    return view;
  }

  search(terms: readonly string[], options: SearchOptions): SearchResult {
    return this.guard({ hits: [], ceiling: 0, terms: [] }, () => search(this.segments, terms, options));
  }

  /** The `limit` documents whose vectors are closest to the query's, by cosine, exactly. */
  nearest(query: QuantizedVectors, limit: number): Hit[] {
    if (this.dims === 0 || query.dims !== this.dims) return [];
    return this.guard([], () => {
      const ranked = this.segments.flatMap((live, s) => nearestIn(live, query, { limit, segment: s }));
      return best(this.segments, ranked, limit).map(({ segment, doc, score }) => ({
        doc: globalDoc(segment, doc),
        score: cosineOf(score),
      }));
    });
  }

  /** For each document, the largest cosine of its section vectors with the query's; 0 without any. */
  closestSections(query: QuantizedVectors, docs: readonly number[]): Float64Array {
    if (this.dims === 0 || query.dims !== this.dims) return new Float64Array(docs.length);
    return closestOf(
      query,
      docs.map((doc) => this.sectionVectors(doc)),
    );
  }

  /** The cosine of one document's vector with the query's. */
  closeness(query: QuantizedVectors, doc: number): number {
    if (this.dims === 0 || query.dims !== this.dims) return 0;
    return this.at(doc, 0, (live, local) => {
      const matrix = live.segment.vectors();
      if (matrix.answered !== query.values) return cosine(query, matrix, local);
      return matrix.products[local]! * query.scales[0]! * matrix.scales[local]!;
    });
  }

  key(doc: number): string {
    return this.at(doc, "", (live, local) => live.segment.key(local));
  }

  digest(doc: number): string {
    return this.at(doc, "", (live, local) => live.segment.digest(local));
  }

  flags(doc: number): number {
    return this.at(doc, 0, (live, local) => live.segment.flags(local));
  }

  evidence(doc: number): Uint8Array {
    return this.at(doc, NO_BYTES, (live, local) => live.segment.evidence(local));
  }

  sectionVectors(doc: number): QuantizedVectors {
    const none = { dims: this.dims, values: new Int8Array(0), scales: new Float32Array(0) };
    return this.at(doc, none, (live, local) => live.segment.sectionVectors(local));
  }

  find(key: string): number | undefined {
    return this.guard(undefined, () => {
      for (const [s, live] of this.segments.entries()) {
        const doc = live.find(key);
        if (doc !== undefined) return globalDoc(s, doc);
      }
      return undefined;
    });
  }

  /** The documents with a mark, ascending. */
  marked(mark: string): number[] {
    return this.guard([], () => {
      const hash = hashTerm(mark);
      return this.segments.flatMap((live, s) => live.docsWith(hash).map((doc) => globalDoc(s, doc)));
    });
  }

  /** Every document, segment by segment. */
  documents(): IndexedDocument[] {
    return this.guard([], () =>
      this.segments.flatMap((live, s) => {
        const all = Array.from({ length: live.segment.shape.documents }, (_, doc) => doc);
        return all
          .filter((doc) => live.alive(doc))
          .map((doc) => ({
            doc: globalDoc(s, doc),
            key: live.segment.key(doc),
            digest: live.segment.digest(doc),
            flags: live.segment.flags(doc),
          }));
      }),
    );
  }

  df(term: string): number {
    return this.guard(0, () => {
      const hash = hashTerm(term);
      return this.segments.reduce((sum, live) => {
        const entry = live.segment.lookup(hash);
        return entry === undefined ? sum : sum + live.liveCount(entry);
      }, 0);
    });
  }

  /** Brings terms and postings into memory: for a process that will search more than a few times. */
  load(): void {
    this.resident = true;
    this.guard(undefined, () => {
      for (const { segment } of this.segments) segment.load();
    });
  }

  /** Gives the problem when the file could not be written; the index itself stays as it was. */
  save(path: string, stamp = ""): IndexProblem | undefined {
    return this.guard(this.damage, () => {
      try {
        this.write(path, this.label(stamp));
      } catch (error) {
        if (error instanceof DamagedSnapshot) throw error;
        const why = error instanceof Error ? error.message : String(error);
        return {
          code: "index-unwritable",
          message: `${path}: ${why}. Check that its folder can be written to.`,
        };
      }
      return undefined;
    });
  }

  /** Ends the use of files. The index is empty afterwards. */
  close(): void {
    this.stored?.close();
    this.stored = undefined;
    this.segments = [];
  }

  /** Gives the index at `path`, or the reason why it has to be built anew. */
  static open(path: string, options: IndexOptions = {}): { index: LexicalIndex } | { problem: IndexProblem } {
    const index = new LexicalIndex(options);
    const opened = openStored(path, index.label(""));
    if ("problem" in opened) return opened;
    index.segments = opened.stack;
    index.stored = opened.stored;
    index.resident = false;
    return { index };
  }

  private write(path: string, label: Label): void {
    if (this.stored !== undefined && fitsBeside(this.segments, this.stored, path)) {
      saveBeside(this.segments, this.stored, label);
      this.stored = { ...this.stored, stamp: label.stamp };
      return;
    }
    const saved = saveWhole(this.segments, path, label);
    if (saved === undefined) return;
    this.stored?.close();
    this.stored = saved.stored;
    this.segments = saved.stack;
    if (this.resident) this.load();
  }

  private label(stamp: string): Label {
    return { params: fingerprint(this.params), embedder: this.embedder, dims: this.dims, stamp };
  }

  private at<T>(doc: number, otherwise: T, read: (live: LiveSegment, local: number) => T): T {
    const live = this.segments[Math.floor(doc / SEGMENT_DOCUMENTS)];
    const local = doc % SEGMENT_DOCUMENTS;
    if (live === undefined || local >= live.segment.shape.documents) {
      throw new RangeError(
        `There is no document ${doc}. Numbers hold until the next update; ask for it again.`,
      );
    }
    return this.guard(otherwise, () => read(live, local));
  }

  /** The front door for damage: behind it stored bytes may throw, before it they never do. */
  private guard<T>(otherwise: T, work: () => T): T {
    if (this.damage !== undefined) return otherwise;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof DamagedSnapshot)) throw error;
      this.health.problem = { code: error.code, message: error.message };
      return otherwise;
    }
  }
}

export function buildIndex(documents: Iterable<IndexDocument>, options: IndexOptions = {}): LexicalIndex {
  const index = new LexicalIndex(options);
  index.update({ upsert: documents });
  return index;
}

export const openIndex = LexicalIndex.open;
