// One segment: an immutable run of up to 65,536 documents in key order, with its terms, postings, keys and blobs.
// Its sections are in memory or on disk, in the same layout.

import { type ByteSource, loaded, memoryBytes, RecentBytes, wordsOf } from "./bytes.ts";
import { rowBytes } from "./passages.ts";
import { type TermEntry, type TermHash, TermTable, TermTableWriter } from "./terms.ts";
import { Int8Matrix, productsOnce, type QuantizedVectors, type VectorRows } from "./vectors.ts";

/** Bounds the memory that building or merging a segment takes. A document's number must fit into 16 bits. */
export const SEGMENT_DOCUMENTS = 16_384;
/** Postings of one segment at most, so that every list's start fits into its entry. */
export const SEGMENT_POSTINGS = 1 << 24;

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
export type SegmentSections = Record<SectionName, ByteSource>;

export interface SegmentShape {
  documents: number;
  terms: number;
  /** Dimensions of the vectors, 0 without an embedder. */
  dims: number;
}

/** Positions in a document's record, in 32-bit words. */
export const RECORD = {
  stringsAt: 0,
  keyLength: 1,
  digestLength: 2,
  /** In 4-byte units of the blobs. A blob: the codes of the passage vectors, then the payload. */
  blobAt: 3,
  payloadLength: 4,
  passageCount: 5,
  words: 6,
} as const;
export const RECORD_BYTES = RECORD.words * 4;

/** A gap of this size or more continues in the next byte. */
const LONG_GAP = 255;

/** The bytes of ascending documents as gaps: one byte each, and one more per `LONG_GAP` in a gap. */
function gapBytes(postings: Uint32Array): number {
  let bytes = postings.length;
  for (let i = 0, next = 0; i < postings.length; i++) {
    const doc = postings[i]! >>> 8;
    bytes += Math.floor((doc - next) / LONG_GAP);
    next = doc + 1;
  }
  return bytes;
}

/** The most bytes that `count` documents take as gaps. */
function mostGapBytes(count: number): number {
  return count + Math.ceil(SEGMENT_DOCUMENTS / LONG_GAP);
}

export function documentsOfGaps(bytes: Uint8Array, count: number): Uint16Array {
  const docs = new Uint16Array(count);
  for (let i = 0, at = 0, doc = -1; i < count; i++) {
    let gap = bytes[at++]!;
    while (gap === LONG_GAP) {
      doc += LONG_GAP;
      gap = bytes[at++]!;
    }
    doc += gap + 1;
    docs[i] = doc;
  }
  return docs;
}

/** Writes posting lists (impacts, then documents) and the term table. Terms come in hash order, documents ascending. */
export class PostingsWriter {
  private readonly table = new TermTableWriter();
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private length = 0;

  constructor(terms: number, postings: number) {
    // Three bytes per posting; a list in two parts is padded twice.
    this.bytes = new Uint8Array(postings * 3 + terms * 2);
  }

  /** Each posting is its document times 256 plus its impact. */
  push({ high, low }: TermHash, postings: Uint32Array): void {
    const count = postings.length;
    const first = postings[0]!;
    if (count > 1) this.table.push({ high, low, count, ...this.pushList(postings) });
    else {
      const where = ((first & 0xff) << 16) | (first >>> 8);
      this.table.push({ high, low, count, maxImpact: first & 0xff, where, asGaps: false });
    }
  }

  finish(): { terms: ByteSource; postings: ByteSource } {
    return { terms: this.table.finish(), postings: memoryBytes(this.bytes.slice(0, this.length)) };
  }

  /** Writes a list in its shorter form. */
  private pushList(postings: Uint32Array): Pick<TermEntry, "maxImpact" | "where" | "asGaps"> {
    const { bytes, length: start } = this;
    const count = postings.length;
    let maxImpact = 0;
    for (let i = 0; i < count; i++) {
      const impact = postings[i]! & 0xff;
      bytes[start + i] = impact;
      if (impact > maxImpact) maxImpact = impact;
    }
    const asGaps = gapBytes(postings) < count * 2;
    let at = start + count;
    if (asGaps) {
      for (let i = 0, next = 0; i < count; i++) {
        const doc = postings[i]! >>> 8;
        let gap = doc - next;
        for (; gap >= LONG_GAP; gap -= LONG_GAP) bytes[at++] = LONG_GAP;
        bytes[at++] = gap;
        next = doc + 1;
      }
    } else {
      at += at & 1;
      const docs = new Uint16Array(bytes.buffer, at, count);
      for (let i = 0; i < count; i++) docs[i] = postings[i]! >>> 8;
      at += count * 2;
    }
    this.length = at + (at & 1);
    return { maxImpact, where: start / 2, asGaps };
  }
}

/** Records or strings up to this size are read whole on first use: one read instead of one per document. */
const WHOLE_BYTES = 1 << 20;
/** Blobs kept after being read from disk, in bytes: all of a library of 5,000 skills. */
const RECENT_BYTES = 32 * 1024 * 1024;
/** Documents of posting lists kept after being made from gaps, in bytes. */
const DECODED_BYTES = 16 * 1024 * 1024;

/** A posting list: documents ascending in `docs` from `docsAt`, their impacts in `impacts` from `impactsAt`. */
interface Postings {
  docs: Uint16Array;
  docsAt: number;
  impacts: Uint8Array;
  impactsAt: number;
  count: number;
}

const decoder = new TextDecoder();

/** Reads a segment. */
export class Segment {
  readonly shape: SegmentShape;
  private sections: SegmentSections;
  private terms: TermTable;
  private recordWords: Uint32Array | undefined;
  private matrix: Int8Matrix | undefined;
  /** The products with the only query so far. */
  private once: { readonly query: QuantizedVectors; readonly rows: VectorRows } | undefined;
  private readonly keys: (string | undefined)[] = [];
  private readonly recent = new RecentBytes(RECENT_BYTES);
  private readonly decoded = new RecentBytes<Uint16Array>(DECODED_BYTES);

  constructor(shape: SegmentShape, sections: SegmentSections) {
    this.shape = shape;
    this.sections = sections;
    this.terms = new TermTable(sections.terms);
    this.useRecords();
  }

  section(name: SectionName): ByteSource {
    return this.sections[name];
  }

  /** Reads all that a search needs into memory. Blobs stay on disk. */
  load(): void {
    this.loadSections("terms", "postings", "records", "strings");
  }

  /** Reads all keys into memory. */
  loadKeys(): void {
    this.loadSections("records", "strings");
  }

  lookup(hash: TermHash): TermEntry | undefined {
    return this.terms.lookup(hash);
  }

  /** All terms, in hash order. */
  entries(): Generator<TermEntry> {
    return this.terms.entries();
  }

  /** A list of several documents as it is stored: impacts, then documents as gaps or, at an even place, as numbers. */
  storedList({ count, where, asGaps }: TermEntry): { readonly bytes: Uint8Array; readonly asGaps: boolean } {
    const { postings } = this.sections;
    const start = where * 2;
    const length = asGaps
      ? Math.min(count + mostGapBytes(count), postings.length - start)
      : count + (count & 1) + count * 2;
    return { bytes: postings.read(start, length), asGaps };
  }

  postings(entry: TermEntry): Postings {
    const { count, where } = entry;
    if (count === 1) {
      return {
        docs: Uint16Array.of(where),
        docsAt: 0,
        impacts: Uint8Array.of(where >>> 16),
        impactsAt: 0,
        count,
      };
    }
    const { bytes, asGaps } = this.storedList(entry);
    if (!asGaps) {
      const docs = new Uint16Array(bytes.buffer, bytes.byteOffset + count + (count & 1), count);
      return { docs, docsAt: 0, impacts: bytes, impactsAt: 0, count };
    }
    let docs = this.decoded.get(where);
    if (docs === undefined) {
      docs = documentsOfGaps(bytes.subarray(count), count);
      this.decoded.set(where, docs);
    }
    return { docs, docsAt: 0, impacts: bytes, impactsAt: 0, count };
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

  payload(doc: number): Uint8Array {
    const record = this.record(doc);
    const at = this.passageBytes(record);
    return this.blob(doc, record).subarray(at, at + record[RECORD.payloadLength]!);
  }

  /** The codes of a document's passage vectors, row by row. */
  passages(doc: number): Uint8Array {
    const record = this.record(doc);
    return this.blob(doc, record).subarray(0, this.passageBytes(record));
  }

  /** The passage vectors and the payload of a document as stored, for copying. */
  blob(doc: number, record = this.record(doc)): Uint8Array {
    const { blobs } = this.sections;
    const known = blobs.resident ? undefined : this.recent.get(doc);
    if (known !== undefined) return known;
    const length = this.passageBytes(record) + record[RECORD.payloadLength]!;
    const blob = blobs.read(record[RECORD.blobAt]! * 4, length);
    if (!blobs.resident) this.recent.set(doc, blob);
    return blob;
  }

  record(doc: number): Uint32Array {
    this.loadIfSmall("records");
    const at = doc * RECORD.words;
    if (this.recordWords !== undefined) return this.recordWords.subarray(at, at + RECORD.words);
    return wordsOf(this.sections.records.read(doc * RECORD_BYTES, RECORD_BYTES));
  }

  /** The vectors of all documents, read on first use. */
  vectors(): Int8Matrix {
    this.matrix ??= Int8Matrix.fill(this.shape.documents, this.shape.dims, (values, scales) => {
      this.sections.vectors.readInto(bytesOf(values));
      this.sections.scales.readInto(bytesOf(scales));
    });
    this.once = undefined;
    return this.matrix;
  }

  /** The vectors for one query: the first one of a process reads them without keeping them. */
  vectorsFor(query: QuantizedVectors): VectorRows {
    if (this.once?.query === query) return this.once.rows;
    const { vectors, scales } = this.sections;
    if (this.matrix || this.once || vectors.resident) return this.vectors();
    const rows = productsOnce(this.shape.documents, this.shape.dims, {
      query,
      readScales: (target) => scales.readInto(bytesOf(target)),
      readRows: (offset, target) => vectors.readBlocks(offset, bytesOf(target)),
    });
    if (rows === undefined) return this.vectors();
    this.once = { query, rows };
    return rows;
  }

  private passageBytes(record: Uint32Array): number {
    return record[RECORD.passageCount]! * rowBytes(this.shape.dims);
  }

  private text(at: number, length: number): string {
    this.loadIfSmall("strings");
    return decoder.decode(this.sections.strings.read(at, length));
  }

  private loadIfSmall(name: "records" | "strings"): void {
    const { resident, length } = this.sections[name];
    if (!resident && length <= WHOLE_BYTES) this.loadSections(name);
  }

  private loadSections(...names: SectionName[]): void {
    const missing = names.filter((name) => !this.sections[name].resident);
    if (missing.length === 0) return;
    this.sections = { ...this.sections };
    for (const name of missing) this.sections[name] = loaded(this.sections[name]);
    if (missing.includes("terms")) this.terms = new TermTable(this.sections.terms);
    this.useRecords();
  }

  private useRecords(): void {
    const { records } = this.sections;
    if (records.resident) this.recordWords = wordsOf(records.read(0, records.length));
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int8Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A segment without its deleted documents. */
export class LiveSegment {
  readonly segment: Segment;
  /** Numbers of the deleted documents, ascending. */
  readonly deleted: readonly number[];
  /** 1 for each deleted document; undefined if there are none. */
  private readonly isDeleted: Uint8Array | undefined;
  private readonly liveCounts = new Map<number, number>();

  constructor(segment: Segment, deleted: readonly number[] = []) {
    this.segment = segment;
    this.deleted = [...deleted].sort((a, b) => a - b);
    if (deleted.length > 0) {
      this.isDeleted = new Uint8Array(segment.shape.documents);
      for (const doc of deleted) this.isDeleted[doc] = 1;
    }
  }

  get size(): number {
    return this.segment.shape.documents - this.deleted.length;
  }

  alive(doc: number): boolean {
    return this.isDeleted === undefined || this.isDeleted[doc] === 0;
  }

  /** The numbers of the live documents, ascending. */
  docs(): number[] {
    return Array.from({ length: this.segment.shape.documents }, (_, doc) => doc).filter((doc) =>
      this.alive(doc),
    );
  }

  find(key: string): number | undefined {
    const doc = this.segment.find(key);
    return doc !== undefined && this.alive(doc) ? doc : undefined;
  }

  /** The live documents that contain a term, ascending. */
  docsWith(hash: TermHash): number[] {
    const entry = this.segment.lookup(hash);
    if (entry === undefined) return [];
    const { docs, docsAt, count } = this.segment.postings(entry);
    return Array.from(docs.subarray(docsAt, docsAt + count)).filter((doc) => this.alive(doc));
  }

  without(docs: readonly number[]): LiveSegment {
    return docs.length === 0 ? this : new LiveSegment(this.segment, [...this.deleted, ...docs]);
  }

  /** Without the documents whose key is not allowed. */
  filter(allows: (key: string) => boolean): LiveSegment {
    this.segment.loadKeys();
    return this.without(this.docs().filter((doc) => !allows(this.segment.key(doc))));
  }

  /** The number of live documents in a term's posting list. */
  liveCount(entry: TermEntry): number {
    if (this.isDeleted === undefined) return entry.count;
    if (entry.count === 1) return this.docsWith(entry).length;
    const known = this.liveCounts.get(entry.where);
    if (known !== undefined) return known;
    const { docs, docsAt, count } = this.segment.postings(entry);
    let live = count;
    for (let i = 0; i < count; i++) live -= this.isDeleted[docs[docsAt + i]!] ?? 0;
    this.liveCounts.set(entry.where, live);
    return live;
  }
}
