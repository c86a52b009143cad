// Packs the positions of a skill's terms into a few kilobytes, so that the ranker can look up the words of a message
// without the skill's text.

import {
  type BodySection,
  bodySections,
  type DescriptionClauses,
  descriptionClauses,
} from "../text/sections.ts";
import { tokenize } from "../text/tokens.ts";
import { BitWriter, ByteWriter } from "./bit-writer.ts";

export const SEGMENT = { description: 0, notFor: 1, triggers: 2, section: 3 } as const;
type SegmentKind = (typeof SEGMENT)[keyof typeof SEGMENT];

const PACKING = {
  version: 5,
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
  /** A term keeps its first place in each segment, and of the other places those that are among its first three. */
  keptPlaces: 3,
  /** Steps per nat in the byte that holds a name term's rarity. */
  rarityScale: 16,
} as const;

const LAYOUT = {
  nameMark: 1 + PACKING.signatureBytes,
  /** Varints start here: vocabulary, name, segments. */
  counts: 1 + PACKING.signatureBytes + 6,
  /** Hashes are distributed over 256 buckets by their leading bits; the other 12 bits are stored. */
  buckets: 256,
  lowBits: 12,
  /** Greater than every place. */
  places: 1 << 15,
  /** The lists of this many terms are read from the start to find one of them: fewer cost 3 bytes more for each run. */
  skipped: 8,
  /** Bytes of the bit position of such a run. */
  skipBytes: 3,
} as const;

const HASH_MASK = LAYOUT.buckets * 2 ** LAYOUT.lowBits - 1;

/** 20 bits of a term: a message of ten words has a false match in one of 300 skills. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) & HASH_MASK;
}

/** The terms of a section, those of its heading first. */
interface SectionTerms {
  notFor: boolean;
  headingTerms: number;
  terms: readonly string[];
}

interface EvidenceInput {
  name: string;
  description: string;
  /** Trigger phrases, tags and when-to-use, as declared by the author. */
  triggers?: readonly string[];
  /** Messages that a model wrote for the skill. */
  messages?: readonly string[];
  /** Not needed with `sections`. */
  body?: string;
  /** The description's clauses and the body's terms, if they are known already. */
  clauses?: DescriptionClauses | undefined;
  sections?: readonly SectionTerms[] | undefined;
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
 * segments, then the vocabulary in order of hashes and the places of each term. Places are counted from the name's first
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
  // Without the messages, which are not the skill's own text: two copies stay copies.
  out.bytesOf(signatureOf(input.messages?.length ? segmentsOf({ ...input, messages: [] }) : segments));
  out.bytesOf(nameMark(nameHashes));
  const { vocabulary, lists } = inverted(nameHashes, segments);
  out.varint(vocabulary.length);
  out.varint(name.length);
  out.varint(segments.length);
  for (const term of name) {
    out.byte(Math.max(1, Math.min(255, Math.round(rarity(term) * PACKING.rarityScale))));
  }
  for (const segment of segments) {
    out.varint(segment.terms.length * 4 + segment.kind);
    if (segment.kind === SEGMENT.section) out.varint(segment.headingTerms);
  }
  writeVocabulary(out, vocabulary);
  writeLists(out, lists, placesIn(nameHashes.length, segments));
  return out.finish();
}

/** One more than the last place. */
function placesIn(nameTerms: number, segments: readonly Segment[]): number {
  return segments.reduce((sum, { terms }) => sum + 1 + terms.length, nameTerms);
}

/** The hashes of all terms, ascending, and the places that are kept of each. */
function inverted(name: readonly number[], segments: readonly Segment[]) {
  const occurrences = new Float64Array(placesIn(name.length, segments) - segments.length);
  const segmentAt = new Uint16Array(placesIn(name.length, segments));
  let place = 0;
  let filled = 0;
  const add = (hashes: readonly number[], segment: number) => {
    for (const hash of hashes) {
      segmentAt[place] = segment;
      occurrences[filled++] = hash * LAYOUT.places + place++;
    }
  };
  add(name, 0);
  segments.forEach(({ terms }, s) => {
    place++;
    add(terms, s + 1);
  });
  occurrences.sort();
  const vocabulary: number[] = [];
  /** The places of all terms, and where those of each term end. */
  const places: number[] = [];
  const ends: number[] = [];
  let last = -1;
  let segment = -1;
  let seen = 0;
  for (const occurrence of occurrences) {
    const hash = Math.floor(occurrence / LAYOUT.places);
    const at = occurrence % LAYOUT.places;
    if (hash !== last) {
      vocabulary.push(hash);
      last = hash;
      segment = -1;
      seen = 0;
    }
    if (seen++ < PACKING.keptPlaces || segmentAt[at] !== segment || at < name.length) places.push(at);
    ends[vocabulary.length - 1] = places.length;
    segment = segmentAt[at]!;
  }
  return { vocabulary, lists: { places, ends } };
}

/** For each bucket a 1 per hash and a 0, then the low bits of all hashes. */
function writeVocabulary(out: ByteWriter, vocabulary: readonly number[]): void {
  const bits = new BitWriter(out);
  let bucket = 0;
  for (const hash of vocabulary) {
    for (; bucket < hash >>> LAYOUT.lowBits; bucket++) bits.write(0, 1);
    bits.write(1, 1);
  }
  for (; bucket < LAYOUT.buckets; bucket++) bits.write(0, 1);
  for (const hash of vocabulary) bits.write(hash & (2 ** LAYOUT.lowBits - 1), LAYOUT.lowBits);
  bits.finish();
}

/** The bit positions of every `skipped`th list, then the lists: their length, then places or the gaps between them. */
function writeLists(out: ByteWriter, lists: { places: number[]; ends: number[] }, total: number): void {
  const packed = new ByteWriter();
  const bits = new BitWriter(packed);
  for (let i = 0, from = 0; i < lists.ends.length; i++) {
    if (i % LAYOUT.skipped === 0) out.number(bits.position, LAYOUT.skipBytes);
    const end = lists.ends[i]!;
    const count = end - from;
    const width = 31 - Math.clz32(count);
    bits.ones(width);
    bits.write(count & ((1 << width) - 1), width);
    const fixed = gapBits(total, count);
    for (let next = 0; from < end; from++) {
      const gap = lists.places[from]! - next;
      if (count > 1) bits.ones(gap >>> fixed);
      bits.write(gap & ((1 << fixed) - 1), fixed);
      next += gap + 1;
    }
  }
  bits.finish();
  out.bytesOf(packed.finish());
}

/** The low bits of each gap; what is above them is written as ones. A single place is written as it is. */
function gapBits(places: number, count: number): number {
  if (count === 1) return 32 - Math.clz32(places);
  return 31 - Math.clz32(Math.max(1, (places * 0.7) / (count + 1)));
}

/** Unpacks evidence for tests; the ranker reads the bytes directly. */
export function decodeEvidence(bytes: Uint8Array) {
  const reader = new EvidenceReader();
  reader.open(bytes);
  const { nameTerms } = reader;
  const hashes: number[] = [];
  reader.vocabulary().forEach((hash, entry) => {
    const end = reader.placesOf(entry, 0);
    for (let i = 0; i < end; i++) hashes[reader.places[i]!] = hash;
  });
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

/**
 * Whether two skills have at least this share of their word pairs in common, by estimate. Stops at the first bytes if they
 * are different texts.
 */
export function sharePairs(a: Uint8Array, b: Uint8Array, least: number): boolean {
  const mostDifferent = (1 - least) * PACKING.signatureBytes;
  let different = 0;
  let filled = 0;
  for (let i = 1; i <= PACKING.signatureBytes; i++) {
    if (a[i] === 0 && b[i] === 0) continue;
    filled++;
    if (a[i] !== b[i] && ++different > mostDifferent) return false;
  }
  return filled > 0 && (filled - different) / filled >= least;
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

function segmentsOf(input: EvidenceInput): Segment[] {
  const segments: Segment[] = [];
  let headLeft: number = PACKING.maxHeadTerms;
  const add = (kind: SegmentKind, text: string, limit: number) => {
    const terms = tokenize(text).slice(0, Math.min(limit, headLeft)).map(termHash);
    headLeft -= terms.length;
    if (terms.length > 0) segments.push({ kind, headingTerms: 0, terms });
  };
  const { positive, negative } = input.clauses ?? descriptionClauses(input.description);
  for (const clause of clausesOf(positive)) add(SEGMENT.description, clause, PACKING.maxDescriptionTerms);
  for (const phrase of [...(input.triggers ?? []), ...(input.messages ?? [])])
    add(SEGMENT.triggers, phrase, PACKING.maxDescriptionTerms);
  // Last of the head: a word counts against the skill only if it occurs nowhere else in the head.
  for (const clause of clausesOf(negative)) add(SEGMENT.notFor, clause, PACKING.maxDescriptionTerms);
  let left: number = PACKING.maxBodyTerms;
  for (const { notFor, headingTerms, terms } of input.sections ??
    sectionTerms(bodySections(input.body ?? ""))) {
    if (notFor || left <= 0 || terms.length === 0) continue;
    const kept = terms.length > left ? terms.slice(0, left) : terms;
    left -= kept.length;
    segments.push({ kind: SEGMENT.section, headingTerms, terms: kept.map(termHash) });
  }
  return segments;
}

/** The terms of each section; `visit` gets those of each run of lines of one kind. */
export function sectionTerms(
  sections: readonly BodySection[],
  visit: (kind: BodySection["runs"][number]["kind"], terms: readonly string[]) => void = () => {},
): SectionTerms[] {
  return sections.map(({ notFor, heading, runs }) => {
    const terms: string[] = [];
    for (const { kind, text } of runs) {
      const own = tokenize(text);
      visit(kind, own);
      for (const term of own) terms.push(term);
    }
    return { notFor, headingTerms: tokenize(heading).length, terms };
  });
}

// "Use when asked to 'x', 'y' or z": each claim becomes its own clause, so that it can match as a whole.
function clausesOf(text: string): string[] {
  return text.split(/[.;:!?](?=\s|$)|[,()"\u201c\u201d\n]|(?<!\w)'|'(?!\w)/u);
}

/** The zeros of each byte. */
const ZEROS = new Uint8Array(256).fill(8);
for (let byte = 1; byte < 256; byte++) ZEROS[byte] = ZEROS[byte >>> 1]! - (byte & 1);

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
  private raritiesAt = 0;
  /** The first byte of the buckets, and the byte before which `bucketsBefore` of them end. */
  private bucketsAt = 0;
  private bucketByte = 0;
  private bucketsBefore = 0;
  /** The bit position of the low bits, and of the lists. */
  private lowsAt = 0;
  private skipsAt = 0;
  private listsAt = 0;
  /** The list after the one that was read last, and its bit position. */
  private nextList = 0;
  private nextBit = 0;
  /** Where `bits` and `ones` read. */
  private bit = 0;

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
    this.bucketsAt = this.at;
    this.bucketByte = this.at;
    this.bucketsBefore = 0;
    this.lowsAt = this.at * 8 + LAYOUT.buckets + this.vocabularySize;
    this.skipsAt = Math.ceil((this.lowsAt + this.vocabularySize * LAYOUT.lowBits) / 8);
    this.listsAt = (this.skipsAt + Math.ceil(this.vocabularySize / LAYOUT.skipped) * LAYOUT.skipBytes) * 8;
    this.nextList = -1;
  }

  /** The rarity of the name's term at `index`, in nats. */
  nameRarity(index: number): number {
    return this.bytes[this.raritiesAt + index]! / PACKING.rarityScale;
  }

  /** The entry of a hash, or -1. Quickest for hashes in ascending order. */
  find(hash: number): number {
    const bucket = hash >>> LAYOUT.lowBits;
    const low = hash & (2 ** LAYOUT.lowBits - 1);
    this.bit = this.bucketBit(bucket);
    let entry = this.bit - this.bucketsAt * 8 - bucket;
    const end = entry + this.ones();
    for (this.bit = this.lowsAt + entry * LAYOUT.lowBits; entry < end; entry++) {
      if (this.bits(LAYOUT.lowBits) === low) return entry;
    }
    return -1;
  }

  /** The hash of every entry. */
  vocabulary(): number[] {
    const hashes: number[] = [];
    for (let bucket = 0; bucket < LAYOUT.buckets; bucket++) {
      this.bit = this.bucketBit(bucket);
      const count = this.ones();
      this.bit = this.lowsAt + hashes.length * LAYOUT.lowBits;
      for (let i = 0; i < count; i++) hashes.push((bucket << LAYOUT.lowBits) | this.bits(LAYOUT.lowBits));
    }
    return hashes;
  }

  /** Writes the places of an entry's term into `places` from `start` on, ascending; returns the end. */
  placesOf(entry: number, start: number): number {
    const run = Math.floor(entry / LAYOUT.skipped);
    let list = run * LAYOUT.skipped;
    if (this.nextList > list && this.nextList <= entry) {
      list = this.nextList;
      this.bit = this.nextBit;
    } else {
      const at = this.skipsAt + run * LAYOUT.skipBytes;
      this.bit = this.listsAt + (this.bytes[at]! | (this.bytes[at + 1]! << 8) | (this.bytes[at + 2]! << 16));
    }
    const { bytes } = this;
    const total = this.segmentEnds[this.segmentCount - 1] ?? this.nameTerms;
    const single = 1 + gapBits(total, 1);
    for (; list < entry; list++) {
      // Most terms have one place: a zero, and the place.
      if ((bytes[this.bit >>> 3]! >>> (this.bit & 7)) & 1) this.readList(total, start);
      else this.bit += single;
    }
    const end = this.readList(total, start);
    this.nextList = entry + 1;
    this.nextBit = this.bit;
    return end;
  }

  /** Reads the list at `bit` into `places` from `start` on; returns the end. */
  private readList(total: number, start: number): number {
    const width = this.ones();
    const count = (1 << width) | this.bits(width);
    const fixed = gapBits(total, count);
    const end = start + count;
    if (end > this.places.length) this.grow(count);
    const { places } = this;
    for (let i = start, next = 0; i < end; i++) {
      const above = count > 1 ? this.ones() << fixed : 0;
      const place = next + above + this.bits(fixed);
      places[i] = place;
      next = place + 1;
    }
    return end;
  }

  /** The bit where a bucket begins: the one after the zeros of all buckets before it. */
  private bucketBit(bucket: number): number {
    if (bucket <= this.bucketsBefore) {
      this.bucketByte = this.bucketsAt;
      this.bucketsBefore = 0;
    }
    const { bytes } = this;
    let missing = bucket - this.bucketsBefore;
    for (
      let zeros = ZEROS[bytes[this.bucketByte]!]!;
      zeros < missing;
      zeros = ZEROS[bytes[this.bucketByte]!]!
    ) {
      missing -= zeros;
      this.bucketByte++;
    }
    this.bucketsBefore = bucket - missing;
    let bit = this.bucketByte * 8;
    for (let byte = bytes[this.bucketByte]!; missing > 0; byte >>>= 1, bit++) if ((byte & 1) === 0) missing--;
    return bit;
  }

  /** The number of ones before the next zero. */
  private ones(): number {
    const { bytes } = this;
    for (let count = 0; ; count += 16) {
      const at = this.bit >>> 3;
      const word = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) >>> (this.bit & 7);
      // Bits beyond the sixteenth may be missing.
      const zeros = ~word | (1 << 16);
      const first = 31 - Math.clz32(zeros & -zeros);
      if (first < 16) {
        this.bit += first + 1;
        return count + first;
      }
      this.bit += 16;
    }
  }

  /** The next number of at most 16 bits. */
  private bits(count: number): number {
    const at = this.bit >>> 3;
    const { bytes } = this;
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    const value = (word >>> (this.bit & 7)) & ((1 << count) - 1);
    this.bit += count;
    return value;
  }

  private readSegments(): void {
    const count = this.segmentCount;
    if (count > this.segmentEnds.length) {
      this.segmentEnds = new Int32Array(count * 2);
      this.segmentKinds = new Uint8Array(count * 2);
      this.headingTerms = new Int32Array(count * 2);
      this.segmentLengths = new Int32Array(count * 2);
    }
    const { bytes, segmentEnds, segmentKinds, headingTerms, segmentLengths } = this;
    let place = this.nameTerms;
    let { at } = this;
    for (let s = 0; s < count; s++) {
      // A segment has at most 3,000 terms: one byte or two.
      let head = bytes[at++]!;
      if (head >= 128) head = (head & 127) | (bytes[at++]! << 7);
      const kind = head & 3;
      const length = head >>> 2;
      let heading = kind === SEGMENT.section ? bytes[at++]! : 0;
      if (heading >= 128) {
        this.at = at - 1;
        heading = this.varint();
        at = this.at;
      }
      place += 1 + length;
      segmentKinds[s] = kind;
      segmentLengths[s] = length;
      segmentEnds[s] = place;
      headingTerms[s] = heading;
    }
    this.at = at;
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
