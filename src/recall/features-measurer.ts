// Owns measuring one candidate for one message: how much of the message stands where in the skill. Reads of the packed
// evidence only the message's own words. Does not own the packing (evidence.ts) nor the weights (rank.ts).

import { EVIDENCE, EvidenceReader, SEGMENT } from "./evidence-reader.ts";
import type { Probe } from "./features.ts";
import { type Measures, NOTHING } from "./measures.ts";

const NUMBERS = {
  /** A claim of one word is no claim: shorter ones are taken to be this long. */
  claimTerms: 2,
  /** A section shorter than this is no denser for it. */
  sectionTerms: 20,
  /** How far a long section is diluted: 0 not at all, 1 fully. */
  sectionDilution: 0.25,
} as const;

/** Measures candidates for one message; keeps its working memory from one to the next. */
export class Measurer {
  private readonly probe: Probe;
  private readonly reader = new EvidenceReader();
  private candidate = 0;
  /** The candidate in which a term was last seen: nothing has to be cleared. */
  private readonly seen: Int32Array;
  private readonly inHead: Int32Array;
  /** Where each seen term's places lie in `reader.places`. */
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  /** Of each segment: the message's words in it, their number and their mass; and of its heading. */
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
    if (!this.locateTerms()) return NOTHING;
    const measures = { ...NOTHING };
    this.readName(evidence, measures);
    this.readTerms(measures);
    this.readSegments(measures);
    this.readPairs(measures);
    return measures;
  }

  /** Finds the message's terms in the vocabulary, both in order of hashes, and reads their places. */
  private locateTerms(): boolean {
    const { probe, reader } = this;
    const { hashes, numbers } = probe;
    let entry = 0;
    let end = 0;
    for (let i = 0; i < hashes.length && entry < reader.vocabularySize; i++) {
      entry = reader.seek(hashes[i]!, entry);
      if (entry === reader.vocabularySize || reader.hash(entry) !== hashes[i]) continue;
      const number = numbers[i]!;
      this.seen[number] = this.candidate;
      this.from[number] = end;
      end = reader.placesOf(entry, end);
      this.to[number] = end;
    }
    return end > 0;
  }

  private readName(evidence: Uint8Array, measures: Measures): void {
    const { probe, reader, candidate } = this;
    const { nameTerms, raritiesAt, places } = reader;
    if (nameTerms === 0) return;
    let total = 0;
    for (let i = 0; i < nameTerms; i++) total += evidence[raritiesAt + i]! / EVIDENCE.rarityScale;
    let found = 0;
    let refused = 0;
    let inRefusal = 0;
    for (let number = 0; number < this.seen.length; number++) {
      if (this.seen[number] !== candidate) continue;
      for (let i = this.from[number]!; i < this.to[number]! && places[i]! < nameTerms; i++) {
        const stored = evidence[raritiesAt + places[i]!]! / EVIDENCE.rarityScale;
        // A word that half of this library has in its names says little, whatever it says elsewhere.
        const rarity = Math.min(stored, probe.rarities[number]!);
        total += rarity - stored;
        if (probe.refused[number]) refused += rarity;
        else found += rarity;
        if (probe.inRefusal[number]) inRefusal++;
        this.inHead[number] = candidate;
      }
    }
    if (total <= 0) return;
    measures.nameTerms = nameTerms;
    measures.nameShare = found / total;
    measures.nameRefused = refused / total;
    measures.turnedDown = inRefusal === nameTerms ? 1 : 0;
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
        // The rest of this segment says nothing new of this term.
        const segmentEnd = segmentEnds[segment]!;
        while (i < end && places[i]! < segmentEnd) i++;
      }
      if (!counted) {
        // It stands only in what the skill is not for.
        seen[number] = 0;
        continue;
      }
      measures.allMass += weight;
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

/** What a claim of `length` words is worth when `found` of them are the message's. */
function claimed(mass: number, found: number, length: number): number {
  return mass * Math.sqrt(found / Math.max(NUMBERS.claimTerms, length));
}
