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
import { COMMON_TERMS, commonNumber } from "./common-terms.ts";

export const SEGMENT = { description: 0, notFor: 1, triggers: 2, section: 3 } as const;
export type SegmentKind = (typeof SEGMENT)[keyof typeof SEGMENT];

export const PACKING = {
  version: 7,
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

export const LAYOUT = {
  nameMark: 1 + PACKING.signatureBytes,
  /** Varints start here: vocabulary, name, segments. */
  counts: 1 + PACKING.signatureBytes + 6,
  /** Keys are distributed over 256 buckets by their leading bits; the other bits are stored: 12 of a hash, 4 of a common term. */
  buckets: 256,
  lowBits: 12,
  commonLowBits: Math.log2(COMMON_TERMS / 256),
  /** Greater than every place. */
  places: 1 << 15,
  /** The lists of this many terms are read from the start to find one of them: the bit position of each such run is stored. */
  skipped: 16,
} as const;

const HASH_MASK = LAYOUT.buckets * 2 ** LAYOUT.lowBits - 1;

/** 20 bits of a term: a message of ten words has a false match in one of 300 skills. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) & HASH_MASK;
}

/** What a vocabulary is ordered by: the number of a common term, or else the hash, above all those numbers. */
function keyOf(hash: number): number {
  const common = commonNumber(hash);
  return common < 0 ? COMMON_TERMS + hash : common;
}

/** The key of a term in the vocabulary of evidence. */
export function termKey(term: string): number {
  return keyOf(termHash(term));
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

export interface EvidenceSegment {
  kind: SegmentKind;
  /** How many of `terms` are the section's heading. */
  headingTerms: number;
  /** Term hashes in reading order. */
  terms: number[];
}

/**
 * Packs a skill: the signature of its word pairs, a hash of its name, the rarities of the name's terms, the lengths of the
 * segments, then the vocabulary in order of keys and the places of each term. Places are counted from the name's first
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
  const common = vocabulary.filter((key) => key < COMMON_TERMS);
  const other = vocabulary.slice(common.length).map((key) => key - COMMON_TERMS);
  out.varint(common.length);
  out.varint(other.length);
  out.varint(name.length);
  out.varint(segments.length);
  for (const term of name) {
    out.byte(Math.max(1, Math.min(255, Math.round(rarity(term) * PACKING.rarityScale))));
  }
  for (const segment of segments) {
    out.varint(segment.terms.length * 4 + segment.kind);
    if (segment.kind === SEGMENT.section) out.varint(segment.headingTerms);
  }
  writeKeys(out, common, LAYOUT.commonLowBits);
  writeKeys(out, other, LAYOUT.lowBits);
  writeLists(out, lists, placesIn(nameHashes.length, segments));
  return out.finish();
}

/** One more than the last place. */
function placesIn(nameTerms: number, segments: readonly EvidenceSegment[]): number {
  return segments.reduce((sum, { terms }) => sum + 1 + terms.length, nameTerms);
}

/** The keys of all terms, ascending, and the places that are kept of each. */
function inverted(name: readonly number[], segments: readonly EvidenceSegment[]) {
  const occurrences = new Float64Array(placesIn(name.length, segments) - segments.length);
  const segmentAt = new Uint16Array(placesIn(name.length, segments));
  let place = 0;
  let filled = 0;
  const add = (hashes: readonly number[], segment: number) => {
    for (const hash of hashes) {
      segmentAt[place] = segment;
      occurrences[filled++] = keyOf(hash) * LAYOUT.places + place++;
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
    const key = Math.floor(occurrence / LAYOUT.places);
    const at = occurrence % LAYOUT.places;
    if (key !== last) {
      vocabulary.push(key);
      last = key;
      segment = -1;
      seen = 0;
    }
    if (seen++ < PACKING.keptPlaces || segmentAt[at] !== segment || at < name.length) places.push(at);
    ends[vocabulary.length - 1] = places.length;
    segment = segmentAt[at]!;
  }
  return { vocabulary, lists: { places, ends } };
}

/** For each bucket a 1 per key and a 0, then the low bits of all keys. */
function writeKeys(out: ByteWriter, keys: readonly number[], lowBits: number): void {
  const bits = new BitWriter(out);
  let bucket = 0;
  for (const key of keys) {
    for (; bucket < key >>> lowBits; bucket++) bits.write(0, 1);
    bits.write(1, 1);
  }
  for (; bucket < LAYOUT.buckets; bucket++) bits.write(0, 1);
  for (const key of keys) bits.write(key & (2 ** lowBits - 1), lowBits);
  bits.finish();
}

/**
 * The bits of a position in the lists (one byte), the positions of every `skipped`th list but the first, then the lists: their
 * length, then places or the gaps between them.
 */
function writeLists(out: ByteWriter, lists: { places: number[]; ends: number[] }, total: number): void {
  const packed = new ByteWriter();
  const bits = new BitWriter(packed);
  const runs: number[] = [];
  for (let i = 0, from = 0; i < lists.ends.length; i++) {
    if (i % LAYOUT.skipped === 0 && i > 0) runs.push(bits.position);
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
  const width = 32 - Math.clz32(runs.at(-1) ?? 0);
  out.byte(width);
  const positions = new BitWriter(out);
  for (const run of runs) positions.write(run, width);
  positions.finish();
  out.bytesOf(packed.finish());
}

/** The low bits of each gap; what is above them is written as ones. A single place is written as it is. */
export function gapBits(places: number, count: number): number {
  if (count === 1) return 32 - Math.clz32(places);
  return 31 - Math.clz32(Math.max(1, (places * 0.7) / (count + 1)));
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
function signatureOf(segments: readonly EvidenceSegment[]): Uint8Array {
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

function segmentsOf(input: EvidenceInput): EvidenceSegment[] {
  const segments: EvidenceSegment[] = [];
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
