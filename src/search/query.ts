// Answers queries over segments: the exact top documents by BM25F impacts or by cosine. All scores are summed as
// integers, so the order of addition never changes a score.

import { FULL_IMPACT, inverseDocumentFrequency } from "./scoring.ts";
import { type LiveSegment, SEGMENT_DOCUMENTS } from "./segment.ts";
import { addPostings, sums } from "./sums.ts";
import { compareHashes, hashTerm, type TermEntry, type TermHash } from "./terms.ts";
import type { QuantizedVectors } from "./vectors.ts";

const LIMITS = {
  /** Distinct terms of one query; a pasted task of 1,000 words has about 350. Later terms are ignored. */
  maxTerms: 512,
  /** Postings read to select candidates. Bounds the time for a message of any length; measured to cost no quality. */
  postingBudget: 200_000,
  /** Candidates whose scores are completed with the terms beyond the budget; twice what callers ask for. */
  refined: 200,
  /** A list this many times longer than the candidates is searched instead of read. */
  searchInsteadOfRead: 8,
} as const;

export interface SearchOptions {
  limit: number;
  postingBudget?: number | undefined;
  /** The weight of a term; by default its inverse document frequency. */
  termWeight?: ((term: string, df: number) => number) | undefined;
}

export interface Hit {
  doc: number;
  score: number;
}

interface WeightedTerm {
  term: string;
  /** Live documents that contain the term. */
  df: number;
  /** The most that this term can add to a score. */
  weight: number;
}

export interface SearchResult {
  /** Best first. */
  hits: Hit[];
  /** The distinct terms of the query. */
  terms: WeightedTerm[];
}

interface PlannedTerm extends WeightedTerm {
  hash: TermHash;
  /** The term's entry in each segment. */
  entries: (TermEntry | undefined)[];
  /** The weight as an integer. */
  units: number;
}

interface Ranked {
  segment: number;
  doc: number;
  score: number;
}

/** The number of a document in the whole index. */
export function globalDoc(segment: number, doc: number): number {
  return segment * SEGMENT_DOCUMENTS + doc;
}

/** The top documents for the terms of a query. */
export function search(
  segments: readonly LiveSegment[],
  queryTerms: readonly string[],
  options: SearchOptions,
): SearchResult {
  const terms = weigh(segments, queryTerms, options);
  const known = terms
    .filter((t) => t.df > 0 && t.weight > 0)
    .sort((a, b) => b.weight - a.weight || compareHashes(a.hash, b.hash));
  const unit =
    known.length === 0 ? 1 : (2 ** 31 - 1) / FULL_IMPACT / known.reduce((sum, t) => sum + t.weight, 0);
  for (const term of known) term.units = Math.max(1, Math.floor(term.weight * unit));
  const affordable = withinBudget(known, options.postingBudget ?? LIMITS.postingBudget);
  const ranked =
    affordable === known.length
      ? rankExactly(segments, known, options.limit)
      : rankWithinBudget(segments, known, affordable, options.limit);
  return {
    hits: ranked.map(({ segment, doc, score }) => ({
      doc: globalDoc(segment, doc),
      score: score / unit / FULL_IMPACT,
    })),
    terms: terms.map(({ term, df, weight }) => ({ term, df, weight })),
  };
}

function weigh(
  segments: readonly LiveSegment[],
  queryTerms: readonly string[],
  options: SearchOptions,
): PlannedTerm[] {
  const size = segments.reduce((sum, s) => sum + s.size, 0);
  const termWeight = options.termWeight ?? ((_term, df) => inverseDocumentFrequency(df, size));
  const frequencies = new Map<string, number>();
  for (const term of queryTerms) {
    const known = frequencies.get(term);
    if (known !== undefined) frequencies.set(term, known + 1);
    else if (frequencies.size < LIMITS.maxTerms) frequencies.set(term, 1);
  }
  return [...frequencies].map(([term, frequency]) => {
    const hash = hashTerm(term);
    const entries = segments.map((s) => s.segment.lookup(hash));
    const df = entries.reduce(
      (sum, entry, i) => sum + (entry === undefined ? 0 : segments[i]!.liveCount(entry)),
      0,
    );
    const weight = (1 + Math.log(frequency)) * Math.max(0, termWeight(term, df));
    return { term, df, weight, hash, entries, units: 0 };
  });
}

/** How many of the terms, heaviest first, fit the budget; at least one. */
function withinBudget(terms: readonly PlannedTerm[], budget: number): number {
  let spent = 0;
  const beyond = terms.findIndex((t, i) => {
    spent += t.df;
    return spent > budget && i > 0;
  });
  return beyond < 0 ? terms.length : beyond;
}

function rankExactly(
  segments: readonly LiveSegment[],
  terms: readonly PlannedTerm[],
  limit: number,
): Ranked[] {
  return bestOfEach(segments, limit, (live, s, floor) => rankSegment(live, s, terms, new TopK(limit, floor)));
}

/** The best of all segments. `rank` gets the score that a document of the next segment must exceed. */
function bestOfEach(
  segments: readonly LiveSegment[],
  limit: number,
  rank: (live: LiveSegment, s: number, floor: number) => Ranked[],
): Ranked[] {
  let found: Ranked[] = [];
  for (const [s, live] of segments.entries()) {
    // A document with the same score may have the lower key.
    const floor = limit > 0 && found.length >= limit ? found[limit - 1]!.score - 1 : 0;
    found = best(segments, [...found, ...rank(live, s, floor)], limit);
  }
  return found;
}

/** Reads posting lists, heaviest first, until the rest together cannot lift a new document into the top. */
function rankSegment(live: LiveSegment, s: number, terms: readonly PlannedTerm[], empty: TopK): Ranked[] {
  const present = terms.filter((t) => t.entries[s] !== undefined);
  const documents = live.segment.shape.documents;
  const whole = present.reduce((sum, t) => sum + t.units * t.entries[s]!.maxImpact, 0);
  let remaining = whole;
  let unread = present.reduce((sum, t) => sum + t.entries[s]!.count, 0);
  let readSinceCheck = 0;
  sums().values.fill(0, 0, documents);
  for (const [i, term] of present.entries()) {
    // Finding the floor costs one pass over the documents. It is worth it only after reading as many postings, with as
    // many left to read, and if the rest weighs less than what was read: no score exceeds what was read.
    if (readSinceCheck >= documents && unread >= documents && remaining < whole - remaining) {
      readSinceCheck = 0;
      const { floor } = topOfSums(live, empty.fresh());
      if (remaining < floor) {
        const candidates = docsReaching(live, floor - remaining);
        for (const rest of present.slice(i)) refine(live, s, rest, candidates);
        return topOf(candidates, empty).ranked(s);
      }
    }
    const entry = term.entries[s]!;
    addPostings(live.segment, entry, term.units);
    remaining -= term.units * entry.maxImpact;
    unread -= entry.count;
    readSinceCheck += entry.count;
  }
  return topOfSums(live, empty).ranked(s);
}

/** The first `affordable` terms select the candidates; the others only complete their scores. */
function rankWithinBudget(
  segments: readonly LiveSegment[],
  terms: readonly PlannedTerm[],
  affordable: number,
  limit: number,
): Ranked[] {
  const width = Math.max(LIMITS.refined, limit);
  const candidates = bestOfEach(segments, width, (live, s, floor) => {
    sums().values.fill(0, 0, live.segment.shape.documents);
    for (const term of terms.slice(0, affordable))
      if (term.entries[s] !== undefined) addPostings(live.segment, term.entries[s], term.units);
    return topOfSums(live, new TopK(width, floor)).ranked(s);
  });
  const refined = segments.flatMap((live, s) => {
    const own = candidates.filter((c) => c.segment === s).sort((a, b) => a.doc - b.doc);
    const docs = Int32Array.from(own, (c) => c.doc);
    for (const c of own) sums().values[c.doc] = c.score;
    for (const term of terms.slice(affordable)) refine(live, s, term, docs);
    return topOf(docs, new TopK(limit)).ranked(s);
  });
  return best(segments, refined, limit);
}

/** Adds a term to the sums of the candidates, which are ascending. */
function refine(live: LiveSegment, s: number, term: PlannedTerm, candidates: Int32Array): void {
  const entry = term.entries[s];
  if (entry === undefined || candidates.length === 0) return;
  if (entry.count < candidates.length * LIMITS.searchInsteadOfRead) {
    addPostings(live.segment, entry, term.units);
    return;
  }
  const { docs, docsAt, impacts, impactsAt, count } = live.segment.postings(entry);
  const { values } = sums();
  let from = 0;
  for (const doc of candidates) {
    let low = from;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (docs[docsAt + middle]! < doc) low = middle + 1;
      else high = middle;
    }
    from = low;
    if (low < count && docs[docsAt + low] === doc) {
      values[doc] = (values[doc]! + Math.imul(term.units, impacts[impactsAt + low]!)) | 0;
    }
  }
}

/** Offers every live document of the segment being ranked. */
function topOfSums(live: LiveSegment, top: TopK): TopK {
  const { documents } = live.segment.shape;
  const { values, above } = sums();
  for (let doc = above(0, documents, top.floor); doc < documents; doc = above(doc + 1, documents, top.floor))
    if (live.alive(doc)) top.offer(values[doc]!, doc);
  return top;
}

function topOf(docs: Int32Array, top: TopK): TopK {
  const { values } = sums();
  for (const doc of docs) if (values[doc]! > top.floor) top.offer(values[doc]!, doc);
  return top;
}

function docsReaching(live: LiveSegment, floor: number): Int32Array {
  const { documents } = live.segment.shape;
  const { above } = sums();
  const found: number[] = [];
  for (let doc = above(0, documents, floor - 1); doc < documents; doc = above(doc + 1, documents, floor - 1))
    if (live.alive(doc)) found.push(doc);
  return Int32Array.from(found);
}

/** The best of several segments; keys decide between equal scores. */
function best(segments: readonly LiveSegment[], ranked: readonly Ranked[], limit: number): Ranked[] {
  if (segments.length === 1) return ranked.slice(0, limit);
  const key = (r: Ranked) => segments[r.segment]!.segment.key(r.doc);
  return [...ranked]
    .sort((a, b) => b.score - a.score || (a.segment === b.segment ? a.doc - b.doc : key(a) < key(b) ? -1 : 1))
    .slice(0, limit);
}

/** Cosines are compared as integers, to the ninth digit. */
const COSINE_UNITS = 1e9;

/** The documents whose vectors are closest to the query's, by cosine, exactly. */
export function nearest(segments: readonly LiveSegment[], query: QuantizedVectors, limit: number): Hit[] {
  const ranked = bestOfEach(segments, limit, (live, s, floor) =>
    nearestInSegment(live, query, new TopK(limit, floor)).ranked(s),
  );
  return ranked.map(({ segment, doc, score }) => ({
    doc: globalDoc(segment, doc),
    score: (score - COSINE_UNITS) / COSINE_UNITS,
  }));
}

function nearestInSegment(live: LiveSegment, query: QuantizedVectors, top: TopK): TopK {
  const matrix = live.segment.vectorsFor(query);
  const dots = matrix.dots(query.values);
  const factor = query.scales[0]! * COSINE_UNITS;
  const nextFrom = (doc: number) => matrix.nextReaching(doc, factor, top.floor - COSINE_UNITS);
  for (let doc = nextFrom(0); doc < matrix.rows; doc = nextFrom(doc + 1)) {
    const units = Math.round(dots[doc]! * matrix.scales[doc]! * factor) + COSINE_UNITS;
    if (units <= top.floor || matrix.scales[doc] === 0 || !live.alive(doc)) continue;
    top.offer(units, doc);
  }
  return top;
}

/** Scores are integers below this. */
const SCORE_RANGE = 2 ** 31;

/**
 * The best `limit` documents of a segment. Of equal scores the lower document number is better, which is the lower key.
 * Score and document are packed into one number, so that comparing is one comparison and offering allocates nothing.
 */
class TopK {
  /** A score must exceed this to be worth offering, if documents come in ascending order. */
  floor: number;
  private readonly limit: number;
  /** A heap with its worst at the root. */
  private readonly heap: number[] = [];

  constructor(limit: number, floor = 0) {
    this.limit = limit;
    this.floor = limit > 0 ? floor : SCORE_RANGE - 1;
  }

  /** Another one with the same limit and floor. */
  fresh(): TopK {
    return new TopK(this.limit, this.floor);
  }

  private get full(): boolean {
    return this.heap.length === this.limit;
  }

  /** Takes a score above the floor. */
  offer(score: number, doc: number): void {
    const packed = score * SEGMENT_DOCUMENTS + (SEGMENT_DOCUMENTS - 1 - doc);
    if (!this.full) this.rise(packed);
    else if (packed > this.heap[0]!) this.sink(packed, this.limit);
    if (this.full) this.floor = Math.floor(this.heap[0]! / SEGMENT_DOCUMENTS);
  }

  /** The documents, best first. Sorts the heap in place, so it can be called once, at the end. */
  ranked(segment: number): Ranked[] {
    const { heap } = this;
    for (let last = heap.length - 1; last > 0; last--) {
      const packed = heap[last]!;
      heap[last] = heap[0]!;
      this.sink(packed, last);
    }
    return heap.map((packed) => {
      const score = Math.floor(packed / SEGMENT_DOCUMENTS);
      return { segment, doc: SEGMENT_DOCUMENTS - 1 - (packed - score * SEGMENT_DOCUMENTS), score };
    });
  }

  private rise(packed: number): void {
    const { heap } = this;
    let place = heap.length;
    heap.push(packed);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent]! <= packed) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = packed;
  }

  /** Replaces the root of the heap's first `size` numbers. */
  private sink(packed: number, size: number): void {
    const { heap } = this;
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= size) break;
      if (child + 1 < size && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= packed) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = packed;
  }
}
