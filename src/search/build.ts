// Makes segments, from documents or by merging others. The same documents give the same bytes either way, in any order.

import { memoryBytes } from "./bytes.ts";
import { longChecksum } from "./checksum.ts";
import { encodeRows, rowBytes } from "./passages.ts";
import { impactOf, occurrenceWeight, type ScoringParams } from "./scoring.ts";
import {
  type LiveSegment,
  PostingsWriter,
  RECORD,
  SEGMENT_DOCUMENTS,
  SEGMENT_POSTINGS,
  Segment,
  type SegmentSections,
} from "./segment.ts";
import { compareHashes, hashTermInto, type TermEntry, type TermHash } from "./terms.ts";
import type { QuantizedVectors } from "./vectors.ts";

export interface IndexDocument {
  key: string;
  /** Changes whenever the document changes. */
  digest: string;
  /** Terms of each field, in the order of `ScoringParams.fields`. */
  fields: readonly (readonly string[])[];
  /** Terms that only `marked` finds. They are not searched and weigh nothing. */
  marks?: readonly string[] | undefined;
  /** Bytes for the caller, read one document at a time. */
  payload?: Uint8Array | undefined;
  /** One row, for `nearest`. */
  vector?: QuantizedVectors | undefined;
  /** One row per passage, for `closestPassages`. */
  passages?: QuantizedVectors | undefined;
}

/** A document as it is stored, without its terms. */
interface StoredDocument {
  key: string;
  digest: string;
  payloadLength: number;
  passageCount: number;
  /** The codes of the passage vectors, then the payload. */
  blob: Uint8Array;
  vector: Int8Array | undefined;
  scale: number;
}

type PostingSections = Pick<SegmentSections, "terms" | "postings"> & { termCount: number };

const encoder = new TextEncoder();

function byKey(a: { key: string }, b: { key: string }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}

/** The blobs of documents one after the other, and the place of each. Documents with the same blob share it: libraries have copies. */
function packBlobs(documents: readonly StoredDocument[]): { blobs: Uint8Array; places: Uint32Array } {
  const places = new Uint32Array(documents.length);
  const known = new Map<number, number>();
  const distinct: number[] = [];
  let length = 0;
  documents.forEach(({ blob }, doc) => {
    const sum = longChecksum(blob);
    const same = known.get(sum);
    if (same !== undefined && Buffer.compare(documents[same]!.blob, blob) === 0) {
      places[doc] = places[same]!;
      return;
    }
    known.set(sum, doc);
    distinct.push(doc);
    places[doc] = length;
    length += aligned(blob.length);
  });
  const blobs = new Uint8Array(length);
  for (const doc of distinct) blobs.set(documents[doc]!.blob, places[doc]!);
  return { blobs, places };
}

/** A segment of documents that are already in key order. */
function makeSegment(
  documents: readonly StoredDocument[],
  { termCount, terms, postings }: PostingSections,
  dims: number,
): Segment {
  const records = new Uint32Array(documents.length * RECORD.words);
  const texts = documents.map((d) => [encoder.encode(d.key), encoder.encode(d.digest)] as const);
  const strings = new Uint8Array(texts.reduce((sum, [key, digest]) => sum + key.length + digest.length, 0));
  const { blobs, places } = packBlobs(documents);
  const vectors = new Int8Array(documents.length * dims);
  const scales = new Float32Array(documents.length);
  let stringsAt = 0;
  documents.forEach((document, doc) => {
    const [key, digest] = texts[doc]!;
    const at = doc * RECORD.words;
    records[at + RECORD.stringsAt] = stringsAt;
    records[at + RECORD.keyLength] = key.length;
    records[at + RECORD.digestLength] = digest.length;
    records[at + RECORD.blobAt] = places[doc]! / 4;
    records[at + RECORD.payloadLength] = document.payloadLength;
    records[at + RECORD.passageCount] = document.passageCount;
    strings.set(key, stringsAt);
    strings.set(digest, stringsAt + key.length);
    stringsAt += key.length + digest.length;
    if (document.vector !== undefined) vectors.set(document.vector, doc * dims);
    scales[doc] = document.scale;
  });
  return new Segment(
    { documents: documents.length, terms: termCount, dims },
    {
      terms,
      postings,
      records: memoryBytes(new Uint8Array(records.buffer)),
      strings: memoryBytes(strings),
      blobs: memoryBytes(blobs),
      vectors: memoryBytes(new Uint8Array(vectors.buffer)),
      scales: memoryBytes(new Uint8Array(scales.buffer)),
    },
  );
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

const NO_BYTES = new Uint8Array(0);

/** `array` if it has room for `length` items, or else a copy of twice its size. */
function withRoom<T extends Uint8Array | Uint32Array | Float64Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const grown = new (array.constructor as new (length: number) => T)(array.length * 2);
  grown.set(array);
  return grown;
}

/** Collects documents and makes one segment of them. */
export class SegmentBuilder {
  private readonly params: ScoringParams;
  private readonly dims: number;
  private readonly terms = new TermNumbers();
  private readonly documents: (StoredDocument & { from: number; to: number })[] = [];
  private readonly latest = new Map<string, number>();
  /** The terms of all documents, one after the other, and their impacts. */
  private termLog = new Uint32Array(1 << 12);
  private impactLog = new Uint8Array(1 << 12);
  private logged = 0;
  /** Weighted frequency of each term in the document being added. */
  private frequency = new Float64Array(1 << 12);

  constructor(params: ScoringParams, dims: number) {
    this.params = params;
    this.dims = dims;
  }

  get full(): boolean {
    return this.documents.length === SEGMENT_DOCUMENTS || this.logged >= SEGMENT_POSTINGS;
  }

  /** Of two documents with the same key, the later one is kept. */
  add(document: IndexDocument): void {
    for (const vectors of [document.vector, document.passages]) {
      if (vectors !== undefined && vectors.dims !== this.dims) {
        throw new RangeError(
          `"${document.key}" has vectors of ${vectors.dims} dimensions, the index of ${this.dims}. Embed it again.`,
        );
      }
    }
    const from = this.logged;
    this.countTerms(document.fields);
    for (const mark of new Set(document.marks)) this.log(this.termNumber(mark), 0);
    const passages = document.passages === undefined ? NO_BYTES : encodeRows(document.passages);
    this.latest.set(document.key, this.documents.length);
    this.documents.push({
      key: document.key,
      digest: document.digest,
      payloadLength: document.payload?.length ?? 0,
      passageCount: passages.length / Math.max(1, rowBytes(this.dims)),
      blob: joined(passages, document.payload ?? NO_BYTES),
      vector: document.vector?.values,
      scale: document.vector?.scales[0] ?? 0,
      from,
      to: this.logged,
    });
  }

  finish(): Segment {
    const documents = [...this.latest.values()].map((arrival) => this.documents[arrival]!).sort(byKey);
    return makeSegment(documents, this.layOutPostings(documents), this.dims);
  }

  private countTerms(fields: readonly (readonly string[])[]): void {
    const begin = this.logged;
    for (const [f, field] of this.params.fields.entries()) {
      const terms = fields[f] ?? [];
      const weight = occurrenceWeight(field, terms.length);
      if (weight > 0) for (const term of terms) this.countTerm(term, weight);
    }
    for (let i = begin; i < this.logged; i++) {
      const term = this.termLog[i]!;
      this.impactLog[i] = impactOf(this.frequency[term]!, this.params.k1);
      this.frequency[term] = 0;
    }
  }

  private countTerm(text: string, weight: number): void {
    const term = this.termNumber(text);
    const frequency = this.frequency[term]!;
    if (frequency === 0) this.log(term, 0);
    this.frequency[term] = frequency + weight;
  }

  private termNumber(text: string): number {
    const term = this.terms.numberOf(text);
    this.frequency = withRoom(this.frequency, term + 1);
    return term;
  }

  private log(term: number, impact: number): void {
    this.termLog = withRoom(this.termLog, this.logged + 1);
    this.impactLog = withRoom(this.impactLog, this.logged + 1);
    this.termLog[this.logged] = term;
    this.impactLog[this.logged++] = impact;
  }

  private layOutPostings(documents: readonly { from: number; to: number }[]): PostingSections {
    const { termLog, impactLog } = this;
    const counts = new Uint32Array(this.terms.size);
    for (const { from, to } of documents) for (let i = from; i < to; i++) counts[termLog[i]!]!++;
    const inOrder = this.terms.inHashOrder().filter((term) => counts[term]! > 0);
    const next = new Uint32Array(counts.length);
    let total = 0;
    for (const term of inOrder) {
      next[term] = total;
      total += counts[term]!;
    }
    // The only pass with random access; all later ones run in order.
    const packed = new Uint32Array(total);
    for (const [doc, { from, to }] of documents.entries()) {
      for (let i = from; i < to; i++) packed[next[termLog[i]!]!++] = doc * 256 + impactLog[i]!;
    }
    const writer = new PostingsWriter(inOrder.length, total);
    let at = 0;
    for (const term of inOrder) {
      const end = at + counts[term]!;
      writer.push(this.terms.hash(term), packed.subarray(at, end));
      at = end;
    }
    return { ...writer.finish(), termCount: inOrder.length };
  }
}

/** More leading bits than this would not sort faster. */
const MAX_SORT_BITS = 22;

/** Numbers the distinct terms of a segment in order of appearance: a hash table in typed arrays. */
class TermNumbers {
  private highs = new Uint32Array(1 << 10);
  private lows = new Uint32Array(1 << 10);
  /** Open addressing, at most half full; a term's number plus one, 0 for an empty slot. */
  private slots = new Uint32Array(1 << 11);
  private count = 0;
  private readonly hashed = new Uint32Array(2);

  get size(): number {
    return this.count;
  }

  hash(term: number): TermHash {
    return { high: this.highs[term]!, low: this.lows[term]! };
  }

  numberOf(text: string): number {
    hashTermInto(this.hashed, text);
    const high = this.hashed[0]!;
    const low = this.hashed[1]!;
    const mask = this.slots.length - 1;
    for (let slot = high & mask; ; slot = (slot + 1) & mask) {
      const term = this.slots[slot]! - 1;
      if (term < 0) return this.add(high, low, slot);
      if (this.lows[term] === low && this.highs[term] === high) return term;
    }
  }

  /** All terms by hash: distributed by the leading bits, then sorted by insertion among neighbours. */
  inHashOrder(): Uint32Array {
    const bits = Math.max(1, Math.min(MAX_SORT_BITS, Math.ceil(Math.log2(this.count + 1))));
    const ends = new Uint32Array(2 ** bits + 1);
    for (let term = 0; term < this.count; term++) ends[(this.highs[term]! >>> (32 - bits)) + 1]!++;
    for (let bucket = 1; bucket < ends.length; bucket++) ends[bucket]! += ends[bucket - 1]!;
    const order = new Uint32Array(this.count);
    for (let term = 0; term < this.count; term++) order[ends[this.highs[term]! >>> (32 - bits)]!++] = term;
    for (let i = 1; i < order.length; i++) {
      const term = order[i]!;
      let place = i;
      for (; place > 0 && this.follows(order[place - 1]!, term); place--) order[place] = order[place - 1]!;
      order[place] = term;
    }
    return order;
  }

  private follows(a: number, b: number): boolean {
    return (
      this.highs[a]! > this.highs[b]! || (this.highs[a] === this.highs[b] && this.lows[a]! > this.lows[b]!)
    );
  }

  private add(high: number, low: number, slot: number): number {
    const term = this.count++;
    this.highs = withRoom(this.highs, this.count);
    this.lows = withRoom(this.lows, this.count);
    this.highs[term] = high;
    this.lows[term] = low;
    if (this.count * 2 > this.slots.length) this.growSlots();
    else this.slots[slot] = term + 1;
    return term;
  }

  private growSlots(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const mask = this.slots.length - 1;
    for (let term = 0; term < this.count; term++) {
      let slot = this.highs[term]! & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = term + 1;
    }
  }
}

const GONE = -1;

interface MergeSource {
  live: LiveSegment;
  /** Each document's number in the merged segment, or GONE. */
  numbers: Int32Array;
}

/** One segment with the live documents of several. Works on stored postings; no text is needed. */
export function mergeSegments(segments: readonly LiveSegment[], dims: number): Segment {
  for (const { segment } of segments) segment.load();
  const sources = segments.map((live) => ({
    live,
    numbers: new Int32Array(live.segment.shape.documents).fill(GONE),
  }));
  const origins = sources
    .flatMap(({ live, numbers }) =>
      live.docs().map((doc) => ({ segment: live.segment, numbers, doc, key: live.segment.key(doc) })),
    )
    .sort(byKey);
  const documents = origins.map(({ segment, numbers, doc }, number) => {
    numbers[doc] = number;
    return storedDocument(segment, doc);
  });
  return makeSegment(documents, mergePostings(sources), dims);
}

function storedDocument(segment: Segment, doc: number): StoredDocument {
  const record = segment.record(doc);
  const { values, scales, dims } = segment.vectors();
  return {
    key: segment.key(doc),
    digest: segment.digest(doc),
    payloadLength: record[RECORD.payloadLength]!,
    passageCount: record[RECORD.passageCount]!,
    blob: segment.blob(doc, record),
    vector: values.subarray(doc * dims, (doc + 1) * dims),
    scale: scales[doc]!,
  };
}

function mergePostings(sources: readonly MergeSource[]): PostingSections {
  const merged: { hash: TermHash; list: Uint32Array }[] = [];
  for (const group of groupedByTerm(sources)) {
    const list = mergeLists(group);
    if (list.length > 0) merged.push({ hash: group[0]!.entry, list });
  }
  const total = merged.reduce((sum, { list }) => sum + list.length, 0);
  const writer = new PostingsWriter(merged.length, total);
  for (const { hash, list } of merged) writer.push(hash, list);
  return { ...writer.finish(), termCount: merged.length };
}

type TermGroup = { source: MergeSource; entry: TermEntry }[];

/** Walks all term tables in parallel: each step gives the sources that contain the next term. */
function* groupedByTerm(sources: readonly MergeSource[]): Generator<TermGroup> {
  const walks = sources.map((source) => ({ source, entries: source.live.segment.entries() }));
  const heads = walks.map(({ entries }) => entries.next().value as TermEntry | undefined);
  for (;;) {
    let lowest: TermEntry | undefined;
    for (const head of heads) {
      if (head !== undefined && (lowest === undefined || compareHashes(head, lowest) < 0)) lowest = head;
    }
    if (lowest === undefined) return;
    const group: TermGroup = [];
    for (const [i, { source, entries }] of walks.entries()) {
      const head = heads[i];
      if (head === undefined || compareHashes(head, lowest) !== 0) continue;
      group.push({ source, entry: head });
      heads[i] = entries.next().value as TermEntry | undefined;
    }
    yield group;
  }
}

/** Postings as document times 256 plus impact, ascending. */
function mergeLists(group: TermGroup): Uint32Array {
  const all = new Uint32Array(group.reduce((sum, { entry }) => sum + entry.count, 0));
  let count = 0;
  for (const { source, entry } of group) {
    const list = source.live.segment.postings(entry);
    for (let i = 0; i < list.count; i++) {
      const number = source.numbers[list.docs[list.docsAt + i]!]!;
      if (number !== GONE) all[count++] = number * 256 + list.impacts[list.impactsAt + i]!;
    }
  }
  const postings = all.subarray(0, count);
  // The postings of a single source are already in order, because all numbers follow the keys.
  return group.length > 1 ? postings.sort() : postings;
}
