// Owns how sure the engine is that the best match helps: a logistic over absolute evidence, so that a score of one
// message can be held against a score of another. Does not own the order of candidates (rank.ts).

import type { Measures, Probe } from "./features.ts";

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
} as const;

/** Below this score nothing is shown: keeps 99% of the right matches, and 3% of small talk still speaks. */
export const ABSTAIN_BELOW = 0.3;

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
  return 1 / (1 + Math.exp(-points));
}
