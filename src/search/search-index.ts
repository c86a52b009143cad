// The search index: documents in, ranked documents out, incremental updates, one file on disk.
//
// A stack of immutable segments with deletions. A document's impacts depend on that document alone and statistics are
// summed over the live documents, so any history of updates answers like a fresh build.

import { rmSync } from "node:fs";
import { type IndexDocument, mergeSegments, SegmentBuilder } from "./build.ts";
import { type ByteSource, DamagedSnapshot } from "./bytes.ts";
import { closestOf } from "./passages.ts";
import { globalDoc, type Hit, nearest, type SearchOptions, type SearchResult, search } from "./query.ts";
import { DEFAULT_PARAMS, fingerprint, type ScoringParams } from "./scoring.ts";
import { LiveSegment, SECTION_NAMES, SEGMENT_DOCUMENTS, SEGMENT_POSTINGS, type Segment } from "./segment.ts";
import {
  type IndexSnapshot,
  openSnapshot,
  type SnapshotLabel,
  type SnapshotProblem,
  spillSegment,
  writeSnapshot,
} from "./snapshot.ts";
import { hashTerm } from "./terms.ts";
import type { QuantizedVectors } from "./vectors.ts";

export interface IndexOptions {
  params?: ScoringParams | undefined;
  /** Identifies the embedder that made the vectors; an index with vectors of another one is rebuilt. */
  embedder?: string | undefined;
  dims?: number | undefined;
  /** Where the index will be saved. Full segments wait for that on the same disk instead of in memory. */
  path?: string | undefined;
}

interface IndexedDocument {
  doc: number;
  key: string;
  digest: string;
}

interface IndexProblem {
  code: SnapshotProblem["code"] | "index-mismatch" | "index-unwritable";
  message: string;
}

/** Oldest segment first. */
type Stack = readonly LiveSegment[];

/** The files that an index was opened from or saved to. */
interface Stored {
  path: string;
  /** Identity of the main file, which its delta must name. */
  id: string;
  /** The segments in the main file: the bottom of the stack. */
  segments: readonly Segment[];
  stamp: string;
  close(): void;
}

const NO_BYTES = new Uint8Array(0);

/**
 * Finds documents by terms and by vectors.
 *
 * @example
 * const index = new SearchIndex();
 * index.update({ upsert: [{ key: "pdf-tables", digest: "1", fields: [["pdf", "table"]] }] });
 * const { hits } = index.search(["pdf"], { limit: 10 });
 * index.key(hits[0].doc); // "pdf-tables"
 * index.save("recall.index");
 */
export class SearchIndex {
  private readonly params: ScoringParams;
  private readonly embedder: string;
  private readonly dims: number;
  private readonly path: string | undefined;
  /** Closes the files that full segments were moved to. */
  private spilled: (() => void)[] = [];
  private stack: Stack = [];
  /** Documents that are not in a segment yet. */
  private building: SegmentBuilder | undefined;
  private stored: Stored | undefined;
  /** Whether terms and postings are kept in memory: true if the index was built here or loaded. */
  private resident = true;
  /** Shared with filtered views, which read the same bytes. */
  private health: { problem?: IndexProblem } = {};

  constructor(options: IndexOptions = {}) {
    this.params = options.params ?? DEFAULT_PARAMS;
    this.embedder = options.embedder ?? "none";
    this.dims = options.dims ?? 0;
    this.path = options.path;
  }

  /** Opens the index at `path`, or gives the reason why it must be rebuilt. */
  static open(path: string, options: IndexOptions = {}): { index: SearchIndex } | { problem: IndexProblem } {
    const index = new SearchIndex({ ...options, path });
    const opened = openFiles(path, index.label(""));
    if ("problem" in opened) return opened;
    index.segments = opened.stack;
    index.stored = opened.stored;
    index.resident = false;
    return { index };
  }

  /** Set once stored bytes turned out to be damaged: all answers are empty from then on. Rebuild the index. */
  get damage(): IndexProblem | undefined {
    return this.health.problem;
  }

  /** The number of documents. */
  get size(): number {
    return this.guard(0, () => sizeOf(this.segments));
  }

  /** The `stamp` of the last `save`. */
  get stamp(): string {
    return this.stored?.stamp ?? "";
  }

  /**
   * Adds, replaces and removes documents by key. Document numbers are valid until the next update. Added documents are
   * collected until a segment is full or somebody reads, so that many small updates cost as much as a large one.
   */
  update(changes: {
    upsert?: Iterable<IndexDocument> | undefined;
    remove?: Iterable<string> | undefined;
  }): void {
    this.guard(undefined, () => {
      const removed = new Set(changes.remove);
      if (removed.size > 0) this.segments = merged(withoutKeys(this.segments, removed), this.dims);
      for (const document of changes.upsert ?? []) {
        this.building ??= new SegmentBuilder(this.params, this.dims);
        this.building.add(document);
        if (this.building.full) this.finishSegment();
      }
    });
  }

  /** Makes a segment of what was added. Every reader does it; do it earlier to learn of `damage`. */
  settle(): void {
    this.guard(undefined, () => this.finishSegment());
  }

  /**
   * A view with the documents whose key is allowed. They keep their numbers, and all statistics are those of an index of
   * these documents alone. Valid until the next update or save.
   */
  filter(allows: (key: string) => boolean): SearchIndex {
    const view = new SearchIndex({ params: this.params, embedder: this.embedder, dims: this.dims });
    view.health = this.health;
    view.segments = this.guard([], () => this.segments.map((live) => live.filter(allows)));
    return view;
  }

  /** The top documents for the terms of a query. */
  search(terms: readonly string[], options: SearchOptions): SearchResult {
    return this.guard({ hits: [], terms: [] }, () => search(this.segments, terms, options));
  }

  /** The `limit` documents whose vectors are closest to the query's, by cosine, exactly. */
  nearest(query: QuantizedVectors, limit: number): Hit[] {
    if (!this.hasVectorsLike(query)) return [];
    return this.guard([], () => nearest(this.segments, query, limit));
  }

  /** For each document, the largest cosine of its passage vectors with the query's; 0 without passages. */
  closestPassages(query: QuantizedVectors, docs: readonly number[]): Float64Array {
    if (!this.hasVectorsLike(query)) return new Float64Array(docs.length);
    return closestOf(
      query,
      docs.map((doc) => this.at(doc, NO_BYTES, (segment, local) => segment.passages(local))),
    );
  }

  /** The cosine of one document's vector with the query's. */
  similarity(query: QuantizedVectors, doc: number): number {
    if (!this.hasVectorsLike(query)) return 0;
    return this.at(doc, 0, (segment, local) => segment.vectorsFor(query).cosine(query, local));
  }

  key(doc: number): string {
    return this.at(doc, "", (segment, local) => segment.key(local));
  }

  /** The bytes that the caller stored with a document. */
  payload(doc: number): Uint8Array {
    return this.at(doc, NO_BYTES, (segment, local) => segment.payload(local));
  }

  /** The number of the document with this key. */
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
      this.segments.flatMap((live, s) =>
        live.docs().map((doc) => ({
          doc: globalDoc(s, doc),
          key: live.segment.key(doc),
          digest: live.segment.digest(doc),
        })),
      ),
    );
  }

  /** Reads terms and postings into memory, for a process that searches more than a few times. */
  load(): void {
    this.resident = true;
    this.guard(undefined, () => {
      for (const { segment } of this.segments) segment.load();
    });
  }

  /** Reads every stored byte once; says what is wrong with them. */
  verify(): IndexProblem | undefined {
    this.guard(undefined, () => {
      for (const { segment } of this.segments)
        for (const name of SECTION_NAMES) readAll(segment.section(name));
    });
    return this.damage;
  }

  /** Writes the index to `path`. Returns the problem if that fails; the index itself stays as it was. */
  save(path: string, stamp = ""): IndexProblem | undefined {
    return this.guard(this.damage, () => {
      try {
        this.write(path, this.label(stamp));
        return undefined;
      } catch (error) {
        if (error instanceof DamagedSnapshot) throw error;
        const why = error instanceof Error ? error.message : String(error);
        return {
          code: "index-unwritable",
          message: `${path}: ${why}. Check that its folder can be written to.`,
        };
      }
    });
  }

  /** Closes the files. The index is empty afterwards. */
  close(): void {
    this.stored?.close();
    this.stored = undefined;
    this.segments = [];
    this.closeSpilled();
  }

  private get segments(): Stack {
    this.finishSegment();
    return this.stack;
  }

  private set segments(stack: Stack) {
    this.building = undefined;
    this.stack = stack;
  }

  private finishSegment(): void {
    if (this.building === undefined) return;
    const isFull = this.building.full;
    const segment = new LiveSegment(this.building.finish());
    this.segments = merged(push(this.stack, segment), this.dims);
    if (isFull && this.path !== undefined) this.spillYoungest(this.path);
  }

  /** Moves the youngest segment out of memory. */
  private spillYoungest(path: string): void {
    const spilled = spillSegment(path, this.stack.at(-1)!);
    if (spilled === undefined) return;
    this.stack = [...this.stack.slice(0, -1), spilled.segment];
    this.spilled.push(spilled.close);
  }

  private closeSpilled(): void {
    for (const close of this.spilled) close();
    this.spilled = [];
  }

  private write(path: string, label: SnapshotLabel): void {
    if (this.stored !== undefined && fitsDelta(this.segments, this.stored, path)) {
      saveDelta(this.segments, this.stored, label);
      this.stored = { ...this.stored, stamp: label.stamp };
      return;
    }
    const saved = saveWhole(this.segments, path, label);
    if (saved === undefined) return;
    this.stored?.close();
    this.stored = saved.stored;
    this.segments = saved.stack;
    this.closeSpilled();
    if (this.resident) this.load();
  }

  private label(stamp: string): SnapshotLabel {
    return { params: fingerprint(this.params), embedder: this.embedder, dims: this.dims, stamp };
  }

  private hasVectorsLike(query: QuantizedVectors): boolean {
    return this.dims > 0 && query.dims === this.dims;
  }

  private at<T>(doc: number, otherwise: T, read: (segment: Segment, local: number) => T): T {
    return this.guard(otherwise, () => {
      const segment = this.segments[Math.floor(doc / SEGMENT_DOCUMENTS)]?.segment;
      const local = doc % SEGMENT_DOCUMENTS;
      if (segment === undefined || local >= segment.shape.documents) {
        throw new RangeError(`There is no document ${doc}. Numbers are valid until the next update.`);
      }
      return read(segment, local);
    });
  }

  /** Turns a damaged snapshot into an empty answer and the `damage` flag. */
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

const MERGE = {
  /** Two neighbours are merged unless the older one is this much larger: few segments, and few copies per document. */
  sizeRatio: 8,
  /** A segment is rewritten when this share of its documents is deleted, */
  deletedShare: 1 / 8,
  /** but only if more than this number is. */
  deletedMinimum: 256,
} as const;

const READ_BYTES = 1 << 20;

function readAll(source: ByteSource): void {
  for (let from = 0; from < source.length; from += READ_BYTES)
    source.read(from, Math.min(READ_BYTES, source.length - from));
}

function sizeOf(stack: Stack): number {
  return stack.reduce((sum, live) => sum + live.size, 0);
}

function withoutKeys(stack: Stack, keys: ReadonlySet<string>): Stack {
  if (keys.size === 0) return stack;
  return stack.map((live) => {
    const docs = [...keys].map((key) => live.find(key)).filter((doc) => doc !== undefined);
    return live.without(docs);
  });
}

/** The documents of the newer segment replace those with the same key. */
function push(stack: Stack, newer: LiveSegment): Stack {
  const keys = new Set(newer.docs().map((doc) => newer.segment.key(doc)));
  return [...withoutKeys(stack, keys), newer];
}

/** Whether one segment can hold the documents of these. A term in one document has no posting list until it has two. */
function fitOneSegment(stack: Stack): boolean {
  const bytes = stack.reduce(
    (sum, { segment }) => sum + segment.section("postings").length + segment.shape.terms * 3,
    0,
  );
  return sizeOf(stack) <= SEGMENT_DOCUMENTS && bytes <= SEGMENT_POSTINGS * 2;
}

function mergeOf(segments: Stack, dims: number): LiveSegment {
  return new LiveSegment(mergeSegments(segments, dims));
}

/** Rewrites segments with many deletions, and merges the youngest while they are of similar size. */
function merged(stack: Stack, dims: number): Stack {
  const filled = stack.filter((live) => live.size > 0);
  const result = filled.map((live) => {
    const tolerated = Math.max(MERGE.deletedMinimum, live.segment.shape.documents * MERGE.deletedShare);
    return live.deleted.length > tolerated ? mergeOf([live], dims) : live;
  });
  for (;;) {
    const [older, younger] = result.slice(-2);
    if (older === undefined || younger === undefined) return result;
    if (older.size >= younger.size * MERGE.sizeRatio) return result;
    if (!fitOneSegment([older, younger])) return result;
    result.splice(-2, 2, mergeOf([older, younger], dims));
  }
}

/** As few segments as the documents need, without deletions. */
function compacted(stack: Stack, dims: number): Stack {
  if (stack.length > 1 && fitOneSegment(stack)) return [mergeOf(stack, dims)];
  return stack.map((live) => (live.deleted.length > 0 ? mergeOf([live], dims) : live));
}

/** Changes up to this share of the saved index are written to a delta file instead of writing everything again. */
const DELTA_SHARE = 1 / 8;

/** The files of an index. */
export function indexFiles(path: string): string[] {
  return [path, deltaPath(path)];
}

function deltaPath(path: string): string {
  return `${path}.delta`;
}

function openFiles(
  path: string,
  wanted: SnapshotLabel,
): { stack: Stack; stored: Stored } | { problem: IndexProblem } {
  const opened = openSnapshot(path);
  if ("problem" in opened) return opened;
  const main = opened.snapshot;
  const mismatch = difference(main.label, wanted);
  if (mismatch !== undefined) {
    main.close();
    return { problem: { code: "index-mismatch", message: `${path}: ${mismatch}. Rebuild the index.` } };
  }
  const delta = openDelta(path, main, wanted);
  if (delta !== undefined && "problem" in delta) {
    main.close();
    return delta;
  }
  const segments = main.segments.map(({ segment }) => segment);
  const stored = {
    path,
    id: main.id,
    segments,
    stamp: (delta ?? main).label.stamp,
    close() {
      main.close();
      delta?.close();
    },
  };
  if (delta === undefined) return { stack: main.segments, stored };
  const kept = segments.map((segment, s) => new LiveSegment(segment, delta.label.baseDeleted?.[s] ?? []));
  return { stack: [...kept, ...delta.segments], stored };
}

/**
 * The delta, unless it belongs to a main file that was replaced since: then the main file alone is right. A damaged delta may
 * belong to it, and then the main file alone would be stale.
 */
function openDelta(
  path: string,
  main: IndexSnapshot,
  wanted: SnapshotLabel,
): IndexSnapshot | { problem: IndexProblem } | undefined {
  const opened = openSnapshot(deltaPath(path));
  if ("problem" in opened) return opened.problem.code === "index-damaged" ? opened : undefined;
  const delta = opened.snapshot;
  if (delta.label.base === main.id && difference(delta.label, wanted) === undefined) return delta;
  delta.close();
  return undefined;
}

function difference(found: SnapshotLabel, wanted: SnapshotLabel): string | undefined {
  if (found.params !== wanted.params) return "made with other parameters";
  if (found.embedder === wanted.embedder && found.dims === wanted.dims) return undefined;
  return `made with embedder "${found.embedder}" of ${found.dims} dimensions, not "${wanted.embedder}" of ${wanted.dims}`;
}

function fitsDelta(stack: Stack, stored: Stored, path: string): boolean {
  const isStored = stored.segments.every((segment, s) => stack[s]?.segment === segment);
  if (stored.path !== path || !isStored) return false;
  const saved = stored.segments.reduce((sum, s) => sum + s.shape.documents, 0);
  return sizeOf(stack.slice(stored.segments.length)) <= saved * DELTA_SHARE;
}

function saveDelta(stack: Stack, stored: Stored, label: SnapshotLabel): void {
  const baseDeleted = stack.slice(0, stored.segments.length).map(({ deleted }) => [...deleted]);
  const added = stack.slice(stored.segments.length);
  writeSnapshot(deltaPath(stored.path), { ...label, base: stored.id, baseDeleted }, added);
}

/** Returns the stack as opened from the new file; undefined if another process has replaced the file since. */
function saveWhole(
  stack: Stack,
  path: string,
  label: SnapshotLabel,
): { stack: Stack; stored: Stored } | undefined {
  const id = writeSnapshot(path, label, compacted(stack, label.dims));
  rmSync(deltaPath(path), { force: true });
  const opened = openFiles(path, label);
  if ("problem" in opened) throw new DamagedSnapshot(opened.problem.message);
  if (opened.stored.id === id) return opened;
  opened.stored.close();
  return undefined;
}
