// Owns what is measured about one candidate for one message: how much of the message stands where in the skill.
// Does not own how the measures are weighed (rank.ts), the packing (evidence.ts) nor the message (features-message.ts).

import { DEFAULT_LEXICAL_PARAMS } from "../text/lexical-index-params.ts";
import { EVIDENCE, EvidenceReader, SEGMENT, termHash } from "./evidence.ts";
import type { ReadMessage } from "./features-message.ts";
import { type Measures, NOTHING } from "./measures.ts";

/** A message made ready to be looked for in evidence. */
export interface Probe {
  readonly librarySize: number;
  readonly terms: readonly string[];
  readonly weights: Float64Array;
  /** The message names the term only to turn it down. */
  readonly refused: readonly boolean[];
  /** The term stands where the message turns something down, perhaps elsewhere too. */
  readonly inRefusal: readonly boolean[];
  /** How telling each term is in this library, in nats, however often the message says it. */
  readonly rarities: Float64Array;
  /** Sum of all weights: what a skill with every word of the message would reach. */
  readonly mass: number;
  /** Term hash -> number of the term, or -1. */
  readonly numberOf: (hash: number) => number;
  /** `first * terms + second` -> number of the pair, for neighbours in the message. */
  readonly pairs: ReadonlyMap<number, number>;
  readonly pairWeights: Float64Array;
  readonly pairMass: number;
}

const NUMBERS = {
  /** A claim of one word is no claim: shorter ones are taken to be this long. */
  claimTerms: 2,
  /** A section shorter than this is no denser for it. */
  sectionTerms: 20,
  /** How far a long section is diluted: 0 not at all, 1 fully. */
  sectionDilution: 0.25,
  /** Slots of the filter that turns away most of a skill's vocabulary before the look-up. */
  filterSlots: 4096,
} as const;

export interface ProbeInput {
  message: ReadMessage;
  /** What each of `message.terms` is worth, in their order. */
  weights: ArrayLike<number>;
  /** Skills in the library: the more there are, the less one chance match means. */
  librarySize: number;
}

export function createProbe({ message, weights, librarySize }: ProbeInput): Probe {
  const count = message.terms.length;
  const own = Float64Array.from(weights);
  const { idfPower } = DEFAULT_LEXICAL_PARAMS;
  const pairs = new Map<number, number>();
  const pairWeights: number[] = [];
  for (let i = 1; i < message.order.length; i++) {
    const first = message.order[i - 1]!;
    const second = message.order[i]!;
    const key = first * count + second;
    if (first < 0 || second < 0 || first === second || pairs.has(key)) continue;
    pairs.set(key, pairWeights.length);
    pairWeights.push(Math.sqrt(own[first]! * own[second]!));
  }
  return {
    librarySize,
    terms: message.terms,
    weights: own,
    rarities: own.map((weight, i) => (weight / message.factors[i]!) ** (1 / idfPower)),
    refused: message.refused,
    inRefusal: message.inRefusal,
    mass: sum(own),
    numberOf: termTable(message.terms),
    pairs,
    pairWeights: Float64Array.from(pairWeights),
    pairMass: sum(pairWeights),
  };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function termTable(terms: readonly string[]): (hash: number) => number {
  let size = 16;
  while (size < terms.length * 4) size *= 2;
  const keys = new Int32Array(size).fill(-1);
  const values = new Int32Array(size);
  const filter = new Uint8Array(NUMBERS.filterSlots);
  terms.forEach((term, number) => {
    const hash = termHash(term);
    filter[hash & (NUMBERS.filterSlots - 1)] = 1;
    let slot = (hash >>> 8) & (size - 1);
    while (keys[slot] !== -1 && keys[slot] !== hash) slot = (slot + 1) & (size - 1);
    if (keys[slot] === hash) return;
    keys[slot] = hash;
    values[slot] = number;
  });
  return (hash) => {
    if (filter[hash & (NUMBERS.filterSlots - 1)] === 0) return -1;
    let slot = (hash >>> 8) & (size - 1);
    while (keys[slot] !== hash) {
      if (keys[slot] === -1) return -1;
      slot = (slot + 1) & (size - 1);
    }
    return values[slot]!;
  };
}

/** Measures candidates for one message; keeps its working memory from one to the next. */
export class Measurer {
  private readonly probe: Probe;
  private candidate = 0;
  private segment = 0;
  private numbers = new Int32Array(1024);
  /** The candidate (or segment) in which a term or pair was last seen: nothing has to be cleared. */
  private readonly seen: Int32Array;
  private readonly inHead: Int32Array;
  private readonly inSegment: Int32Array;
  private readonly pairInHead: Int32Array;
  private readonly pairInBody: Int32Array;

  constructor(probe: Probe) {
    const terms = probe.weights.length;
    const pairs = probe.pairWeights.length;
    this.probe = probe;
    this.seen = new Int32Array(terms);
    this.inHead = new Int32Array(terms);
    this.inSegment = new Int32Array(terms);
    this.pairInHead = new Int32Array(pairs);
    this.pairInBody = new Int32Array(pairs);
  }

  measure(evidence: Uint8Array): Measures {
    this.candidate++;
    const reader = new EvidenceReader(evidence);
    if (!this.readVocabulary(reader)) return NOTHING;
    const measures = { ...NOTHING };
    this.readName(reader, measures);
    while (!reader.done()) this.readSegment(reader, measures);
    this.addUp(measures);
    return measures;
  }

  /** The message's words that the skill has, heaviest first. */
  foundTerms(evidence: Uint8Array): string[] {
    this.measure(evidence);
    const { weights, terms } = this.probe;
    return [...terms.keys()]
      .filter((number) => this.seen[number] === this.candidate)
      .sort((a, b) => weights[b]! - weights[a]! || a - b)
      .map((number) => terms[number]!);
  }

  private readVocabulary(reader: EvidenceReader): boolean {
    const size = reader.vocabularySize;
    if (size > this.numbers.length) this.numbers = new Int32Array(size * 2);
    const { numbers, probe } = this;
    let any = false;
    const { bytes } = reader;
    let at = reader.at;
    for (let i = 0; i < size; i++, at += 3) {
      const number = probe.numberOf(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16));
      numbers[i] = number;
      if (number >= 0) any = true;
    }
    reader.at = at;
    return any;
  }

  private readName(reader: EvidenceReader, measures: Measures): void {
    const { probe, numbers } = this;
    let total = 0;
    let found = 0;
    let refused = 0;
    let turnedDown = true;
    let previous = -1;
    const length = reader.varint();
    for (let left = length; left > 0; left--) {
      const number = numbers[reader.varint()]!;
      const stored = reader.byte() / EVIDENCE.rarityScale;
      // A word that half of this library has in its names says little, whatever it says elsewhere.
      const rarity = number >= 0 ? Math.min(stored, probe.rarities[number]!) : stored;
      total += rarity;
      if (number >= 0) {
        if (probe.refused[number]) refused += rarity;
        else found += rarity;
        if (!probe.inRefusal[number]) turnedDown = false;
        this.meetInHead(number);
        this.meetPair(previous, number, this.pairInHead);
      } else turnedDown = false;
      previous = number;
    }
    if (total === 0) return;
    measures.nameTerms = length;
    measures.nameShare = found / total;
    measures.nameRefused = refused / total;
    measures.turnedDown = turnedDown ? 1 : 0;
  }

  private readSegment(reader: EvidenceReader, measures: Measures): void {
    const { numbers, inSegment, probe } = this;
    const segment = ++this.segment;
    const start = reader.varint();
    const kind = start & 3;
    const headingTerms = kind === SEGMENT.section ? reader.varint() : 0;
    let previous = -1;
    const length = start >>> 2;
    let mass = 0;
    let found = 0;
    // A section opens with its heading.
    const bodyFrom = length - headingTerms;
    let headingMass = 0;
    let headingFound = 0;
    // Read in place: this loop sees every word of every candidate, and most of them are not the message's.
    const { bytes } = reader;
    let at = reader.at;
    for (let left = length; left > 0; left--) {
      let word = bytes[at++]!;
      if (word >= 128) {
        word = (word & 127) | (bytes[at++]! << 7);
        if (word >= 16384) word = (word & 16383) | (bytes[at++]! << 14);
      }
      const number = numbers[word]!;
      if (number >= 0) {
        if (inSegment[number] !== segment) {
          inSegment[number] = segment;
          found++;
          if (kind !== SEGMENT.notFor || this.inHead[number] !== this.candidate)
            mass += probe.weights[number]!;
          if (left > bodyFrom) {
            headingFound++;
            headingMass += probe.weights[number]!;
          }
        }
        if (kind === SEGMENT.section) {
          this.seen[number] = this.candidate;
          this.meetPair(previous, number, this.pairInBody);
        } else if (kind !== SEGMENT.notFor) {
          this.meetInHead(number);
          this.meetPair(previous, number, this.pairInHead);
        }
      }
      previous = number;
    }
    reader.at = at;
    if (kind === SEGMENT.section) {
      if (found === 0) return;
      const dense = (found / Math.max(NUMBERS.sectionTerms, length)) ** NUMBERS.sectionDilution;
      measures.sectionMass = Math.max(measures.sectionMass, mass);
      measures.section = Math.max(measures.section, mass * dense);
      measures.heading = Math.max(measures.heading, claimed(headingMass, headingFound, headingTerms));
    } else if (kind === SEGMENT.notFor) {
      measures.notFor = Math.max(measures.notFor, claimed(mass, found, length));
    } else measures.claim = Math.max(measures.claim, claimed(mass, found, length));
  }

  private meetInHead(number: number): void {
    this.inHead[number] = this.candidate;
    this.seen[number] = this.candidate;
  }

  private meetPair(first: number, second: number, where: Int32Array): void {
    if (first < 0) return;
    const pair = this.probe.pairs.get(first * this.probe.weights.length + second);
    if (pair !== undefined) where[pair] = this.candidate;
  }

  private addUp(measures: Measures): void {
    const { weights, pairWeights } = this.probe;
    for (let i = 0; i < weights.length; i++) {
      if (this.seen[i] !== this.candidate) continue;
      measures.allMass += weights[i]!;
      if (this.inHead[i] === this.candidate) measures.headMass += weights[i]!;
    }
    for (let i = 0; i < pairWeights.length; i++) {
      if (this.pairInHead[i] === this.candidate) measures.headPairs += pairWeights[i]!;
      if (this.pairInBody[i] === this.candidate) measures.bodyPairs += pairWeights[i]!;
    }
  }
}

/** What a claim of `length` words is worth when `found` of them are the message's. */
function claimed(mass: number, found: number, length: number): number {
  return mass * Math.sqrt(found / Math.max(NUMBERS.claimTerms, length));
}
