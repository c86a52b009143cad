// Owns how sure the engine is that the best match helps: a logistic over absolute evidence, so that a score of one
// message can be held against a score of another. Does not own the order of candidates (rank.ts).

import type { Probe } from "./features.ts";
import type { Measures } from "./measures.ts";

/**
 * Points of two logistics, fitted on real messages among the skills they were written for, against messages of other
 * libraries and small talk (`evals/fit-confidence.ts`, evals/README.md). The one speaks of words that were found;
 */
export const CONFIDENCE = {
  bias: -3.8,
  /** Words found in name and description, in nats, saturating: one rare word or several common ones. */
  head: 0.5,
  /** The share of the message found there, in the best single claim, */
  headShare: 2.7,
  claim: 1.57,
  /** and anywhere: what tells a message of this library from one of another. */
  all: 2.62,
  /** The message says the skill's name. */
  name: 2.31,
  /** Neighbours found as neighbours in the head, and in the body. */
  pairs: 1.59,
  bodyPairs: 1.87,
  /** Closeness in meaning to the description. */
  meaning: 0.58,
} as const;

/** the other of meaning alone, for short messages that put it in other words. */
export const PARAPHRASE = {
  bias: -4.4,
  meaning: 1.31,
  /** How far the match stands out: a message of another library is as far from one skill as from the next. */
  distinct: 3.76,
  /** Few words are easily all missed; of many some would be found. */
  brief: 2.76,
} as const;

const HALF = {
  /** Words found in name and description that are half of what there can be, in nats: one that few skills have. */
  head: 12,
  /** Terms from which on evidence counts in full: what people say in passing has one or two, */
  words: 4,
  /** and of thousands of skills that have such a word, one has the other too. */
  wordsForReach: 0.2,
  /** Terms from which on a message is long: a sum of word vectors blurs, and no skill holds much of it. +1 Recall@3. */
  terms: 24,
  /** How much closer than its neighbour a match has to be to stand out, and to do so in full: differences of cosines. */
  distinctFrom: 0,
  distinctTo: 0.3,
  /** Terms up to which a message is brief, and from which on it is not. */
  briefTo: 6,
  briefFrom: 10,
  /** So few terms have no meaning of their own, from these on they have; beyond the last meaning alone no longer counts. */
  meaninglessTo: 2,
  meaningfulFrom: 4,
  fadesFrom: 9,
  fadesTo: 13,
  /** What is taken for the closeness in meaning where there is no embedder: that of the usual right match. */
  unknownMeaning: 0.4,
} as const;

/** A name of one word that stands in a message by chance ("what is the next prime number") takes points off: */
const BY_CHANCE = {
  points: 6,
  /** little else is shared, */
  heldFrom: 0.75,
  heldTo: 0.65,
  /** and the meaning is far. */
  meaningFrom: 0.41,
  meaningTo: 0.36,
} as const;

/**
 * Below this score nothing is shown: keeps 98% of the right matches and seven in eight paraphrases; 1 to 3% of small talk
 * and one in three messages that were written for another library still speak.
 */
export const ABSTAIN_BELOW = 0.27;

/** How close the best match is in meaning; undefined without an embedder. */
export interface Closeness {
  /** The cosine with the description. */
  readonly meaning: number;
  /** How much closer it is than the skill some places behind the closest. */
  readonly distinct: number;
}

/** The evidence for one match, each part 0 to 1, before weights. */
export function confidenceParts(probe: Probe, measures: Measures, close: Closeness | undefined) {
  const enough = HALF.words + HALF.wordsForReach * Math.log(Math.max(1, probe.reach));
  const words = Math.min(1, probe.terms.length / enough);
  const share = (part: number, whole: number) => (whole > 0 ? words * (part / whole) : 0);
  const ofLong = (part: number, whole: number) => Math.min(1, share(part, whole) / brevityOf(probe));
  return {
    head: (words * measures.headMass) / (measures.headMass + HALF.head),
    headShare: ofLong(measures.headMass, probe.mass),
    claim: ofLong(measures.claim, probe.mass),
    all: share(measures.allMass, probe.mass),
    name: measures.nameShare,
    pairs: share(measures.headPairs, probe.pairMass),
    bodyPairs: ofLong(measures.bodyPairs, probe.pairMass),
    meaning: words * (close ? Math.max(0, close.meaning) : HALF.unknownMeaning),
  };
}

export function paraphraseParts(probe: Probe, { meaning, distinct }: Closeness) {
  return {
    meaning: Math.max(0, meaning),
    distinct: ramp(distinct, HALF.distinctFrom, HALF.distinctTo),
    brief: ramp(probe.terms.length, HALF.briefFrom, HALF.briefTo),
  };
}

/** The chance that the match helps, 0 to 1. Without any evidence there is none, however long the message. */
export function confidence(probe: Probe, measures: Measures, close: Closeness | undefined): number {
  if (measures.allMass === 0 && (close?.meaning ?? 0) <= 0) return 0;
  const chance = byChance(probe, measures, close);
  const points = weighed(CONFIDENCE, confidenceParts(probe, measures, close));
  const byWords = logistic(points - BY_CHANCE.points * chance);
  return Math.max(byWords, close ? (1 - chance) * byMeaning(probe, close) : 0);
}

function byMeaning(probe: Probe, close: Closeness): number {
  const terms = probe.terms.length;
  const counts =
    ramp(terms, HALF.meaninglessTo, HALF.meaningfulFrom) * ramp(terms, HALF.fadesTo, HALF.fadesFrom);
  return counts * logistic(weighed(PARAPHRASE, paraphraseParts(probe, close)));
}

function byChance(probe: Probe, measures: Measures, close: Closeness | undefined): number {
  // Without an embedder nothing is known about the meaning.
  if (measures.nameTerms !== 1 || measures.nameShare < 1 || close === undefined) return 0;
  return (
    ramp(heldShare(probe, measures), BY_CHANCE.heldFrom, BY_CHANCE.heldTo) *
    ramp(close.meaning, BY_CHANCE.meaningFrom, BY_CHANCE.meaningTo)
  );
}

function weighed(
  { bias, ...weights }: Readonly<Record<string, number>> & { readonly bias: number },
  parts: Readonly<Record<string, number>>,
): number {
  let points = bias;
  for (const [part, value] of Object.entries(parts)) points += weights[part]! * value;
  return points;
}

function logistic(points: number): number {
  return 1 / (1 + Math.exp(-points));
}

/**
 * The share of the message that the skill holds. No skill holds much of a long message; what it holds is no accident all
 * the same.
 */
export function heldShare(probe: Probe, measures: Measures): number {
  const most = Math.max(measures.headMass, measures.sectionMass);
  return probe.mass > 0 ? most / probe.mass / brevityOf(probe) : 0;
}

/** 1 for a short message, less and less beyond `HALF.terms` terms. */
export function brevityOf(probe: Probe): number {
  return Math.min(1, HALF.terms / Math.max(1, probe.terms.length));
}

/** 0 at `from` and before it, 1 at `to` and beyond. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}
