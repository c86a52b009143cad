// Owns the evidence of one skill: where each of its terms stands, packed into a few kilobytes, so that the ranker can
// look at a candidate without its text, and read of it only the message's words. Does not own reading the bytes back
// (evidence-reader.ts), features (features.ts) nor retrieval (text/).

import { type BodySection, bodySections, descriptionClauses } from "../text/sections.ts";
import { tokenize, visitTokens } from "../text/tokens.ts";
import { EVIDENCE, EvidenceReader, LAYOUT, SEGMENT, type SegmentKind, termHash } from "./evidence-reader.ts";

export { EVIDENCE, SEGMENT, type SegmentKind, termHash } from "./evidence-reader.ts";

export interface EvidenceInput {
  name: string;
  description: string;
  /** Trigger phrases, tags, when-to-use: what the author says leads here. */
  triggers?: readonly string[];
  body: string;
  /** The sections of the body, when they have been cut already. */
  sections?: readonly BodySection[] | undefined;
}

export interface EncodeOptions {
  /** How telling a term is, in nats of document frequency; by default all terms are alike. */
  rarity?: (term: string) => number;
}

export interface Segment {
  kind: SegmentKind;
  /** How many of `terms` are the section's heading. */
  headingTerms: number;
  /** Term hashes in reading order. */
  terms: number[];
}

export interface Evidence {
  name: Array<{ hash: number; rarity: number }>;
  segments: Segment[];
}

/**
 * Packs a skill: likeness signature, the name's mark, the name's rarities, the segments' lengths, then the vocabulary in
 * order of hashes with the places of each term. Places count from the name's first term on, with a gap before each
 * segment, so that the last word of one and the first of the next are no neighbours.
 */
export function encodeEvidence(input: EvidenceInput, options: EncodeOptions = {}): Uint8Array {
  const rarity = options.rarity ?? (() => 1);
  const name = tokenize(input.name, { partsOnly: true }).slice(0, EVIDENCE.maxNameTerms);
  const segments = segmentsOf(input);
  const nameHashes = name.map(termHash);
  const out = new ByteWriter();
  out.byte(EVIDENCE.version);
  out.bytesOf(signatureOf(segments));
  out.bytesOf(nameMark(nameHashes));
  const { terms, lists } = inverted(nameHashes, segments);
  out.varint(terms.length / LAYOUT.entryBytes);
  out.varint(name.length);
  out.varint(segments.length);
  for (const term of name) {
    out.byte(Math.max(1, Math.min(255, Math.round(rarity(term) * EVIDENCE.rarityScale))));
  }
  for (const segment of segments) {
    out.varint(segment.terms.length * 4 + segment.kind);
    if (segment.kind === SEGMENT.section) out.varint(segment.headingTerms);
  }
  out.bytesOf(terms);
  out.bytesOf(lists);
  return out.finish();
}

/** A term that stands once has its place in its entry, any other the place of its list. */
function inverted(name: readonly number[], segments: readonly Segment[]) {
  const count = segments.reduce((sum, { terms }) => sum + terms.length, name.length);
  const occurrences = new Float64Array(count);
  let place = 0;
  let filled = 0;
  const add = (hashes: readonly number[]) => {
    for (const hash of hashes) occurrences[filled++] = hash * LAYOUT.places + place++;
  };
  add(name);
  for (const { terms } of segments) {
    place++;
    add(terms);
  }
  occurrences.sort();
  const terms = new ByteWriter();
  const lists = new ByteWriter();
  for (let from = 0; from < count; ) {
    const hash = Math.floor(occurrences[from]! / LAYOUT.places);
    const placeAt = (i: number) => occurrences[i]! - hash * LAYOUT.places;
    let to = from + 1;
    while (to < count && occurrences[to]! < (hash + 1) * LAYOUT.places) to++;
    terms.number(hash, 3);
    terms.number(to - from === 1 ? placeAt(from) : LAYOUT.listed | lists.length, 2);
    if (to - from > 1) {
      lists.varint(to - from);
      for (let i = from, before = 0; i < to; before = placeAt(i), i++) lists.varint(placeAt(i) - before);
    }
    from = to;
  }
  return { terms: terms.finish(), lists: lists.finish() };
}

/** The evidence in plain form, for explanations and tests; the ranker reads the bytes directly. */
export function decodeEvidence(bytes: Uint8Array): Evidence {
  const reader = new EvidenceReader();
  reader.open(bytes);
  const { nameTerms } = reader;
  const hashes: number[] = [];
  for (let entry = 0; entry < reader.vocabularySize; entry++) {
    const end = reader.placesOf(entry, 0);
    for (let i = 0; i < end; i++) hashes[reader.places[i]!] = reader.hash(entry);
  }
  const segments: Segment[] = [];
  for (let s = 0; s < reader.segmentCount; s++) {
    const from = s === 0 ? nameTerms + 1 : reader.segmentEnds[s - 1]! + 1;
    segments.push({
      kind: reader.segmentKinds[s]! as SegmentKind,
      headingTerms: reader.headingTerms[s]!,
      terms: hashes.slice(from, reader.segmentEnds[s]!),
    });
  }
  const name = hashes
    .slice(0, nameTerms)
    .map((hash, i) => ({ hash, rarity: bytes[reader.raritiesAt + i]! / EVIDENCE.rarityScale }));
  return { name, segments };
}

/** The estimated share of word pairs that two skills have in common, 0 to 1. */
export function likeness(a: Uint8Array, b: Uint8Array): number {
  let same = 0;
  let filled = 0;
  for (let i = 1; i <= EVIDENCE.signatureBytes; i++) {
    if (a[i] === 0 && b[i] === 0) continue;
    filled++;
    if (a[i] === b[i]) same++;
  }
  return filled === 0 ? 0 : same / filled;
}

/** True when both names are made of the same words in the same order. */
export function sameName(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = LAYOUT.nameMark; i < LAYOUT.counts; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** 48 bits of the name's words in their order. */
function nameMark(hashes: readonly number[]): Uint8Array {
  let high = 0x811c9dc5;
  let low = hashes.length;
  for (const hash of hashes) {
    high = Math.imul(high ^ hash, 0x01000193);
    low = Math.imul(low, 0x9e3779b1) ^ hash ^ (low >>> 15);
  }
  const mark = new ByteWriter();
  mark.number(high ^ (high >>> 13), 3);
  mark.number(low ^ (low >>> 16), 3);
  return mark.finish();
}

// One-permutation minhash over neighbouring terms: each pair falls into one slot, the slot keeps its smallest.
function signatureOf(segments: readonly Segment[]): Uint8Array {
  const smallest = new Uint32Array(EVIDENCE.signatureBytes).fill(0xffffffff);
  for (const { terms } of segments) {
    for (let i = 1; i < terms.length; i++) {
      let hash = Math.imul(terms[i - 1]!, 0x9e3779b1) ^ Math.imul(terms[i]!, 0x85ebca6b);
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
      hash = (hash ^ (hash >>> 13)) >>> 0;
      const slot = hash % EVIDENCE.signatureBytes;
      const value = Math.floor(hash / EVIDENCE.signatureBytes);
      if (value < smallest[slot]!) smallest[slot] = value;
    }
  }
  // 0 marks a slot that no pair fell into.
  return Uint8Array.from(smallest, (value) => (value === 0xffffffff ? 0 : 1 + (value % 255)));
}

class ByteWriter {
  length = 0;
  private bytes = new Uint8Array(1024);

  byte(value: number): void {
    if (this.length === this.bytes.length) this.room(1);
    this.bytes[this.length++] = value;
  }

  bytesOf(values: Uint8Array): void {
    if (this.length + values.length > this.bytes.length) this.room(values.length);
    this.bytes.set(values, this.length);
    this.length += values.length;
  }

  number(value: number, bytes: number): void {
    for (let i = 0; i < bytes; i++) this.byte((value >>> (8 * i)) & 255);
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest & 127) | 128);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private room(more: number): void {
    const grown = new Uint8Array(Math.max(this.length * 2, this.length + more));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

function segmentsOf(input: EvidenceInput): Segment[] {
  const segments: Segment[] = [];
  let headLeft: number = EVIDENCE.maxHeadTerms;
  const add = (kind: SegmentKind, text: string, limit: number) => {
    const terms = hashes(text, Math.min(limit, headLeft));
    headLeft -= terms.length;
    if (terms.length > 0) segments.push({ kind, headingTerms: 0, terms });
  };
  const { positive, negative } = descriptionClauses(input.description);
  for (const clause of clausesOf(positive)) add(SEGMENT.description, clause, EVIDENCE.maxDescriptionTerms);
  for (const phrase of input.triggers ?? []) add(SEGMENT.triggers, phrase, EVIDENCE.maxDescriptionTerms);
  // After all that speaks for the skill: a word counts against it only where it stands nowhere in its head.
  for (const clause of clausesOf(negative)) add(SEGMENT.notFor, clause, EVIDENCE.maxDescriptionTerms);
  let left: number = EVIDENCE.maxBodyTerms;
  for (const section of input.sections ?? bodySections(input.body)) {
    if (left <= 0) break;
    if (section.notFor) continue;
    const terms = hashes(section.text, left);
    left -= terms.length;
    if (terms.length === 0) continue;
    segments.push({ kind: SEGMENT.section, headingTerms: tokenize(section.heading).length, terms });
  }
  return segments;
}

// "Use when asked to 'x', 'y' or z": each claim is a clause of its own, so that one can match as a whole.
function clausesOf(text: string): string[] {
  return text.split(/[.;:!?](?=\s|$)|[,()"\u201c\u201d\n]|(?<!\w)'|'(?!\w)/u);
}

function hashes(text: string, limit: number): number[] {
  const found: number[] = [];
  visitTokens(text, (term) => {
    if (found.length < limit) found.push(termHash(term));
  });
  return found;
}
