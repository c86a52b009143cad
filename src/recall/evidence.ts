// Packs the positions of a skill's terms into a few kilobytes, so that the ranker can look up the words of a message
// without the skill's text.

import { type BodySection, bodySections, descriptionClauses } from "../text/sections.ts";
import { tokenize, visitTokens } from "../text/tokens.ts";

export const SEGMENT = { description: 0, notFor: 1, triggers: 2, section: 3 } as const;
type SegmentKind = (typeof SEGMENT)[keyof typeof SEGMENT];

const PACKING = {
  version: 3,
  /** Body terms kept: nine skills in ten are shorter, and later terms rarely add anything new. */
  maxBodyTerms: 3000,
  /** Terms of one clause or trigger kept; the specification allows 1,024 characters. */
  maxDescriptionTerms: 400,
  /** Terms of all clauses and triggers together: with them every place and list offset fits into 15 bits. */
  maxHeadTerms: 6000,
  /** Terms of the name kept; nobody types a longer name. */
  maxNameTerms: 64,
  /** Bytes of the signature from which shared word pairs are estimated, to within about 0.05. */
  signatureBytes: 48,
  /** Steps per nat in the byte that holds a name term's rarity. */
  rarityScale: 16,
} as const;

const LAYOUT = {
  nameMark: 1 + PACKING.signatureBytes,
  /** Varints start here: vocabulary, name, segments. */
  counts: 1 + PACKING.signatureBytes + 6,
  /** Three bytes of hash, two of place or list. */
  entryBytes: 5,
  /** Greater than every place. */
  places: 1 << 15,
  /** Marks an entry whose term occurs more than once. */
  listed: 1 << 15,
} as const;

const HASH_MASK = 0xffffff;

/** 24 bits of a term: a false match needs a clash with one of a message's few terms, about one in 50,000 skills. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) & HASH_MASK;
}

interface EvidenceInput {
  name: string;
  description: string;
  /** Trigger phrases, tags and when-to-use, as declared by the author. */
  triggers?: readonly string[];
  body: string;
  /** The sections of the body, when they have been cut already. */
  sections?: readonly BodySection[] | undefined;
}

interface Segment {
  kind: SegmentKind;
  /** How many of `terms` are the section's heading. */
  headingTerms: number;
  /** Term hashes in reading order. */
  terms: number[];
}

/**
 * Packs a skill: the signature of its word pairs, a hash of its name, the rarities of the name's terms, the lengths of the
 * segments, then the vocabulary in order of hashes with the places of each term. Places are counted from the name's first
 * term, with a gap before each segment, so that the last word of a segment and the first of the next are not neighbours.
 * `rarity` gives the weight of a term in nats of document frequency; by default all terms weigh the same.
 */
export function encodeEvidence(
  input: EvidenceInput,
  { rarity = () => 1 }: { rarity?: (term: string) => number } = {},
): Uint8Array {
  const name = tokenize(input.name, { partsOnly: true }).slice(0, PACKING.maxNameTerms);
  const segments = segmentsOf(input);
  const nameHashes = name.map(termHash);
  const out = new ByteWriter();
  out.byte(PACKING.version);
  out.bytesOf(signatureOf(segments));
  out.bytesOf(nameMark(nameHashes));
  const { terms, lists } = inverted(nameHashes, segments);
  out.varint(terms.length / LAYOUT.entryBytes);
  out.varint(name.length);
  out.varint(segments.length);
  for (const term of name) {
    out.byte(Math.max(1, Math.min(255, Math.round(rarity(term) * PACKING.rarityScale))));
  }
  for (const segment of segments) {
    out.varint(segment.terms.length * 4 + segment.kind);
    if (segment.kind === SEGMENT.section) out.varint(segment.headingTerms);
  }
  out.bytesOf(terms);
  out.bytesOf(lists);
  return out.finish();
}

/** The entry of a term that occurs once holds its place; other entries hold the offset of a list of places. */
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

/** Unpacks evidence for tests; the ranker reads the bytes directly. */
export function decodeEvidence(bytes: Uint8Array) {
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
  const name = hashes.slice(0, nameTerms).map((hash, i) => ({ hash, rarity: reader.nameRarity(i) }));
  return { name, segments };
}

/** The estimated share of word pairs that two skills have in common, 0 to 1. */
export function sharedPairs(a: Uint8Array, b: Uint8Array): number {
  let same = 0;
  let filled = 0;
  for (let i = 1; i <= PACKING.signatureBytes; i++) {
    if (a[i] === 0 && b[i] === 0) continue;
    filled++;
    if (a[i] === b[i]) same++;
  }
  return filled === 0 ? 0 : same / filled;
}

/** Whether both names have the same words in the same order. */
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

// One-permutation minhash over neighbouring terms: each pair belongs to one slot, and a slot keeps its smallest hash.
function signatureOf(segments: readonly Segment[]): Uint8Array {
  const smallest = new Uint32Array(PACKING.signatureBytes).fill(0xffffffff);
  for (const { terms } of segments) {
    for (let i = 1; i < terms.length; i++) {
      let hash = Math.imul(terms[i - 1]!, 0x9e3779b1) ^ Math.imul(terms[i]!, 0x85ebca6b);
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
      hash = (hash ^ (hash >>> 13)) >>> 0;
      const slot = hash % PACKING.signatureBytes;
      const value = Math.floor(hash / PACKING.signatureBytes);
      if (value < smallest[slot]!) smallest[slot] = value;
    }
  }
  // 0 marks an empty slot.
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
  let headLeft: number = PACKING.maxHeadTerms;
  const add = (kind: SegmentKind, text: string, limit: number) => {
    const terms = hashes(text, Math.min(limit, headLeft));
    headLeft -= terms.length;
    if (terms.length > 0) segments.push({ kind, headingTerms: 0, terms });
  };
  const { positive, negative } = descriptionClauses(input.description);
  for (const clause of clausesOf(positive)) add(SEGMENT.description, clause, PACKING.maxDescriptionTerms);
  for (const phrase of input.triggers ?? []) add(SEGMENT.triggers, phrase, PACKING.maxDescriptionTerms);
  // Last of the head: a word counts against the skill only if it occurs nowhere else in the head.
  for (const clause of clausesOf(negative)) add(SEGMENT.notFor, clause, PACKING.maxDescriptionTerms);
  let left: number = PACKING.maxBodyTerms;
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

// "Use when asked to 'x', 'y' or z": each claim becomes its own clause, so that it can match as a whole.
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

/** Reads packed evidence. One reader serves many skills in turn without allocating memory for each. */
export class EvidenceReader {
  vocabularySize = 0;
  nameTerms = 0;
  segmentCount = 0;
  /** For each segment up to `segmentCount`: the place after its last term, its kind, the lengths of its heading and of all. */
  segmentEnds = new Int32Array(64);
  segmentKinds = new Uint8Array(64);
  headingTerms = new Int32Array(64);
  segmentLengths = new Int32Array(64);
  /** Filled by `placesOf`. */
  places = new Int32Array(1 << 12);
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  private entriesAt = 0;
  private listsAt = 0;
  private raritiesAt = 0;

  open(bytes: Uint8Array): void {
    if (bytes[0] !== PACKING.version) {
      throw new RangeError(
        `evidence-version: read ${bytes[0]}, expected ${PACKING.version}; rebuild the index.`,
      );
    }
    this.bytes = bytes;
    this.at = LAYOUT.counts;
    this.vocabularySize = this.varint();
    this.nameTerms = this.varint();
    this.segmentCount = this.varint();
    this.raritiesAt = this.at;
    this.at += this.nameTerms;
    this.readSegments();
    this.entriesAt = this.at;
    this.listsAt = this.at + this.vocabularySize * LAYOUT.entryBytes;
  }

  /** The rarity of the name's term at `index`, in nats. */
  nameRarity(index: number): number {
    return this.bytes[this.raritiesAt + index]! / PACKING.rarityScale;
  }

  hash(entry: number): number {
    const at = this.entriesAt + entry * LAYOUT.entryBytes;
    const { bytes } = this;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  }

  /** The first entry from `low` on whose hash is not below `hash`. */
  seek(hash: number, low: number): number {
    const { bytes, entriesAt } = this;
    let from = low;
    let to = this.vocabularySize;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const at = entriesAt + middle * LAYOUT.entryBytes;
      if ((bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) < hash) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Writes the places of an entry's term into `places` from `start` on, ascending; returns the end. */
  placesOf(entry: number, start: number): number {
    const { bytes } = this;
    const at = this.entriesAt + entry * LAYOUT.entryBytes + 3;
    const packed = bytes[at]! | (bytes[at + 1]! << 8);
    if ((packed & LAYOUT.listed) === 0) {
      if (start === this.places.length) this.grow(1);
      this.places[start] = packed;
      return start + 1;
    }
    this.at = this.listsAt + (packed & (LAYOUT.listed - 1));
    const count = this.varint();
    if (start + count > this.places.length) this.grow(count);
    const { places } = this;
    for (let i = 0, place = 0; i < count; i++) {
      place += this.varint();
      places[start + i] = place;
    }
    return start + count;
  }

  private readSegments(): void {
    const count = this.segmentCount;
    if (count > this.segmentEnds.length) {
      this.segmentEnds = new Int32Array(count * 2);
      this.segmentKinds = new Uint8Array(count * 2);
      this.headingTerms = new Int32Array(count * 2);
      this.segmentLengths = new Int32Array(count * 2);
    }
    let place = this.nameTerms;
    for (let s = 0; s < count; s++) {
      const head = this.varint();
      const kind = head & 3;
      place += 1 + (head >>> 2);
      this.segmentKinds[s] = kind;
      this.segmentLengths[s] = head >>> 2;
      this.segmentEnds[s] = place;
      this.headingTerms[s] = kind === SEGMENT.section ? this.varint() : 0;
    }
  }

  private varint(): number {
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

  private grow(more: number): void {
    const grown = new Int32Array(this.places.length * 2 + more);
    grown.set(this.places);
    this.places = grown;
  }
}
