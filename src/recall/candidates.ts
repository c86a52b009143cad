// Retrieves the few dozen skills that the ranker examines for a message, by words and by meaning.

import { type Hit, quantizeOne } from "../search/search.ts";
import { tokenize } from "../text/tokens.ts";
import { createProbe, type Probe } from "./features.ts";
import {
  type BackgroundIdf,
  backgroundOfTerms,
  clipMessage,
  rarityOf,
  readMessage,
  refusals,
} from "./features-message.ts";
import type { Glossed } from "./glossary.ts";
import type { RankCandidate } from "./rank.ts";
import type { RecallIndex } from "./recall-index.ts";
import { rivalriesIn } from "./rivals.ts";
import { tasksIn } from "./tasks.ts";
import { without } from "./things.ts";
import type { Topics } from "./topics.ts";

export const CANDIDATES = {
  /** Skills retrieved by words. 160 give the same results. */
  lexical: 100,
  /** Skills retrieved by meaning, for messages that share no word with their skill. */
  meaning: 40,
  /** How many of them the ranker examines: each figure of the evals stays within 0.1 of examining all. */
  close: 32,
  /** The nearest by meaning are always examined, because a paraphrase shares its words with the wrong skills. */
  nearest: 12,
  /** The nearest by a trained encoder are examined too. */
  encoded: 16,
  /** The weight of the nearest meaning in that choice; the best score by words weighs 1. */
  nearness: 0.5,
  /** The span of cosines over which that weight falls to 0. */
  nearnessSpan: 0.2,
} as const;

export interface Retrieval {
  readonly probe: Probe;
  readonly candidates: readonly RankCandidate[];
  /** Any skill as a candidate for the same message. */
  readonly candidateOf: (doc: number) => RankCandidate;
  /** How many skills have a word of the message. A word that is not indexed counts as one that all have. */
  readonly skillsWith: (word: string) => number;
}

/** What a trained encoder says of a message. */
export interface Encoded {
  cosine(doc: number): number;
  nearest(limit: number): readonly Hit[];
}

interface RetrievalInput {
  readonly index: RecallIndex;
  readonly message: Glossed;
  /** The message's meaning; undefined without an embedder. */
  readonly vector: Float32Array | undefined;
  readonly background: BackgroundIdf;
  /** What skills in general are about; undefined if the vector is of another table. */
  readonly topics?: Topics | undefined;
  /** The cosine of a trained encoder for each document, with the nearest first; undefined without one. */
  readonly encoded?: Encoded | undefined;
  /** Skills that are always examined. */
  readonly also: readonly number[];
  /** How many are examined; fitting the weights uses more than recall does. */
  readonly close?: number | undefined;
}

/** Finds the candidates for a message. */
export function retrieve(input: RetrievalInput): Retrieval {
  const { index, also, close = CANDIDATES.close } = input;
  const message = readMessage(input.message);
  const background = backgroundOfTerms(clipMessage(input.message.text), input.background);
  // Words of another language that no skill has say nothing about how well a skill fits.
  const isForeign = input.message.original !== undefined;
  const factors = new Map(message.terms.map((term, i) => [term, message.factors[i]!]));
  const found = index.text.search(message.terms, {
    limit: CANDIDATES.lexical,
    termWeight: (term, df) =>
      isForeign && df === 0 ? 0 : (factors.get(term) ?? 1) * rarityOf(df, background.get(term)),
  });
  const weights = new Map(found.terms.map(({ term, weight }) => [term, weight]));
  const wanted = wantedText(input.message.text);
  const probe = createProbe({
    message,
    weights: message.terms.map((term) => weights.get(term) ?? 0),
    reach: found.terms.reduce((most, { df }) => Math.max(most, df), 0),
    topic: input.vector && input.topics?.(input.vector),
    rivalries: rivalriesIn(wanted),
    tasks: tasksIn(wanted),
  });
  const vector = input.vector && quantizeOne(input.vector);
  const near = vector ? index.text.nearest(vector, CANDIDATES.meaning) : [];
  const lexical = new Map(found.hits.map(({ doc, score }) => [doc, score]));
  const meaning = new Map(near.map(({ doc, score }) => [doc, score]));
  const closeness = (doc: number) => (vector ? (meaning.get(doc) ?? index.text.similarity(vector, doc)) : 0);
  const encodedNear = input.encoded?.nearest(CANDIDATES.encoded) ?? [];
  const must = [...also, ...encodedNear.map(({ doc }) => doc)];
  const chosen = choose({ lexical: found.hits, near, closeness, also: must, close });
  const lexicalOf = (doc: number) => lexical.get(doc) ?? 0;
  const asCandidates = (docs: readonly number[]): RankCandidate[] => {
    const closestPassages = vector && index.text.closestPassages(vector, docs);
    return docs.map((doc, i) => ({
      id: doc,
      evidence: index.evidence(doc),
      lexical: lexicalOf(doc),
      meaning: closeness(doc),
      sectionMeaning: closestPassages?.[i] ?? 0,
      encoded: input.encoded?.cosine(doc),
    }));
  };
  const frequencies = new Map(found.terms.map(({ term, df }) => [term, df]));
  return {
    probe,
    candidates: asCandidates(chosen),
    candidateOf: (doc) => asCandidates([doc])[0]!,
    skillsWith: (word) =>
      Math.min(...tokenize(word).map((term) => frequencies.get(term) ?? 0), index.text.size),
  };
}

/** The message without what it rejects: "instead of Jira" does not ask for Jira. */
function wantedText(message: string): string {
  const text = clipMessage(message);
  return without(text, refusals(text));
}

/** The documents to examine: all of `also`, the nearest, and the best by words and meaning together. */
function choose(found: {
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
