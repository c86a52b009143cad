// Owns reading one segment: an immutable run of up to 65,536 documents in key order, with its terms, postings, keys
// and blobs. Sections may lie in memory or on disk. Does not own scoring, updating, or how a segment is made.

import {
  ENTRY_BYTES,
  entryAt,
  slotOf,
  type TermEntry,
  type TermHash,
  termCapacity,
} from "./lexical-index-terms.ts";
import { type ByteSource, loaded, RecentBytes } from "./snapshot-bytes.ts";
import { Int8Matrix, type QuantizedVectors } from "./vectors.ts";

/** A document's number fits in 16 bits, so that a posting takes three bytes. */
export const SEGMENT_DOCUMENTS = 65_536;

export const SECTION_NAMES = [
  "terms",
  "postings",
  "records",
  "strings",
  "blobs",
  "vectors",
  "scales",
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];
export type Sections = Record<SectionName, ByteSource>;

export interface SegmentShape {
  documents: number;
  terms: number;
  /** Dimensions of the vectors, 0 without an embedder. */
  dims: number;
}

/** Record of a document: 32-bit words. */
export const RECORD = {
  stringsAt: 0,
  keyLength: 1,
  digestLength: 2,
  flags: 3,
  /** In 4-byte units of the blobs: scales of the section vectors, the vectors, the evidence. */
  blobAt: 4,
  evidenceLength: 5,
  sectionCount: 6,
  words: 7,
} as const;
const RECORD_BYTES = RECORD.words * 4;

/** Entries read at once when the table is on disk; longer than nearly every run. */
const PROBE = 16;
/** A section of documents up to this size is read whole when first touched: one read instead of one a document. */
const WHOLE_BYTES = 1 << 20;
/** Blobs kept after being read from disk, in bytes: a library of 5,000 whole, and what a busy server meets of any. */
const RECENT_BYTES = 32 * 1024 * 1024;

/** A posting list: documents ascending in `docs` from `docsAt`, their impacts in `impacts` from `impactsAt`. */
export interface Postings {
  docs: Uint16Array;
  docsAt: number;
  impacts: Uint8Array;
  impactsAt: number;
  count: number;
}

const decoder = new TextDecoder();

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
}

export class Segment {
  readonly shape: SegmentShape;
  private sections: Sections;
  private termWords: Uint32Array | undefined;
  private wholePostings: { docs: Uint16Array; impacts: Uint8Array } | undefined;
  private recordWords: Uint32Array | undefined;
  private matrix: Int8Matrix | undefined;
  private readonly keys: (string | undefined)[] = [];
  private readonly recent = new RecentBytes(RECENT_BYTES);

  constructor(shape: SegmentShape, sections: Sections) {
    this.shape = shape;
    this.sections = sections;
    this.adoptResident();
  }

  section(name: SectionName): ByteSource {
    return this.sections[name];
  }

  /** Brings into memory what a search touches. Blobs stay where they are. */
  load(): void {
    const { blobs, vectors, scales, ...searched } = this.sections;
    const resident = Object.entries(searched).map(([name, source]) => [name, loaded(source)]);
    this.sections = { blobs, vectors, scales, ...Object.fromEntries(resident) };
    this.adoptResident();
  }

  lookup(hash: TermHash): TermEntry | undefined {
    if (this.shape.terms === 0) return undefined;
    const slots = this.sections.terms.length / ENTRY_BYTES;
    let slot = slotOf(hash.high, termCapacity(this.shape.terms));
    for (;;) {
      const inMemory = this.termWords !== undefined;
      const some = Math.min(PROBE, slots - slot);
      const words =
        this.termWords ?? wordsOf(this.sections.terms.read(slot * ENTRY_BYTES, some * ENTRY_BYTES));
      const end = inMemory ? slots : some;
      for (let i = inMemory ? slot : 0; i < end; i++) {
        const entry = entryAt(words, i);
        if (entry === undefined || entry.high > hash.high) return undefined;
        if (entry.high === hash.high && entry.low === hash.low) return entry;
      }
      slot += some;
      if (inMemory || slot >= slots) return undefined;
    }
  }

  /** All terms, in hash order. */
  *entries(): Generator<TermEntry> {
    const words = this.termWords ?? wordsOf(this.sections.terms.read(0, this.sections.terms.length));
    const slots = this.sections.terms.length / ENTRY_BYTES;
    for (let slot = 0; slot < slots; slot++) {
      const entry = entryAt(words, slot);
      if (entry !== undefined) yield entry;
    }
  }

  postings(entry: TermEntry): Postings {
    const { count, start } = entry;
    if (this.wholePostings !== undefined) {
      const { docs, impacts } = this.wholePostings;
      return { docs, docsAt: start, impacts, impactsAt: (start + count) * 2, count };
    }
    const bytes = this.sections.postings.read(start * 2, count * 3);
    const docs = new Uint16Array(bytes.buffer, bytes.byteOffset, count);
    return { docs, docsAt: 0, impacts: bytes, impactsAt: count * 2, count };
  }

  /** For one who is about to ask for every key. */
  loadKeys(): void {
    this.whole("records");
    this.whole("strings");
  }

  key(doc: number): string {
    const known = this.keys[doc];
    if (known !== undefined) return known;
    const record = this.record(doc);
    const key = this.text(record[RECORD.stringsAt]!, record[RECORD.keyLength]!);
    this.keys[doc] = key;
    return key;
  }

  digest(doc: number): string {
    const record = this.record(doc);
    return this.text(record[RECORD.stringsAt]! + record[RECORD.keyLength]!, record[RECORD.digestLength]!);
  }

  flags(doc: number): number {
    return this.record(doc)[RECORD.flags]!;
  }

  find(key: string): number | undefined {
    let low = 0;
    let high = this.shape.documents - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.key(middle);
      if (found === key) return middle;
      if (found < key) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  evidence(doc: number): Uint8Array {
    const record = this.record(doc);
    const at = this.vectorBytes(record);
    return this.blob(doc, record).subarray(at, at + record[RECORD.evidenceLength]!);
  }

  sectionVectors(doc: number): QuantizedVectors {
    const record = this.record(doc);
    const count = record[RECORD.sectionCount]!;
    const blob = this.blob(doc, record);
    return {
      dims: this.shape.dims,
      scales: new Float32Array(blob.buffer, blob.byteOffset, count),
      values: new Int8Array(blob.buffer, blob.byteOffset + count * 4, count * this.shape.dims),
    };
  }

  /** A document's stored bytes as they are, for copying. */
  rawBlob(doc: number): Uint8Array {
    return this.blob(doc, this.record(doc));
  }

  record(doc: number): Uint32Array {
    if (this.recordWords === undefined) this.wholeIfSmall("records");
    const at = doc * RECORD.words;
    if (this.recordWords !== undefined) return this.recordWords.subarray(at, at + RECORD.words);
    return wordsOf(this.sections.records.read(doc * RECORD_BYTES, RECORD_BYTES));
  }

  /** The vectors of all documents, read on first use. */
  vectors(): Int8Matrix {
    this.matrix ??= Int8Matrix.fill(this.shape.documents, this.shape.dims, (values, scales) => {
      this.sections.vectors.readInto(new Uint8Array(values.buffer, values.byteOffset, values.length));
      this.sections.scales.readInto(new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength));
    });
    return this.matrix;
  }

  private blob(doc: number, record: Uint32Array): Uint8Array {
    const length = this.vectorBytes(record) + record[RECORD.evidenceLength]!;
    const at = record[RECORD.blobAt]! * 4;
    if (this.sections.blobs.resident) return this.sections.blobs.read(at, length);
    const known = this.recent.get(doc);
    if (known !== undefined) return known;
    const blob = this.sections.blobs.read(at, length);
    this.recent.set(doc, blob);
    return blob;
  }

  private vectorBytes(record: Uint32Array): number {
    return record[RECORD.sectionCount]! * (4 + this.shape.dims);
  }

  private text(at: number, length: number): string {
    this.wholeIfSmall("strings");
    return decoder.decode(this.sections.strings.read(at, length));
  }

  private wholeIfSmall(name: "records" | "strings"): void {
    if (this.sections[name].length <= WHOLE_BYTES) this.whole(name);
  }

  private whole(name: "records" | "strings"): void {
    const source = this.sections[name];
    if (source.resident) return;
    this.sections = { ...this.sections, [name]: loaded(source) };
    this.adoptResident();
  }

  private adoptResident(): void {
    const { terms, postings, records } = this.sections;
    if (terms.resident) this.termWords = wordsOf(terms.read(0, terms.length));
    if (records.resident) this.recordWords = wordsOf(records.read(0, records.length));
    if (postings.resident) {
      const impacts = postings.read(0, postings.length);
      this.wholePostings = {
        docs: new Uint16Array(impacts.buffer, impacts.byteOffset, impacts.length >>> 1),
        impacts,
      };
    }
  }
}
