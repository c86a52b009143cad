// Owns answering a query over segments: exact top documents by BM25F impacts, skipping what cannot matter.
// Does not own storage or text. All sums are integers, so the order of adding never shows in a score.

import type { LiveSegment } from "./lexical-index-live.ts";
import { FULL_IMPACT, inverseDocumentFrequency } from "./lexical-index-params.ts";
import { SEGMENT_DOCUMENTS } from "./lexical-index-segment.ts";
import { compareHashes, hashTerm, type TermEntry, type TermHash } from "./lexical-index-terms.ts";
import { Top } from "./lexical-index-top.ts";

export const SEARCH = {
  /** Distinct terms of one query; a pasted task of 1,000 words has about 350. What follows says nothing new. */
  maxTerms: 512,
  /** Postings read to admit documents. Bounds a message of any length; measured to cost no quality. */
  postingBudget: 600_000,
  /** Documents whose scores are completed with the terms beyond the budget; a tenfold margin over what is asked for. */
  refined: 1_024,
  /** A list this many times longer than the candidates is searched instead of read. */
  searchInsteadOfRead: 8,
} as const;

export interface SearchOptions {
  limit: number;
  postingBudget?: number;
  /** What a term is worth; by default its rarity among the live documents. */
  worth?: (term: string, df: number) => number;
}

export interface Hit {
  doc: number;
  score: number;
}

export interface WeighedTerm {
  term: string;
  df: number;
  /** The most this term can add to a score. */
  weight: number;
}

export interface SearchResult {
  hits: Hit[];
  /** The score of a document that every term of the query fills: `score / ceiling` is coverage, in [0, 1]. */
  ceiling: number;
  terms: WeighedTerm[];
}

interface PlannedTerm extends WeighedTerm {
  hash: TermHash;
  entries: (TermEntry | undefined)[];
  /** The weight as an integer. */
  units: number;
}

export interface Ranked {
  segment: number;
  doc: number;
  score: number;
}

const sums = new Int32Array(SEGMENT_DOCUMENTS);

export function globalDoc(segment: number, doc: number): number {
  return segment * SEGMENT_DOCUMENTS + doc;
}

export function search(
  segments: readonly LiveSegment[],
  queryTerms: readonly string[],
  options: SearchOptions,
): SearchResult {
  const terms = weigh(segments, queryTerms, options);
  const ceiling = terms.reduce((sum, t) => sum + t.weight, 0);
  const known = terms
    .filter((t) => t.df > 0 && t.weight > 0)
    .sort((a, b) => b.weight - a.weight || compareHashes(a.hash, b.hash));
  const unit =
    known.length === 0 ? 1 : (2 ** 31 - 1) / FULL_IMPACT / known.reduce((sum, t) => sum + t.weight, 0);
  for (const term of known) term.units = Math.max(1, Math.floor(term.weight * unit));
  const admitted = withinBudget(known, options.postingBudget ?? SEARCH.postingBudget);
  const ranked =
    admitted === known.length
      ? rankExactly(segments, known, options)
      : rankWithinBudget(
          segments,
          { admitting: known.slice(0, admitted), refining: known.slice(admitted) },
          options,
        );
  return {
    hits: ranked.map(({ segment, doc, score }) => ({
      doc: globalDoc(segment, doc),
      score: score / unit / FULL_IMPACT,
    })),
    ceiling,
    terms: terms.map(({ term, df, weight }) => ({ term, df, weight })),
  };
}

function weigh(
  segments: readonly LiveSegment[],
  queryTerms: readonly string[],
  options: SearchOptions,
): PlannedTerm[] {
  const size = segments.reduce((sum, s) => sum + s.size, 0);
  const worth = options.worth ?? ((_term, df) => inverseDocumentFrequency(df, size));
  const frequencies = new Map<string, number>();
  for (const term of queryTerms) {
    const known = frequencies.get(term);
    if (known !== undefined) frequencies.set(term, known + 1);
    else if (frequencies.size < SEARCH.maxTerms) frequencies.set(term, 1);
  }
  return [...frequencies].map(([term, frequency]) => {
    const hash = hashTerm(term);
    const entries = segments.map((s) => s.segment.lookup(hash));
    const df = entries.reduce(
      (sum, entry, i) => sum + (entry === undefined ? 0 : segments[i]!.liveCount(entry)),
      0,
    );
    const weight = (1 + Math.log(frequency)) * Math.max(0, worth(term, df));
    return { term, df, weight, hash, entries, units: 0 };
  });
}

/** How many of the terms, heaviest first, fit the budget. The heaviest always does. */
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
  options: SearchOptions,
): Ranked[] {
  const ranked = segments.flatMap((live, s) => rankSegment(live, s, terms, options));
  return best(segments, ranked, options.limit);
}

/** Reads lists, heaviest first, until the rest together cannot lift a new document into the top. */
function rankSegment(
  live: LiveSegment,
  s: number,
  terms: readonly PlannedTerm[],
  options: SearchOptions,
): Ranked[] {
  const present = terms.filter((t) => t.entries[s] !== undefined);
  const documents = live.segment.shape.documents;
  const whole = present.reduce((sum, t) => sum + t.units * t.entries[s]!.maxImpact, 0);
  let remaining = whole;
  let unread = present.reduce((sum, t) => sum + t.entries[s]!.count, 0);
  let readSinceCheck = 0;
  sums.fill(0, 0, documents);
  for (const [i, term] of present.entries()) {
    // Finding the floor costs one pass over the documents: done when as many postings were read, and as many wait; and no
    // document can have more than what was read.
    if (readSinceCheck >= documents && unread >= documents && remaining < whole - remaining) {
      readSinceCheck = 0;
      const top = topOfSums(live, options.limit);
      if (top.full && remaining < top.floor) {
        const candidates = docsReaching(live, top.floor - remaining);
        for (const rest of present.slice(i)) refine(live, s, rest, candidates);
        return ranking(topOf(candidates, options.limit), s);
      }
    }
    const entry = term.entries[s]!;
    addList(live, entry, term.units);
    remaining -= term.units * entry.maxImpact;
    unread -= entry.count;
    readSinceCheck += entry.count;
  }
  return ranking(topOfSums(live, options.limit), s);
}

/** The admitting terms choose the candidates; the others only complete their scores. */
function rankWithinBudget(
  segments: readonly LiveSegment[],
  terms: { admitting: readonly PlannedTerm[]; refining: readonly PlannedTerm[] },
  options: SearchOptions,
): Ranked[] {
  const width = Math.max(SEARCH.refined, options.limit);
  const admitted = segments.map((live, s) => {
    sums.fill(0, 0, live.segment.shape.documents);
    for (const term of terms.admitting)
      if (term.entries[s] !== undefined) addList(live, term.entries[s], term.units);
    const top = topOfSums(live, width);
    return ranking(top, s);
  });
  const candidates = best(segments, admitted.flat(), width);
  const refined = segments.flatMap((live, s) => {
    const own = candidates.filter((c) => c.segment === s).sort((a, b) => a.doc - b.doc);
    const docs = Int32Array.from(own, (c) => c.doc);
    for (const c of own) sums[c.doc] = c.score;
    for (const term of terms.refining) refine(live, s, term, docs);
    return ranking(topOf(docs, options.limit), s);
  });
  return best(segments, refined, options.limit);
}

function addList(live: LiveSegment, entry: TermEntry, units: number): void {
  const { docs, docsAt, impacts, impactsAt, count } = live.segment.postings(entry);
  for (let i = 0; i < count; i++) {
    const doc = docs[docsAt + i]!;
    sums[doc] = (sums[doc]! + Math.imul(units, impacts[impactsAt + i]!)) | 0;
  }
}

/** Adds a term to the candidates' sums alone, candidates ascending. */
function refine(live: LiveSegment, s: number, term: PlannedTerm, candidates: Int32Array): void {
  const entry = term.entries[s];
  if (entry === undefined || candidates.length === 0) return;
  if (entry.count < candidates.length * SEARCH.searchInsteadOfRead) {
    addList(live, entry, term.units);
    return;
  }
  const { docs, docsAt, impacts, impactsAt, count } = live.segment.postings(entry);
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
      sums[doc] = (sums[doc]! + Math.imul(term.units, impacts[impactsAt + low]!)) | 0;
    }
  }
}

function topOfSums(live: LiveSegment, limit: number): Top {
  const top = new Top(limit);
  for (let doc = 0; doc < live.segment.shape.documents; doc++) {
    if (sums[doc]! > top.floor && live.alive(doc)) top.offer(sums[doc]!, doc);
  }
  return top;
}

function topOf(docs: Int32Array, limit: number): Top {
  const top = new Top(limit);
  for (const doc of docs) if (sums[doc]! > top.floor) top.offer(sums[doc]!, doc);
  return top;
}

function docsReaching(live: LiveSegment, floor: number): Int32Array {
  const found: number[] = [];
  for (let doc = 0; doc < live.segment.shape.documents; doc++)
    if (sums[doc]! >= floor && live.alive(doc)) found.push(doc);
  return Int32Array.from(found);
}

export function ranking(top: Top, segment: number): Ranked[] {
  const ranked: Ranked[] = [];
  top.forEachRanked((doc, score) => ranked.push({ segment, doc, score }));
  return ranked;
}

/** The best of several segments; keys decide between equals. */
export function best(segments: readonly LiveSegment[], ranked: readonly Ranked[], limit: number): Ranked[] {
  if (segments.length === 1) return ranked.slice(0, limit);
  const key = (r: Ranked) => segments[r.segment]!.segment.key(r.doc);
  return [...ranked]
    .sort((a, b) => b.score - a.score || (a.segment === b.segment ? a.doc - b.doc : key(a) < key(b) ? -1 : 1))
    .slice(0, limit);
}
