// Turns the measures of the best match into a confidence from 0 to 1 that can be compared between messages.

import type { Measures, Probe } from "./features.ts";

/**
 * Two logistic models: `CONFIDENCE` scores words, `PARAPHRASE` meaning. Both were fitted on real messages with the skills
 * that they were written for, against messages of other libraries and small talk (`evals/fit-confidence.ts`,
 * evals/README.md).
 */
export const CONFIDENCE = {
  bias: -3.8,
  /** Words found in name and description, in nats, saturating: one rare word or several common ones. */
  head: 0.5,
  /** The share of the message found in name and description. */
  headShare: 2.7,
  /** The share of the message found in the best single claim. */
  claim: 1.57,
  /** The share of the message found anywhere: distinguishes a message for this library from one for another. */
  all: 2.62,
  /** The message has the skill's name. */
  name: 2.31,
  /** Neighbours found as neighbours in the head, and in the body. */
  pairs: 1.59,
  bodyPairs: 1.87,
  /** Closeness in meaning to the description. */
  meaning: 0.58,
} as const;

/** Weights of meaning alone, for short messages that use other words than the skill. */
export const PARAPHRASE = {
  bias: -4.4,
  meaning: 1.31,
  /** How much closer the match is than other skills: a message for another library is about equally far from all. */
  distinct: 3.76,
  /** A short message can easily share no word with its skill; a long one rarely does. */
  brief: 2.76,
} as const;

const HALF = {
  /** The mass of words in name and description that counts half, in nats: one word that few skills have. */
  head: 12,
  /** Number of terms from which the measures count in full: small talk has one or two. */
  words: 4,
  /** More terms are needed if thousands of skills have one of them, because some skill then has the others by chance. */
  wordsForReach: 0.2,
  /** More terms make a message long: a sum of word vectors blurs, and no skill contains much of it. +1 Recall@3. */
  terms: 24,
  /** Differences of cosines between the match and its neighbour, from not distinct to fully distinct. */
  distinctFrom: 0,
  distinctTo: 0.3,
  /** Numbers of terms up to which a message is fully brief and from which it is not brief at all. */
  briefTo: 6,
  briefFrom: 10,
  /** Numbers of terms between which meaning alone begins to count, and between which it stops counting. */
  meaninglessTo: 2,
  meaningfulFrom: 4,
  fadesFrom: 9,
  fadesTo: 13,
  /** The closeness in meaning that is assumed without an embedder: that of the usual right match. */
  unknownMeaning: 0.4,
} as const;

/** The penalty for a name of one word that is in a message by chance ("what is the next prime number"). */
const BY_CHANCE = {
  points: 6,
  /** Shares of the message in the skill from which and to which the penalty grows. */
  heldFrom: 0.75,
  heldTo: 0.65,
  /** Cosines from which and to which the penalty grows. */
  meaningFrom: 0.41,
  meaningTo: 0.36,
} as const;

/**
 * Below this score nothing is shown. It keeps 98% of the right matches and seven in eight paraphrases; 1 to 3% of small
 * talk and a third of the messages that were written for another library still recall something.
 */
export const ABSTAIN_BELOW = 0.27;

/** How close the best match is in meaning; undefined without an embedder. */
export interface Closeness {
  /** The cosine with the description. */
  readonly meaning: number;
  /** How much closer it is than the skill some places behind the closest. */
  readonly distinct: number;
}

/** The inputs of `CONFIDENCE` for one match, each 0 to 1. */
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

/** The inputs of `PARAPHRASE` for one match, each 0 to 1. */
export function paraphraseParts(probe: Probe, { meaning, distinct }: Closeness) {
  return {
    meaning: Math.max(0, meaning),
    distinct: ramp(distinct, HALF.distinctFrom, HALF.distinctTo),
    brief: ramp(probe.terms.length, HALF.briefFrom, HALF.briefTo),
  };
}

/** The chance that the match helps, 0 to 1; 0 if neither words nor meaning were found. */
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
  // Without an embedder the meaning is unknown.
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

/** The share of the message that the skill contains, raised for long messages, of which no skill contains much. */
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
