// Owns retrieval: from a message to the few dozen skills worth a close look, with what the ranker asks about each.
// Does not own their order (`rank.ts`).

import { type Hit, quantizeOne } from "../search/search.ts";
import { createProbe, type Probe } from "./features.ts";
import { type BackgroundIdf, backgroundOfTerms, rarityOf, readMessage } from "./features-message.ts";
import type { Candidate } from "./rank.ts";
import type { RecallIndex } from "./recall-index.ts";

export const CANDIDATES = {
  /** By words: few of the last are looked at, but what is near in meaning is also known by its words. 160 give the same. */
  lexical: 100,
  /** By meaning: messages that share no word with their skill find it here. */
  meaning: 40,
  /** Of all these, looked at closely: every figure of the evals stays within 0.1 of what all would give. */
  close: 32,
  /** The nearest by meaning are always among them: a paraphrase shares its words with the wrong skills. */
  nearest: 12,
  /** What being nearest is worth in that choice, the most words being 1. */
  nearness: 0.5,
  /** The span of cosines over which it falls to nothing. */
  nearnessSpan: 0.2,
} as const;

export interface Retrieval {
  readonly probe: Probe;
  readonly candidates: readonly Candidate[];
}

export interface RetrievalInput {
  readonly index: RecallIndex;
  readonly message: string;
  /** The message's meaning; undefined without an embedder. */
  readonly vector: Float32Array | undefined;
  readonly background: BackgroundIdf;
  /** Skills that must be looked at whatever their text says. */
  readonly also: readonly number[];
  /** How many are looked at closely; a fit learns from more than an answer needs. */
  readonly close?: number;
}

export function retrieve(input: RetrievalInput): Retrieval {
  const { index, also, close = CANDIDATES.close } = input;
  const message = readMessage(input.message);
  const background = backgroundOfTerms(input.message, input.background);
  const factors = new Map(message.terms.map((term, i) => [term, message.factors[i]!]));
  const found = index.text.search(message.terms, {
    limit: CANDIDATES.lexical,
    termWeight: (term, df) => (factors.get(term) ?? 1) * rarityOf(df, background.get(term)),
  });
  const weights = new Map(found.terms.map(({ term, weight }) => [term, weight]));
  const probe = createProbe({
    message,
    weights: message.terms.map((term) => weights.get(term) ?? 0),
    reach: found.terms.reduce((most, { df }) => Math.max(most, df), 0),
  });
  const vector = input.vector && quantizeOne(input.vector);
  const near = vector ? index.text.nearest(vector, CANDIDATES.meaning) : [];
  const lexical = new Map(found.hits.map(({ doc, score }) => [doc, score]));
  const meaning = new Map(near.map(({ doc, score }) => [doc, score]));
  const closeness = (doc: number) => (vector ? (meaning.get(doc) ?? index.text.similarity(vector, doc)) : 0);
  const looked = worthALook({ lexical: found.hits, near, closeness, also, close });
  const closestPassages = vector && index.text.closestPassages(vector, looked);
  const candidates = looked.map((doc, i) => ({
    id: doc,
    evidence: index.evidence(doc),
    lexical: lexical.get(doc) ?? 0,
    meaning: closeness(doc),
    sectionMeaning: closestPassages?.[i] ?? 0,
  }));
  return { probe, candidates };
}

/** The documents whose evidence is read: all that were asked for, the nearest, and the best by words and meaning. */
function worthALook(found: {
  lexical: readonly Hit[];
  near: readonly Hit[];
  closeness: (doc: number) => number;
  also: readonly number[];
  close: number;
}): number[] {
  const { lexical, near, closeness, also, close } = found;
  const most = lexical[0]?.score ?? 0;
  const nearest = near[0]?.score ?? 0;
  const nearness = (doc: number) =>
    near.length === 0
      ? 0
      : CANDIDATES.nearness * Math.max(0, 1 - (nearest - closeness(doc)) / CANDIDATES.nearnessSpan);
  const promise = new Map(near.map(({ doc }) => [doc, nearness(doc)]));
  for (const { doc, score } of lexical) promise.set(doc, (most > 0 ? score / most : 0) + nearness(doc));
  const kept = new Set([...also, ...near.slice(0, CANDIDATES.nearest).map(({ doc }) => doc)]);
  const ordered = [...promise].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  for (const [doc] of ordered.slice(0, close)) kept.add(doc);
  return [...kept];
}
