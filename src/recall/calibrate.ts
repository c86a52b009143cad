// Owns how sure the engine is that the best match helps: a logistic over absolute evidence, so that a score of one
// message can be held against a score of another. Does not own the order of candidates (rank.ts).

import type { Probe } from "./features.ts";
import type { Measures } from "./measures.ts";

/** Fitted on real messages against small talk of our own; see evals/README.md. Points of the logistic. */
export const CONFIDENCE = {
  bias: -4.68,
  /** Words found in name and description, in nats, saturating: one rare word or several common ones. */
  head: 1.65,
  /** The same in the best section. */
  section: 1.6,
  /** The message says the skill's name. */
  name: 1.65,
  /** Neighbours found as neighbours in the head. */
  pairs: 1.75,
  /** Closeness in meaning to the description: the only part that a paraphrase has. */
  meaning: 2.13,
  /** Words that carry a topic at all: what people say in passing has one or two. */
  words: 4.47,
} as const;

const HALF = {
  /** Evidence worth half, in units of ln(skills): the larger the library, the easier a chance match. */
  head: 1,
  section: 1.2,
  /** Keeps the unit from vanishing in a library of six. */
  librarySize: 300,
  /** Topic words from which on a message is as wordy as any. */
  words: 6,
  /** Terms from which on a message is long: a sum of word vectors blurs, and no skill holds much of it. +1 Recall@3. */
  terms: 24,
} as const;

/**
 * Evidence that something else was meant: takes points off, each part 0 to 1 between its two numbers. Set by hand, with
 * each number where it costs about half a point of the right matches; see evals/README.md.
 */
const DOUBT = {
  points: 6,
  /** A message with this many terms is long: */
  longFrom: 8,
  longTo: 12,
  /** and what is asked at length shares more than this with the skill that is meant. */
  heldFrom: 0.24,
  heldTo: 0.19,
  /** Unless the meaning is close all the same. */
  strangeMeaningFrom: 0.5,
  strangeMeaningTo: 0.43,
  /** A name of one word that stands in a message by chance ("what is the next prime number"): little else is shared, */
  nameHeldFrom: 0.7,
  nameHeldTo: 0.6,
  /** and the meaning is far. */
  nameMeaningFrom: 0.42,
  nameMeaningTo: 0.37,
} as const;

/** Below this score nothing is shown: keeps 99% of the right matches and six in seven paraphrases; 3% of small talk still speaks. */
export const ABSTAIN_BELOW = 0.28;

/** The evidence for one match, each part 0 to 1, before weights. `meaning` is the cosine with the description. */
export function confidenceParts(probe: Probe, measures: Measures, meaning: number) {
  const unit = Math.log(probe.librarySize + HALF.librarySize);
  return {
    head: measures.headMass / (measures.headMass + HALF.head * unit),
    section: measures.sectionMass / (measures.sectionMass + HALF.section * unit),
    name: measures.nameShare,
    pairs: probe.pairMass > 0 ? measures.headPairs / probe.pairMass : 0,
    meaning: Math.max(0, meaning),
    words: Math.min(1, probe.terms.length / HALF.words),
  };
}

/** The chance that the match helps, 0 to 1. Without any evidence there is none, however long the message. */
export function confidence(probe: Probe, measures: Measures, meaning: number): number {
  if (measures.allMass === 0 && meaning <= 0) return 0;
  const parts = confidenceParts(probe, measures, meaning);
  let points: number = CONFIDENCE.bias;
  for (const [part, value] of Object.entries(parts)) points += CONFIDENCE[part as keyof typeof parts] * value;
  points -= DOUBT.points * doubt(probe, measures, meaning);
  return 1 / (1 + Math.exp(-points));
}

function doubt(probe: Probe, measures: Measures, meaning: number): number {
  const held = heldShare(probe, measures);
  const long = ramp(probe.terms.length, DOUBT.longFrom, DOUBT.longTo);
  const strange =
    long *
    ramp(held, DOUBT.heldFrom, DOUBT.heldTo) *
    ramp(meaning, DOUBT.strangeMeaningFrom, DOUBT.strangeMeaningTo);
  // Without an embedder nothing is known about the meaning.
  if (measures.nameTerms !== 1 || measures.nameShare < 1 || meaning === 0) return strange;
  const byChance =
    ramp(held, DOUBT.nameHeldFrom, DOUBT.nameHeldTo) *
    ramp(meaning, DOUBT.nameMeaningFrom, DOUBT.nameMeaningTo);
  return Math.max(strange, byChance);
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
