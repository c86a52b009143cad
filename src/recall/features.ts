// Measures how much of a message a skill contains, and in which parts, from the skill's packed evidence.

import { SEGMENT, termKey } from "./evidence.ts";
import { EvidenceReader } from "./evidence-reader.ts";
import type { ReadMessage } from "./features-message.ts";
import type { Rivalry } from "./rivals.ts";

/** A message prepared for looking up its terms in evidence. */
export interface Probe {
  /** The highest document frequency of its terms: the higher it is, the less one match by chance means. */
  readonly reach: number;
  /** The cosine of the message with the closest topic that skills in general have; undefined if it is not known. */
  readonly topic?: number | undefined;
  readonly terms: readonly string[];
  readonly weights: Float64Array;
  /** Whether the message only rejects the term. */
  readonly refused: readonly boolean[];
  /** Whether the message rejects the term at least once. */
  readonly inRefusal: readonly boolean[];
  /** Whether the term only occurs in the names of things. */
  readonly pointing: readonly boolean[];
  /** How rare each term is in this library, in nats, regardless of how often the message has it. */
  readonly rarities: Float64Array;
  /** Sum of all weights: the mass of a skill that has every word of the message. */
  readonly mass: number;
  /** Distinct keys of the terms, ascending, and the index of each one's term. */
  readonly keys: Int32Array;
  readonly numbers: Int32Array;
  /** Pairs of neighbouring terms in the message, by index. */
  readonly pairFirst: Int32Array;
  readonly pairSecond: Int32Array;
  readonly pairWeights: Float64Array;
  readonly pairMass: number;
  /** For each job that the message wants done by a product it names: hashes of that product's terms, and of the others'. */
  readonly rivalries: readonly {
    readonly asked: readonly Int32Array[];
    readonly others: readonly Int32Array[];
  }[];
  /** For each task that the message asks for: hashes of the terms of which a skill for it has one. */
  readonly tasks: readonly Int32Array[];
}

/** Prepares a message; `weights` are those of `message.terms`, in the same order. */
export function createProbe({
  message,
  weights,
  reach,
  topic,
  rivalries = [],
  tasks = [],
}: {
  message: ReadMessage;
  weights: ArrayLike<number>;
  reach: number;
  topic?: number | undefined;
  rivalries?: readonly Rivalry[] | undefined;
  tasks?: readonly (readonly string[])[] | undefined;
}): Probe {
  const count = message.terms.length;
  const own = Float64Array.from(weights);
  const pairs = new Set<number>();
  const pairFirst: number[] = [];
  const pairSecond: number[] = [];
  const pairWeights: number[] = [];
  for (let i = 1; i < message.order.length; i++) {
    const first = message.order[i - 1]!;
    const second = message.order[i]!;
    const key = first * count + second;
    if (first < 0 || second < 0 || first === second || pairs.has(key)) continue;
    pairs.add(key);
    pairFirst.push(first);
    pairSecond.push(second);
    pairWeights.push(Math.sqrt(own[first]! * own[second]!));
  }
  return {
    reach,
    topic,
    terms: message.terms,
    weights: own,
    rarities: own.map((weight, i) => weight / message.factors[i]!),
    refused: message.refused,
    inRefusal: message.inRefusal,
    pointing: message.pointing,
    mass: sum(own),
    ...inKeyOrder(message.terms),
    pairFirst: Int32Array.from(pairFirst),
    pairSecond: Int32Array.from(pairSecond),
    pairWeights: Float64Array.from(pairWeights),
    pairMass: sum(pairWeights),
    rivalries: rivalries.map(({ asked, others }) => ({
      asked: asked.map(keysOf),
      others: others.map(keysOf),
    })),
    tasks: tasks.map(keysOf),
  };
}

function keysOf(terms: readonly string[]): Int32Array {
  return Int32Array.from(terms, termKey);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** If two terms have the same key, the earlier one represents both. */
function inKeyOrder(terms: readonly string[]): Pick<Probe, "keys" | "numbers"> {
  const numbers = new Map<number, number>();
  terms.forEach((term, number) => {
    const key = termKey(term);
    if (!numbers.has(key)) numbers.set(key, number);
  });
  const keys = Int32Array.from(numbers.keys()).sort();
  return { keys, numbers: keys.map((key) => numbers.get(key)!) };
}

/**
 * The measures of one candidate for one message. Masses are sums of the message's weights; divide by `Probe.mass` (or
 * `pairMass`) for a share.
 */
export interface Measures {
  /** Share of the name's words that the message has, weighted by rarity. */
  nameShare: number;
  /** Share of the name's words that the message only rejects, weighted by rarity. */
  nameRefused: number;
  /** Number of words in the name. */
  nameTerms: number;
  /** 1 if the message rejects the whole name. */
  rejected: number;
  /** 1 if the message has the whole name only as that of a thing: a path, a branch, a package, a class or code. */
  pointed: number;
  /** Words of the name that the message has. */
  nameMass: number;
  /** Words found in name, description and triggers. */
  headMass: number;
  /** The best single claim of the description: words found, times how much of the claim they fill. */
  claim: number;
  /** Words found in the section that has most of them. */
  sectionMass: number;
  /** The same, with short sections preferred to long ones. */
  section: number;
  /** The best heading: words found, times how much of the heading they fill. */
  heading: number;
  /** Words found anywhere. */
  allMass: number;
  /** The rarity of the rarest word found anywhere, in nats. */
  rarest: number;
  /** Neighbouring words found as neighbours, in the head and in the body. */
  headPairs: number;
  bodyPairs: number;
  /** The best single clause of what the skill is not for; words of its name, description and triggers do not count. */
  notFor: number;
  /** 1 if the name has a product that does the same job as one that the message names and the skill does not have. */
  rival: number;
  /** 1 if name and description have no word of a task that the message asks for. */
  otherTask: number;
}

/** The measures of a skill that has no word of the message. */
const NO_WORDS: Measures = {
  nameShare: 0,
  nameTerms: 0,
  nameRefused: 0,
  rejected: 0,
  pointed: 0,
  nameMass: 0,
  headMass: 0,
  claim: 0,
  sectionMass: 0,
  section: 0,
  heading: 0,
  allMass: 0,
  rarest: 0,
  headPairs: 0,
  bodyPairs: 0,
  notFor: 0,
  rival: 0,
  otherTask: 0,
};

const NUMBERS = {
  /** Shorter claims count as this long, because one word alone claims little. */
  claimTerms: 2,
  /** Shorter sections count as this long. */
  sectionTerms: 20,
  /** How much the length of a section dilutes its words: 0 not at all, 1 fully. */
  sectionDilution: 0.25,
} as const;

/** Measures candidates for one message and reuses its buffers between them. */
export class Measurer {
  private readonly probe: Probe;
  private readonly reader = new EvidenceReader();
  private candidate = 0;
  /** The candidate in which each term was last seen; so nothing has to be cleared between candidates. */
  private readonly seen: Int32Array;
  private readonly inHead: Int32Array;
  /** The range of each seen term's places in `reader.places`. */
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private placesEnd = 0;
  /** Number and mass of the message's words in each segment, and in its heading. */
  private found = new Int32Array(64);
  private mass = new Float64Array(64);
  private headingFound = new Int32Array(64);
  private headingMass = new Float64Array(64);

  constructor(probe: Probe) {
    const terms = probe.weights.length;
    this.probe = probe;
    this.seen = new Int32Array(terms);
    this.inHead = new Int32Array(terms);
    this.from = new Int32Array(terms);
    this.to = new Int32Array(terms);
  }

  measure(evidence: Uint8Array): Measures {
    this.candidate++;
    this.reader.open(evidence);
    const hasWords = this.locateTerms();
    const rival = Number(this.isRival());
    if (!hasWords) return rival === 0 ? NO_WORDS : { ...NO_WORDS, rival };
    const measures = { ...NO_WORDS, rival, otherTask: Number(this.isForOtherTask()) };
    this.readName(measures);
    this.readTerms(measures);
    this.readSegments(measures);
    this.readPairs(measures);
    return measures;
  }

  /** Whether the skill is named after another product than the one that the message names. */
  private isRival(): boolean {
    const has = (keys: Int32Array) => keys.every((key) => this.reader.find(key) >= 0);
    const isNamed = (keys: Int32Array) => keys.every((key) => this.isInName(key));
    return this.probe.rivalries.some(({ asked, others }) => !asked.some(has) && others.some(isNamed));
  }

  /** Whether nothing in name and description says that the skill does what the message asks for. */
  private isForOtherTask(): boolean {
    const { tasks } = this.probe;
    return tasks.length > 0 && !tasks.some((keys) => keys.some((key) => this.isInHead(key)));
  }

  private isInHead(key: number): boolean {
    const { reader, placesEnd } = this;
    const entry = reader.find(key);
    if (entry < 0) return false;
    const end = reader.placesOf(entry, placesEnd);
    let segment = 0;
    for (let i = placesEnd; i < end; i++) {
      const place = reader.places[i]!;
      if (place < reader.nameTerms) return true;
      while (reader.segmentEnds[segment]! <= place) segment++;
      const kind = reader.segmentKinds[segment]!;
      if (kind === SEGMENT.description || kind === SEGMENT.triggers) return true;
    }
    return false;
  }

  private isInName(key: number): boolean {
    const { reader } = this;
    const entry = reader.find(key);
    if (entry < 0) return false;
    const end = reader.placesOf(entry, this.placesEnd);
    return end > this.placesEnd && reader.places[this.placesEnd]! < reader.nameTerms;
  }

  /** Finds the message's terms in the vocabulary and reads their places, in order of keys. */
  private locateTerms(): boolean {
    const { probe, reader } = this;
    const { keys, numbers } = probe;
    let end = 0;
    for (let i = 0; i < keys.length; i++) {
      const entry = reader.find(keys[i]!);
      if (entry < 0) continue;
      const number = numbers[i]!;
      this.seen[number] = this.candidate;
      this.from[number] = end;
      end = reader.placesOf(entry, end);
      this.to[number] = end;
    }
    this.placesEnd = end;
    return end > 0;
  }

  private readName(measures: Measures): void {
    const { probe, reader, candidate } = this;
    const { nameTerms, places } = reader;
    if (nameTerms === 0) return;
    let total = 0;
    for (let i = 0; i < nameTerms; i++) total += reader.nameRarity(i);
    let found = 0;
    let refused = 0;
    let inRefusal = 0;
    let pointing = 0;
    for (let number = 0; number < this.seen.length; number++) {
      if (this.seen[number] !== candidate) continue;
      for (let i = this.from[number]!; i < this.to[number]! && places[i]! < nameTerms; i++) {
        const stored = reader.nameRarity(places[i]!);
        // A word that many names of this library have says little, however rare it is elsewhere.
        const rarity = Math.min(stored, probe.rarities[number]!);
        total += rarity - stored;
        if (probe.refused[number]) refused += rarity;
        else if (probe.pointing[number]) pointing += rarity;
        else found += rarity;
        if (probe.inRefusal[number]) inRefusal++;
        this.inHead[number] = candidate;
      }
    }
    if (total <= 0) return;
    measures.nameTerms = nameTerms;
    const isPointed = pointing >= total - 1e-9;
    measures.pointed = isPointed ? 1 : 0;
    measures.nameShare = isPointed ? 0 : (found + pointing) / total;
    measures.nameRefused = refused / total;
    measures.rejected = inRefusal === nameTerms ? 1 : 0;
  }

  private readTerms(measures: Measures): void {
    const { reader, probe, seen, candidate } = this;
    const { places, nameTerms, segmentEnds, segmentKinds, segmentLengths, headingTerms } = reader;
    this.clearSegments(reader.segmentCount);
    for (let number = 0; number < seen.length; number++) {
      if (seen[number] !== candidate) continue;
      const weight = probe.weights[number]!;
      const end = this.to[number]!;
      let counted = this.inHead[number] === candidate;
      if (counted) measures.nameMass += weight;
      let segment = 0;
      for (let i = this.from[number]!; i < end; ) {
        const place = places[i]!;
        if (place < nameTerms) {
          i++;
          continue;
        }
        while (segmentEnds[segment]! <= place) segment++;
        const kind = segmentKinds[segment]!;
        this.found[segment]!++;
        if (kind !== SEGMENT.notFor) {
          counted = true;
          if (kind !== SEGMENT.section) this.inHead[number] = candidate;
          this.mass[segment]! += weight;
        } else if (this.inHead[number] !== candidate) this.mass[segment]! += weight;
        if (place < segmentEnds[segment]! - segmentLengths[segment]! + headingTerms[segment]!) {
          this.headingFound[segment]!++;
          this.headingMass[segment]! += weight;
        }
        // Skip the term's other places in this segment.
        const segmentEnd = segmentEnds[segment]!;
        while (i < end && places[i]! < segmentEnd) i++;
      }
      if (!counted) {
        // The term occurs only in what the skill is not for.
        seen[number] = 0;
        continue;
      }
      measures.allMass += weight;
      measures.rarest = Math.max(measures.rarest, probe.rarities[number]!);
      if (this.inHead[number] === candidate) measures.headMass += weight;
    }
  }

  private clearSegments(count: number): void {
    if (count > this.mass.length) {
      this.mass = new Float64Array(count * 2);
      this.headingMass = new Float64Array(count * 2);
      this.found = new Int32Array(count * 2);
      this.headingFound = new Int32Array(count * 2);
    }
    for (const sums of [this.mass, this.headingMass, this.found, this.headingFound]) sums.fill(0, 0, count);
  }

  private readSegments(measures: Measures): void {
    const { segmentCount, segmentKinds, segmentLengths, headingTerms } = this.reader;
    for (let s = 0; s < segmentCount; s++) {
      const found = this.found[s]!;
      if (found === 0) continue;
      const mass = this.mass[s]!;
      const length = segmentLengths[s]!;
      const kind = segmentKinds[s]!;
      if (kind === SEGMENT.section) {
        const dense = (found / Math.max(NUMBERS.sectionTerms, length)) ** NUMBERS.sectionDilution;
        const heading = claimed(this.headingMass[s]!, this.headingFound[s]!, headingTerms[s]!);
        measures.sectionMass = Math.max(measures.sectionMass, mass);
        measures.section = Math.max(measures.section, mass * dense);
        measures.heading = Math.max(measures.heading, heading);
      } else if (kind === SEGMENT.notFor) {
        measures.notFor = Math.max(measures.notFor, claimed(mass, found, length));
      } else measures.claim = Math.max(measures.claim, claimed(mass, found, length));
    }
  }

  private readPairs(measures: Measures): void {
    const { pairFirst, pairSecond, pairWeights } = this.probe;
    const { seen, candidate } = this;
    for (let pair = 0; pair < pairWeights.length; pair++) {
      const first = pairFirst[pair]!;
      const second = pairSecond[pair]!;
      if (seen[first] === candidate && seen[second] === candidate)
        this.readPair(first, second, pairWeights[pair]!, measures);
    }
  }

  private readPair(first: number, second: number, weight: number, measures: Measures): void {
    const { places, nameTerms, segmentEnds, segmentKinds } = this.reader;
    const end = this.to[second]!;
    let segment = 0;
    let inHead = false;
    let inBody = false;
    for (let i = this.from[first]!, j = this.from[second]!; i < this.to[first]! && j < end; ) {
      const place = places[i]! + 1;
      if (places[j]! < place) j++;
      else if (places[j]! > place) i++;
      else {
        i++;
        j++;
        if (place < nameTerms) {
          inHead = true;
          continue;
        }
        while (segmentEnds[segment]! <= place) segment++;
        const kind = segmentKinds[segment]!;
        if (kind === SEGMENT.section) inBody = true;
        else if (kind !== SEGMENT.notFor) inHead = true;
      }
    }
    if (inHead) measures.headPairs += weight;
    if (inBody) measures.bodyPairs += weight;
  }
}

/** The mass of a claim of `length` words, reduced by the share of its words that the message does not have. */
function claimed(mass: number, found: number, length: number): number {
  return mass * Math.sqrt(found / Math.max(NUMBERS.claimTerms, length));
}
