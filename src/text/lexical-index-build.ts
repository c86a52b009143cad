// Owns making a segment out of documents: counting words, sorting documents by key and terms by hash, laying out
// the sections. Does not own reading them back, nor updating. The same documents in any order give the same bytes.

import { TermInterner } from "./lexical-index-interner.ts";
import { impactOf, type LexicalParams, occurrenceWeight } from "./lexical-index-params.ts";
import { PostingsWriter } from "./lexical-index-postings.ts";
import {
  RECORD,
  SEGMENT_DOCUMENTS,
  type Sections,
  Segment,
  type SegmentShape,
} from "./lexical-index-segment.ts";
import { memoryBytes } from "./snapshot-bytes.ts";
import type { QuantizedVectors } from "./vectors.ts";

export interface IndexDocument {
  key: string;
  /** Whatever tells one state of the document from another. */
  digest: string;
  /** 32 bits for the caller, kept as given. */
  flags?: number;
  /** Terms of each field, in the order of `LexicalParams.fields`. */
  fields: readonly (readonly string[])[];
  /** Terms that only `marked` finds: no text has them, and they weigh nothing. */
  marks?: readonly string[];
  /** Bytes for the caller, fetched one document at a time. */
  evidence?: Uint8Array;
  /** One row, for `nearest`. */
  vector?: QuantizedVectors;
  /** One row a section, fetched with the evidence. */
  sections?: QuantizedVectors;
}

export interface StoredDocument {
  key: string;
  digest: string;
  flags: number;
  evidenceLength: number;
  sectionCount: number;
  /** Scales and values of the section vectors, then the evidence. */
  blob: Uint8Array;
  vector: Int8Array | undefined;
  scale: number;
}

const encoder = new TextEncoder();

/** A typed array that grows. */
class Log<T extends Uint8Array | Uint32Array> {
  items: T;
  length = 0;
  private readonly make: (length: number) => T;

  constructor(make: (length: number) => T) {
    this.make = make;
    this.items = make(1 << 12);
  }

  push(value: number): void {
    if (this.length === this.items.length) {
      const grown = this.make(this.length * 2);
      grown.set(this.items);
      this.items = grown;
    }
    this.items[this.length++] = value;
  }
}

export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function packBlob(document: IndexDocument): Uint8Array {
  const scales = document.sections?.scales ?? new Float32Array(0);
  const values = document.sections?.values ?? new Int8Array(0);
  const evidence = document.evidence ?? new Uint8Array(0);
  const blob = new Uint8Array(scales.byteLength + values.length + evidence.length);
  blob.set(new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength));
  blob.set(new Uint8Array(values.buffer, values.byteOffset, values.length), scales.byteLength);
  blob.set(evidence, scales.byteLength + values.length);
  return blob;
}

/** Records, keys, blobs and vectors of documents that are already in key order. */
export function layOutDocuments(
  documents: readonly StoredDocument[],
  dims: number,
): Pick<Sections, "records" | "strings" | "blobs" | "vectors" | "scales"> {
  const records = new Uint32Array(documents.length * RECORD.words);
  const strings = documents.map((d) => [encoder.encode(d.key), encoder.encode(d.digest)] as const);
  const stringBytes = new Uint8Array(
    strings.reduce((sum, [key, digest]) => sum + key.length + digest.length, 0),
  );
  const blobs = new Uint8Array(documents.reduce((sum, d) => sum + Math.ceil(d.blob.length / 4) * 4, 0));
  const vectors = new Int8Array(documents.length * dims);
  const scales = new Float32Array(documents.length);
  let stringsAt = 0;
  let blobAt = 0;
  documents.forEach((document, doc) => {
    const [key, digest] = strings[doc]!;
    const at = doc * RECORD.words;
    records[at + RECORD.stringsAt] = stringsAt;
    records[at + RECORD.keyLength] = key.length;
    records[at + RECORD.digestLength] = digest.length;
    records[at + RECORD.flags] = document.flags;
    records[at + RECORD.blobAt] = blobAt / 4;
    records[at + RECORD.evidenceLength] = document.evidenceLength;
    records[at + RECORD.sectionCount] = document.sectionCount;
    stringBytes.set(key, stringsAt);
    stringBytes.set(digest, stringsAt + key.length);
    stringsAt += key.length + digest.length;
    blobs.set(document.blob, blobAt);
    blobAt += Math.ceil(document.blob.length / 4) * 4;
    if (document.vector !== undefined) vectors.set(document.vector, doc * dims);
    scales[doc] = document.scale;
  });
  return {
    records: memoryBytes(new Uint8Array(records.buffer)),
    strings: memoryBytes(stringBytes),
    blobs: memoryBytes(blobs),
    vectors: memoryBytes(new Uint8Array(vectors.buffer)),
    scales: memoryBytes(new Uint8Array(scales.buffer)),
  };
}

export class SegmentBuilder {
  private readonly params: LexicalParams;
  private readonly dims: number;
  private readonly terms = new TermInterner();
  private readonly documents: (StoredDocument & { from: number; to: number })[] = [];
  private readonly latest = new Map<string, number>();
  private readonly termLog = new Log((n) => new Uint32Array(n));
  private readonly impactLog = new Log((n) => new Uint8Array(n));
  private frequency = new Float64Array(1 << 12);

  constructor(params: LexicalParams, dims: number) {
    this.params = params;
    this.dims = dims;
  }

  get empty(): boolean {
    return this.documents.length === 0;
  }

  get full(): boolean {
    return this.documents.length === SEGMENT_DOCUMENTS;
  }

  /** A key given twice keeps its last document. */
  add(document: IndexDocument): void {
    for (const vectors of [document.vector, document.sections]) {
      if (vectors !== undefined && vectors.dims !== this.dims) {
        throw new RangeError(
          `"${document.key}" has vectors of ${vectors.dims} dimensions, the index of ${this.dims}. Embed it again.`,
        );
      }
    }
    const from = this.termLog.length;
    this.countTerms(document.fields);
    for (const mark of new Set(document.marks)) {
      this.termLog.push(this.termId(mark));
      this.impactLog.push(0);
    }
    this.latest.set(document.key, this.documents.length);
    this.documents.push({
      key: document.key,
      digest: document.digest,
      flags: document.flags ?? 0,
      evidenceLength: document.evidence?.length ?? 0,
      sectionCount: document.sections?.scales.length ?? 0,
      blob: packBlob(document),
      vector: document.vector?.values,
      scale: document.vector?.scales[0] ?? 0,
      from,
      to: this.termLog.length,
    });
  }

  finish(): Segment {
    const documents = [...this.latest.values()]
      .map((arrival) => this.documents[arrival]!)
      .sort((a, b) => compareKeys(a.key, b.key));
    const { terms, postings, termCount } = this.layOutPostings(documents);
    const shape: SegmentShape = { documents: documents.length, terms: termCount, dims: this.dims };
    return new Segment(shape, { terms, postings, ...layOutDocuments(documents, this.dims) });
  }

  private countTerms(fields: readonly (readonly string[])[]): void {
    const begin = this.termLog.length;
    for (const [f, field] of this.params.fields.entries()) {
      const terms = fields[f] ?? [];
      const weight = occurrenceWeight(field, terms.length);
      if (weight > 0) for (const term of terms) this.countTerm(term, weight);
    }
    for (let i = begin; i < this.termLog.length; i++) {
      const id = this.termLog.items[i]!;
      this.impactLog.push(impactOf(this.frequency[id]!, this.params.k1));
      this.frequency[id] = 0;
    }
  }

  private termId(term: string): number {
    const id = this.terms.idOf(term);
    if (id >= this.frequency.length) {
      const grown = new Float64Array(this.frequency.length * 2);
      grown.set(this.frequency);
      this.frequency = grown;
    }
    return id;
  }

  private countTerm(term: string, weight: number): void {
    const id = this.termId(term);
    const frequency = this.frequency[id]!;
    if (frequency === 0) this.termLog.push(id);
    this.frequency[id] = frequency + weight;
  }

  private layOutPostings(documents: readonly { from: number; to: number }[]) {
    const terms = this.termLog.items;
    const impacts = this.impactLog.items;
    const counts = new Uint32Array(this.terms.size);
    for (const { from, to } of documents) for (let i = from; i < to; i++) counts[terms[i]!]!++;
    const inOrder = this.terms.inHashOrder().filter((id) => counts[id]! > 0);
    const next = new Uint32Array(counts.length);
    let total = 0;
    for (const id of inOrder) {
      next[id] = total;
      total += counts[id]!;
    }
    // Scattered once, as document and impact in one number; everything after it runs in order.
    const packed = new Uint32Array(total);
    for (const [doc, { from, to }] of documents.entries()) {
      for (let i = from; i < to; i++) packed[next[terms[i]!]!++] = doc * 256 + impacts[i]!;
    }
    const writer = new PostingsWriter(inOrder.length, counts);
    let at = 0;
    for (const id of inOrder) {
      const end = at + counts[id]!;
      writer.push({ high: this.terms.high(id), low: this.terms.low(id) }, packed.subarray(at, end));
      at = end;
    }
    return { ...writer.finish(), termCount: inOrder.length };
  }
}
