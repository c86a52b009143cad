// Owns the evidence of one skill: its terms in reading order, packed into a few kilobytes, so that the ranker can
// look at a candidate without its text. Does not own features (features.ts) nor retrieval (text/).

import { bodySections, descriptionClauses } from "../text/sections.ts";
import { tokenize, visitTokens } from "../text/tokens.ts";

export interface EvidenceInput {
  name: string;
  description: string;
  /** Trigger phrases, tags, when-to-use: what the author says leads here. */
  triggers?: readonly string[];
  body: string;
}

export interface EncodeOptions {
  /** How telling a term is, in nats of document frequency; by default all terms are alike. */
  rarity?: (term: string) => number;
}

export const SEGMENT = { description: 0, notFor: 1, triggers: 2, section: 3 } as const;
export type SegmentKind = (typeof SEGMENT)[keyof typeof SEGMENT];

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

export const EVIDENCE = {
  version: 2,
  /** Body terms kept: nine skills in ten are shorter, and what follows rarely says anything new. */
  maxBodyTerms: 3000,
  /** Description and trigger terms kept; the specification allows 1,024 characters. */
  maxDescriptionTerms: 400,
  /** Bytes of the likeness signature: an estimate of shared word pairs, good to about 0.05. */
  signatureBytes: 48,
  /** Steps per nat in the byte that holds a name term's rarity. */
  rarityScale: 16,
} as const;

const HASH_MASK = 0xffffff;

/** 24 bits of a term: a false match needs a clash with one of a message's few terms, about one in 50,000 skills. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) & HASH_MASK;
}

/** Packs a skill: likeness signature, vocabulary (most frequent first, three bytes a term), name, then segments of vocabulary numbers. */
export function encodeEvidence(input: EvidenceInput, options: EncodeOptions = {}): Uint8Array {
  const rarity = options.rarity ?? (() => 1);
  const name = tokenize(input.name, { partsOnly: true });
  const segments = segmentsOf(input);
  const counts = new Map<number, number>();
  const nameHashes = name.map(termHash);
  for (const hash of nameHashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  for (const segment of segments) {
    for (const hash of segment.terms) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const vocabulary = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const number = new Map(vocabulary.map(([hash], i) => [hash, i]));

  const out = new ByteWriter();
  out.byte(EVIDENCE.version);
  for (const byte of signatureOf(segments)) out.byte(byte);
  out.varint(vocabulary.length);
  for (const [hash] of vocabulary) out.hash(hash);
  out.varint(name.length);
  for (let i = 0; i < name.length; i++) {
    out.varint(number.get(nameHashes[i]!)!);
    out.byte(Math.max(1, Math.min(255, Math.round(rarity(name[i]!) * EVIDENCE.rarityScale))));
  }
  for (const segment of segments) {
    out.varint(segment.terms.length * 4 + segment.kind);
    if (segment.kind === SEGMENT.section) out.varint(segment.headingTerms);
    for (const hash of segment.terms) out.varint(number.get(hash)!);
  }
  return out.finish();
}

/** The evidence in plain form, for explanations and tests; the ranker reads the bytes directly. */
export function decodeEvidence(bytes: Uint8Array): Evidence {
  const reader = new EvidenceReader(bytes);
  const vocabulary: number[] = [];
  for (let i = 0; i < reader.vocabularySize; i++) vocabulary.push(reader.hash());
  const name: Evidence["name"] = [];
  const nameLength = reader.varint();
  for (let i = 0; i < nameLength; i++) {
    const hash = vocabulary[reader.varint()]!;
    name.push({ hash, rarity: reader.byte() / EVIDENCE.rarityScale });
  }
  const segments: Segment[] = [];
  while (!reader.done()) {
    const head = reader.varint();
    const kind = (head & 3) as SegmentKind;
    const headingTerms = kind === SEGMENT.section ? reader.varint() : 0;
    const terms: number[] = [];
    for (let i = head >>> 2; i > 0; i--) terms.push(vocabulary[reader.varint()]!);
    segments.push({ kind, headingTerms, terms });
  }
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
  return nameOf(a).join() === nameOf(b).join();
}

function nameOf(bytes: Uint8Array): number[] {
  const reader = new EvidenceReader(bytes);
  const start = reader.at;
  reader.at = start + reader.vocabularySize * 3;
  const found: number[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const number = reader.varint();
    reader.byte();
    const at = start + number * 3;
    found.push(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16));
  }
  return found;
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

/** Reads packed evidence front to back. Opens at the vocabulary. */
export class EvidenceReader {
  readonly vocabularySize: number;
  at = 1 + EVIDENCE.signatureBytes;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    if (bytes[0] !== EVIDENCE.version) {
      throw new RangeError(
        `evidence-version: read ${bytes[0]}, expected ${EVIDENCE.version}; rebuild the index.`,
      );
    }
    this.bytes = bytes;
    this.vocabularySize = this.varint();
  }

  done(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    return this.bytes[this.at++]!;
  }

  hash(): number {
    const { bytes, at } = this;
    this.at = at + 3;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  }

  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++]!;
    if (byte < 128) return byte;
    let value = byte & 127;
    let shift = 7;
    do {
      byte = bytes[this.at++]!;
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte >= 128);
    return value;
  }
}

class ByteWriter {
  private bytes = new Uint8Array(1024);
  private length = 0;

  byte(value: number): void {
    if (this.length === this.bytes.length) {
      const grown = new Uint8Array(this.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    this.bytes[this.length++] = value;
  }

  hash(value: number): void {
    this.byte(value & 255);
    this.byte((value >>> 8) & 255);
    this.byte((value >>> 16) & 255);
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
}

function segmentsOf(input: EvidenceInput): Segment[] {
  const segments: Segment[] = [];
  const add = (kind: SegmentKind, text: string, limit: number) => {
    const terms = hashes(text, limit);
    if (terms.length > 0) segments.push({ kind, headingTerms: 0, terms });
  };
  const { positive, negative } = descriptionClauses(input.description);
  for (const clause of clausesOf(positive)) add(SEGMENT.description, clause, EVIDENCE.maxDescriptionTerms);
  for (const phrase of input.triggers ?? []) add(SEGMENT.triggers, phrase, EVIDENCE.maxDescriptionTerms);
  // After all that speaks for the skill: a word counts against it only where it stands nowhere in its head.
  for (const clause of clausesOf(negative)) add(SEGMENT.notFor, clause, EVIDENCE.maxDescriptionTerms);
  let left: number = EVIDENCE.maxBodyTerms;
  for (const section of bodySections(input.body)) {
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
