// Turns what is known about a candidate into a score from 0 to 1 that can be compared between messages: how likely the
// skill serves the message, with two questions kept apart: does the message ask for work, and does this skill fit it.

import type { Measures, Probe } from "./features.ts";
import type { IntentGuess } from "./intent.ts";

/**
 * A logistic model over the inputs below, fitted on real and on written messages in small and large libraries, against small talk,
 * messages that need nothing, messages of other libraries and messages on the topic of a skill that must not get it
 * (`evals/fit-confidence.ts`, evals/README.md). Inputs are about 0 to 1 unless their comment says otherwise.
 */
const FIT = {
  /** Shifts the fitted bias so that the best threshold by expected value is `ABSTAIN_BELOW`. */
  bias: -1.65,
  /** Words found in name and description, in nats, saturating: one rare word or several common ones. */
  head: -1.44,
  /** The share of the message found in name and description, if it is nearly all of it: short requests are like that. */
  covered: 1.17,
  /** The share of the message found in name and description. */
  headShare: -0.26,
  /** The share of the message found in the best single claim. */
  claim: -0.2,
  /** The share of the message found anywhere: distinguishes a message for this library from one for another. */
  all: 0.78,
  /** The message has the whole name, but the skill little else of it. */
  alone: -2.4,
  /** Neighbours found as neighbours in the head, and in the body. */
  pairs: 1.15,
  bodyPairs: 0.43,
  /** Closeness in meaning to the description. */
  meaning: 0.23,
  /** How much closer in meaning the skill is than others: a message for another library is about equally far from all. */
  distinct: 1.05,
  /** A short message says little, so that much of it is found by chance. */
  brief: -1.14,
  /** Points behind the best candidate, 0 to 8. */
  gap: -0.33,
  /** For the best candidate: points ahead of the next one, 0 to 4. */
  margin: 0.35,
  /** Not the best candidate. */
  follower: -0.35,
  /**
   * How surely the message does not ask for work, in units of 2 nats: doubt counts more than certainty. Fitted -1.8, set by hand, as sets
   * by strangers have more questions about a skill's subject than the sets it is fitted on.
   */
  idle: -2,
  /** Number of terms, up to three: small talk has one or two. */
  words: 0.83,
  /** The rarity of the rarest word found, in units of 12 nats: one word of a trade says more than ten of every day. */
  rarest: 1.99,
  /** How much closer the message is to what skills in general are about than to this skill: it asks for another one. */
  elsewhere: -4.25,
  /** How common the commonest term is among the skills. */
  reach: -0.23,
  /** A one-word name that is in the message by chance. Set by hand: too few messages of the sets have one. */
  byChance: -4,
  /** The message only points at something that has the skill's name. Set by hand too. */
  pointed: -5,
  /** The message names another product for the same job. Set by hand too. */
  rival: -6,
  /** The message asks for a task that name and description say nothing of. Set by hand too: two right answers in 600 have it. */
  otherTask: -6,
  /**
   * For the best candidate: name and description have hardly more of the message than some words of the name, as "the logo is 4px
   * too far left" of a skill that makes logos. Set by hand on negatives; from -3 on right answers are lost.
   */
  byName: -1.9,
  /** Without an encoder there is none. */
  encodedDistinct: 0,
} as const;

type Input = Exclude<keyof typeof FIT, "bias">;
export const FIT_INPUTS = Object.keys(FIT).filter((key) => key !== "bias") as Input[];

/** The same with a trained encoder, fitted on messages that it was not trained on: it replaces much of what words say. */
const FIT_ENCODED: Readonly<Record<Input | "bias", number>> = {
  bias: -1.8,
  head: -1.02,
  covered: 1.71,
  headShare: -1.44,
  claim: -1,
  all: 0.02,
  alone: -1.47,
  pairs: 0.94,
  bodyPairs: 0.86,
  meaning: 0.7,
  distinct: -0.16,
  brief: -1.23,
  gap: -0.5,
  margin: 0.37,
  follower: -0.24,
  idle: -1.75,
  words: 1.47,
  rarest: 1.39,
  elsewhere: -3.71,
  reach: -0.23,
  byChance: FIT.byChance,
  pointed: FIT.pointed,
  rival: FIT.rival,
  otherTask: FIT.otherTask,
  byName: FIT.byName,
  /** How much closer the skill is than others by the encoder. The cosine itself adds nothing to that. */
  encodedDistinct: 3.14,
};

/** A skill that ships with Repertoire needs this much more evidence, in nats: what people installed comes first. */
export const BUNDLED_DOUBT = 2.5;

/**
 * Below this score nothing is shown. A line that nobody needed costs a model some forty tokens; a skill that was not shown
 * costs the task. The curve of both is in evals/README.md.
 */
export const ABSTAIN_BELOW = 0.27;

const SPAN = {
  /** The mass of words in name and description that counts half, in nats: one word that few skills have. */
  head: 12,
  /** The mass of words besides the name that says anything, in nats: two common words. */
  rest: 8,
  /** Shares of the message in the description besides the name's words: that of a chance word, and one that says what is asked. */
  besidesFrom: 0.05,
  besidesTo: 0.3,
  /** Number of terms from which the measures count in full: small talk has one or two. */
  words: 4,
  /** The share of a message from which on it counts as covered. */
  coveredFrom: 0.8,
  /** Number of terms from which a message is long enough to need a skill. */
  fewWords: 3,
  /** More terms are needed if thousands of skills have one of them, because some skill then has the others by chance. */
  wordsForReach: 0.2,
  /** More terms make a message long: a sum of word vectors blurs, and no skill contains much of it. +1 Recall@3. */
  terms: 24,
  /** The difference of cosines between the skill and its neighbour that is fully distinct. */
  distinct: 0.3,
  /** The same difference by the encoder. */
  encodedDistinct: 0.4,
  /** Numbers of terms up to which a message is fully brief and from which it is not brief at all. */
  briefTo: 6,
  briefFrom: 10,
  /** Points behind the best, and ahead of the next, beyond which more changes nothing. */
  gap: 8,
  margin: 4,
  /** Chances of an intent are taken as at least this, and as at most one minus this. */
  chance: 1e-3,
  /** The closeness in meaning that is assumed without an embedder: that of the usual right match. */
  unknownMeaning: 0.4,
  /** How much closer a topic is than the usual right match, if that is not known. */
  unknownElsewhere: 0,
  /** The rarity that counts as 1, in nats: a word that no other skill has. */
  rarest: 12,
} as const;

/** When a name of one word counts as being in a message by chance ("what is the next prime number"). */
const BY_CHANCE = {
  /** Shares of the message in the skill from which and to which the doubt grows. */
  heldFrom: 0.75,
  heldTo: 0.65,
  /** Cosines from which and to which the doubt grows. */
  meaningFrom: 0.41,
  meaningTo: 0.36,
} as const;

/** How close a candidate is in meaning; undefined without an embedder. */
export interface Closeness {
  /** The cosine with the description. */
  readonly meaning: number;
  /** How much closer it is than the skill some places behind the closest. */
  readonly distinct: number;
  /** The same by a trained encoder; undefined without one. */
  readonly encodedDistinct?: number | undefined;
}

/** A candidate's place among the others. */
export interface Standing {
  /** Points behind the best candidate; 0 for the best. */
  readonly gap: number;
  /** Points of the best candidate ahead of the next; 0 for the others. */
  readonly margin: number;
}

interface Candidate {
  readonly measures: Measures;
  readonly close: Closeness | undefined;
  readonly standing: Standing;
}

/** The inputs of `FIT` for one candidate. Without an intent the message is taken as work. */
export function fitInputs(
  probe: Probe,
  { measures, close, standing }: Candidate,
  intent: IntentGuess | undefined,
): Record<Input, number> {
  const enough = SPAN.words + SPAN.wordsForReach * Math.log(Math.max(1, probe.reach));
  const words = Math.min(1, probe.terms.length / enough);
  const share = (part: number, whole: number) => (whole > 0 ? words * (part / whole) : 0);
  const ofLong = (part: number, whole: number) => Math.min(1, share(part, whole) / brevityOf(probe));
  return {
    head: (words * measures.headMass) / (measures.headMass + SPAN.head),
    covered: probe.mass > 0 ? ramp(measures.headMass / probe.mass, SPAN.coveredFrom, 1) : 0,
    headShare: ofLong(measures.headMass, probe.mass),
    claim: ofLong(measures.claim, probe.mass),
    all: share(measures.allMass, probe.mass),
    alone: alone(probe, measures),
    pairs: share(measures.headPairs, probe.pairMass),
    bodyPairs: ofLong(measures.bodyPairs, probe.pairMass),
    meaning: words * (close ? Math.max(0, close.meaning) : SPAN.unknownMeaning),
    distinct: ramp(close?.distinct ?? 0, 0, SPAN.distinct),
    brief: ramp(probe.terms.length, SPAN.briefFrom, SPAN.briefTo),
    gap: Math.min(standing.gap, SPAN.gap),
    margin: Math.min(standing.margin, SPAN.margin),
    follower: Number(standing.gap > 0),
    idle: Math.max(0, -logOdds(intent?.chances.work ?? 1)) / 2,
    words: Math.min(1, probe.terms.length / SPAN.fewWords),
    rarest: measures.rarest / SPAN.rarest,
    elsewhere: close && probe.topic !== undefined ? probe.topic - close.meaning : SPAN.unknownElsewhere,
    reach: Math.log(Math.max(1, probe.reach)) / 8,
    byChance: byChance(probe, measures, close),
    pointed: measures.pointed,
    rival: measures.rival,
    otherTask: measures.otherTask,
    byName: standing.gap > 0 ? 0 : byName(probe, measures),
    encodedDistinct: ramp(close?.encodedDistinct ?? 0, 0, SPAN.encodedDistinct),
  };
}

/** The weights without and with a trained encoder. */
export function fitWeights(isEncoded: boolean): Readonly<Record<Input | "bias", number>> {
  return isEncoded ? FIT_ENCODED : FIT;
}

/** The inputs that lower the score of one candidate only. */
const DOUBTS: ReadonlySet<Input> = new Set(["alone", "byChance", "pointed", "rival", "otherTask"]);

interface Fit {
  /** The score of a candidate, 0 to 1; 0 if neither words nor meaning were found. */
  readonly score: number;
  /** The score without `DOUBTS`: no worse candidate scores more. */
  readonly undoubted: number;
}

export function fitOf(probe: Probe, candidate: Candidate, intent: IntentGuess | undefined): Fit {
  if (candidate.measures.allMass === 0 && (candidate.close?.meaning ?? 0) <= 0)
    return { score: 0, undoubted: 0 };
  const inputs = fitInputs(probe, candidate, intent);
  const weights = fitWeights(candidate.close?.encodedDistinct !== undefined);
  let points: number = weights.bias;
  let doubts = 0;
  for (const input of FIT_INPUTS) {
    const part = weights[input] * inputs[input];
    points += part;
    if (DOUBTS.has(input)) doubts += part;
  }
  return { score: 1 / (1 + Math.exp(-points)), undoubted: 1 / (1 + Math.exp(doubts - points)) };
}

function logOdds(chance: number): number {
  const bounded = Math.min(1 - SPAN.chance, Math.max(SPAN.chance, chance));
  return Math.log(bounded / (1 - bounded));
}

function byChance(probe: Probe, measures: Measures, close: Closeness | undefined): number {
  // Without an embedder the meaning is unknown.
  if (measures.nameTerms !== 1 || measures.nameShare < 1 || close === undefined) return 0;
  return (
    ramp(heldShare(probe, measures), BY_CHANCE.heldFrom, BY_CHANCE.heldTo) *
    ramp(close.meaning, BY_CHANCE.meaningFrom, BY_CHANCE.meaningTo)
  );
}

/** The share of the name's words in what name and description have of a message, if they have little besides. */
function byName(probe: Probe, { nameShare, nameMass, headMass }: Measures): number {
  // The whole name is what `alone` judges.
  if (headMass <= 0 || nameShare >= 1) return 0;
  const besides = (headMass - nameMass) / (probe.mass * brevityOf(probe));
  return (nameMass / headMass) * ramp(besides, SPAN.besidesTo, SPAN.besidesFrom);
}

/** How much of a message that has the whole name is missing from the skill, besides the name; 0 if there is nothing else. */
function alone(probe: Probe, { nameShare, nameMass, headMass, sectionMass }: Measures): number {
  const rest = probe.mass - nameMass;
  if (nameShare < 1 || rest < SPAN.rest) return 0;
  return 1 - Math.min(1, (Math.max(headMass, sectionMass) - nameMass) / (rest * brevityOf(probe)));
}

/** The share of the message that the skill contains, raised for long messages, of which no skill contains much. */
export function heldShare(probe: Probe, measures: Measures): number {
  const most = Math.max(measures.headMass, measures.sectionMass);
  return probe.mass > 0 ? most / probe.mass / brevityOf(probe) : 0;
}

/** 1 for a short message, less and less beyond `SPAN.terms` terms. */
export function brevityOf(probe: Probe): number {
  return Math.min(1, SPAN.terms / Math.max(1, probe.terms.length));
}

/** 0 at `from` and before it, 1 at `to` and beyond. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}
