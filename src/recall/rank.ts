// Orders the candidates of a message by weighted features, scores them from 0 to 1, and folds copies into one.

import { brevityOf, type Closeness, fitOf, heldShare, type Standing } from "./calibrate.ts";
import { sameName, sharePairs } from "./evidence.ts";
import type { Measures } from "./features.ts";
import { Measurer, type Probe } from "./features.ts";
import type { IntentGuess } from "./intent.ts";

export interface RankCandidate {
  /** The caller's number for the skill; ties go to the lower one. */
  id: number;
  evidence: Uint8Array;
  /** BM25F over all fields. */
  lexical: number;
  /** Cosine of the message with name and description; 0 without an embedder. */
  meaning: number;
  /** Cosine of the message with the closest section. */
  sectionMeaning: number;
  /** Cosine by a trained encoder; undefined without one. */
  encoded?: number | undefined;
}

/**
 * The weights of features, fitted listwise on real messages and on written ones that share few words with their skill, pulled towards
 * the weights that real messages alone gave (figures: evals/README.md).
 * All are positive: only the `PENALTIES` lower the score of a skill.
 */
const WEIGHTS = {
  /** BM25F relative to the best candidate's; alone it reaches Hit@1 65. */
  lexical: 1.95,
  /** Share of the name that the message has. */
  name: 1.7,
  /** Words found in name and description, relative to the best candidate's: a paraphrase shares its few words with other skills. */
  head: 0.3,
  /** The best single claim of the description, relative to the best candidate's. */
  claim: 0.5,
  /** The words found in the best section, relative to the best candidate's: prefers the skill that goes into detail. */
  section: 2.05,
  /** The best single heading, relative to the best candidate's. */
  heading: 0.5,
  /** Share of the message found anywhere in the skill. */
  all: 1.75,
  /** Neighbouring words that stay neighbours in the body. */
  bodyPairs: 1.2,
  /** Closeness in meaning to the description, relative to the closest: decides when words are missing. */
  meaning: 0.75,
  /** Closeness in meaning to the closest section. */
  sectionMeaning: 1.05,
} as const;

type Feature = keyof typeof WEIGHTS | "encoded";
export const FEATURES = [...Object.keys(WEIGHTS), "encoded"] as Feature[];

/** The weights with a trained encoder, fitted on messages that it was not trained on. */
const ENCODED_WEIGHTS: Readonly<Record<Feature, number>> = {
  lexical: 1.5,
  name: 1.6,
  head: 0.2,
  claim: 0.2,
  section: 1.75,
  heading: 0.2,
  all: 1.6,
  bodyPairs: 1.15,
  meaning: 0.7,
  sectionMeaning: 1.4,
  /** Closeness by the encoder, relative to the closest: +6 Hit@1 in small libraries of everyday messages; 5 to 7 are alike. */
  encoded: 6.5,
};

const PENALTIES = {
  /** Share of the name that the message rejects. Set by hand, because it cannot be fitted on positive messages. */
  refused: 8,
  /** The message only points at something that has the skill's name. Set by hand, like the others. */
  pointed: 8,
  /** The message names another product for the same job. Set by hand. */
  rival: 4,
  /** The message asks for a task that name and description say nothing of: one that does it comes first. Set by hand. */
  otherTask: 2,
  /** The best clause of what the skill is not for, relative to the best claim. Set by hand; Hit@1 is the same from 0 to 6. */
  notFor: 6,
} as const;

export const RANKING = {
  /** Words do not count if the best skill contains less than this share of a short message. */
  strangeShare: 0.2,
  /** Words count in full from this share on; below it, meaning counts more. Paraphrases in the top 3: 27% -> 69%. */
  trustedShare: 0.35,
  /** How much more meaning counts if words do not count. Between 3 and 5 nothing else changes. */
  meaningGain: 4,
  /** The span of cosines between an unrelated skill and the closest one. */
  meaningSpan: 0.2,
  /** The span of cosines by the encoder between a skill that has nothing to do with the message and the closest. */
  encodedSpan: 0.4,
  /** The place of the skill with which a match is compared to see how distinct it is in meaning. */
  neighbour: 12,
  /** The cosine of an unrelated skill, used if the library has no skill in that place. */
  strangeMeaning: 0.12,
  /** The same by the encoder. */
  strangeEncoded: 0.15,
  /** The cosine that some skill of an ordinary library has with any message. */
  ordinaryMeaning: 0.2,
  /** A clause of what a skill is not for counts at most this many times the best claim. */
  notForMost: 1.5,
  /** Points of the runner-up at least: in a library of twenty skills some skill has that many for any message. */
  runnerUp: 5.5,
  /** The same with an encoder. */
  runnerUpEncoded: 8,
  /** A skill with fewer points has at most this share of the score of a better one, so that other ties do not decide. */
  behind: 1 - 1e-6,
  /** Skills with the same name are copies from this share of common word pairs on. */
  copyWithName: 0.4,
  /** Skills with different names are copies from this share on. Templates filled in for another product stay below it. */
  copy: 0.97,
  /** Copies are searched among this many best skills. */
  copyPlaces: 24,
} as const;

export interface Contribution {
  feature: Feature | keyof typeof PENALTIES;
  /** Its part of the weighted sum; negative for a penalty. */
  value: number;
}

export interface Ranked {
  id: number;
  /** How likely the skill serves the message, 0 to 1, comparable between messages; above that of a better place only if that one is doubted. */
  score: number;
  /** The weighted sum that orders one message's candidates. */
  points: number;
  contributions: Contribution[];
  /** Copies of this skill, best first. */
  duplicates: number[];
}

/**
 * Orders candidates, folds copies and calibrates scores. The result does not depend on the order of `candidates`. Without
 * an intent the message is taken as a request for work.
 */
export function rank(
  probe: Probe,
  candidates: readonly RankCandidate[],
  intent?: IntentGuess | undefined,
): Ranked[] {
  const { measures, points, rows, kept, runnerUp } = ordered(probe, candidates);
  const inOrder = kept.map(({ place }) => points[place]!);
  const closeness = closenessAmong(candidates);
  let most = 1;
  return kept.map(({ place, duplicates }, k) => {
    const close = closeness(place);
    const standing = standingOf(inOrder, k, runnerUp);
    const fit = fitOf(probe, { measures: measures[place]!, close, standing }, intent);
    const isTie = k === 0 || inOrder[k] === inOrder[k - 1];
    most = Math.min(isTie ? most : most * RANKING.behind, fit.undoubted);
    return {
      id: candidates[place]!.id,
      score: Math.min(most, fit.score),
      points: points[place]!,
      contributions: rows[place]!.filter((c) => c.value !== 0),
      duplicates,
    };
  });
}

/** How well one of the candidates fits a message that asks for work, whichever candidate is best. */
export function fitAlone(probe: Probe, candidates: readonly RankCandidate[], place: number): number {
  const measures = new Measurer(probe).measure(candidates[place]!.evidence);
  const close = closenessAmong(candidates)(place);
  return fitOf(probe, { measures, close, standing: { gap: 0, margin: 0 } }, undefined).score;
}

/** The candidates in order of points, copies folded, with what was measured. */
export function ordered(probe: Probe, candidates: readonly RankCandidate[]) {
  const measurer = new Measurer(probe);
  const measures = candidates.map((c) => measurer.measure(c.evidence));
  const rows = featureRows(probe, candidates, measures);
  const places = candidates.map((_, i) => i).filter((i) => measures[i]!.rejected === 0);
  const points = rows.map((row) => row.reduce((sum, c) => sum + c.value, 0));
  places.sort((a, b) => points[b]! - points[a]! || candidates[a]!.id - candidates[b]!.id);
  const runnerUp = imaginedPoints(probe, candidates, measures);
  return { measures, points, rows, kept: foldCopies(places, candidates), runnerUp };
}

/** The points that the second skill of an ordinary library has at least; so a library of two skills is not surer. */
function imaginedPoints(
  probe: Probe,
  candidates: readonly RankCandidate[],
  measures: readonly Measures[],
): number {
  if (isEncoded(candidates)) return RANKING.runnerUpEncoded;
  const gain = gainOf(wordTrust(probe, measures), candidates);
  const near = (cosines: readonly number[]) => nearness([...cosines, RANKING.ordinaryMeaning]).at(-1)!;
  const byMeaning =
    WEIGHTS.meaning * near(candidates.map((c) => c.meaning)) +
    WEIGHTS.sectionMeaning * near(candidates.map((c) => c.sectionMeaning));
  return Math.max(RANKING.runnerUp, gain * brevityOf(probe) * byMeaning);
}

export function standingOf(points: readonly number[], place: number, runnerUp: number): Standing {
  return place === 0
    ? { gap: 0, margin: Math.max(0, points[0]! - Math.max(runnerUp, points[1] ?? 0)) }
    : { gap: points[0]! - points[place]!, margin: 0 };
}

/** How close and how distinct the candidate at a place is in meaning; undefined without an embedder. */
export function closenessAmong(
  candidates: readonly RankCandidate[],
): (place: number) => Closeness | undefined {
  if (candidates.every(({ meaning, encoded = 0 }) => meaning === 0 && encoded === 0)) return () => undefined;
  const neighbour = neighbourOf(
    candidates.map((c) => c.meaning),
    RANKING.strangeMeaning,
  );
  const encodedNeighbour = neighbourOf(
    candidates.map((c) => c.encoded ?? 0),
    RANKING.strangeEncoded,
  );
  return (place) => {
    const { meaning, encoded } = candidates[place]!;
    return {
      meaning,
      distinct: meaning - neighbour,
      encodedDistinct: encoded === undefined ? undefined : encoded - encodedNeighbour,
    };
  };
}

/** The cosine of the skill with which a match is compared, at least that of an unrelated one. */
function neighbourOf(cosines: readonly number[], least: number): number {
  const descending = cosines.toSorted((a, b) => b - a);
  return Math.max(least, descending[RANKING.neighbour - 1] ?? 0);
}

/** Every feature of every candidate, weighted. */
export function featureRows(
  probe: Probe,
  candidates: readonly RankCandidate[],
  measures: readonly Measures[],
): Contribution[][] {
  const raw = rawFeatures(probe, candidates, measures);
  const weights: Readonly<Record<Feature, number>> = isEncoded(candidates)
    ? ENCODED_WEIGHTS
    : { ...WEIGHTS, encoded: 0 };
  const trust = wordTrust(probe, measures);
  const gain = gainOf(trust, candidates);
  const bestClaim = largest(measures, (m) => m.claim);
  return raw.map((values, i) => {
    const row: Contribution[] = FEATURES.map((feature) => {
      return { feature, value: weights[feature] * factorOf(feature, { trust, gain }) * values[feature] };
    });
    const { nameRefused, pointed, rival, otherTask, notFor } = measures[i]!;
    row.push({ feature: "refused", value: -PENALTIES.refused * nameRefused });
    row.push({ feature: "pointed", value: -PENALTIES.pointed * pointed });
    row.push({ feature: "rival", value: -PENALTIES.rival * rival });
    row.push({ feature: "otherTask", value: -PENALTIES.otherTask * otherTask });
    const against = Math.min(RANKING.notForMost, share(notFor, bestClaim));
    row.push({ feature: "notFor", value: -PENALTIES.notFor * against });
    return row;
  });
}

/** Static meaning counts more if words do not; with an encoder, that takes over instead. */
export function gainOf(trust: number, candidates: readonly RankCandidate[]): number {
  return isEncoded(candidates) ? 1 : 1 + RANKING.meaningGain * (1 - trust);
}

/** Words count as far as the message's words are trusted, static meaning the more the less they are. */
export function factorOf(feature: Feature, { trust, gain }: { trust: number; gain: number }): number {
  if (feature === "encoded") return 1;
  return feature === "meaning" || feature === "sectionMeaning" ? gain : trust;
}

const isEncoded = (candidates: readonly RankCandidate[]) =>
  candidates.some(({ encoded }) => encoded !== undefined);

/** The features before weights, each about 0 to 1. */
export function rawFeatures(
  probe: Probe,
  candidates: readonly RankCandidate[],
  measures: readonly Measures[],
): Record<Feature, number>[] {
  const best = {
    lexical: largest(candidates, (c) => c.lexical),
    head: largest(measures, (m) => m.headMass),
    claim: largest(measures, (m) => m.claim),
    section: largest(measures, (m) => m.section),
    heading: largest(measures, (m) => m.heading),
  };
  const brevity = brevityOf(probe);
  const meaning = nearness(candidates.map((c) => c.meaning));
  const sectionMeaning = nearness(candidates.map((c) => c.sectionMeaning));
  const closest = largest(candidates, (c) => c.encoded ?? 0);
  const encoded = candidates.map((c) =>
    c.encoded === undefined ? 0 : Math.max(0, 1 - (closest - c.encoded) / RANKING.encodedSpan),
  );
  return candidates.map((candidate, i) => {
    const m = measures[i]!;
    return {
      lexical: share(candidate.lexical, best.lexical),
      name: m.nameShare,
      head: share(m.headMass, best.head),
      claim: share(m.claim, best.claim),
      section: share(m.section, best.section),
      heading: share(m.heading, best.heading),
      all: share(m.allMass, probe.mass),
      bodyPairs: share(m.bodyPairs, probe.pairMass),
      meaning: brevity * meaning[i]!,
      sectionMeaning: brevity * sectionMeaning[i]!,
      encoded: encoded[i]!,
    };
  });
}

/** 1 for the closest, less for the others, 0 for those that are unrelated and without an embedder. */
function nearness(cosines: readonly number[]): number[] {
  if (cosines.every((cosine) => cosine === 0)) return cosines.map(() => 0);
  const closest = Math.max(RANKING.strangeMeaning, ...cosines);
  return cosines.map((cosine) =>
    cosine < RANKING.strangeMeaning ? 0 : Math.max(0, 1 - (closest - cosine) / RANKING.meaningSpan),
  );
}

/** How much words count for this message: 1 if some skill contains a good share of it, 0 if none does. */
export function wordTrust(probe: Probe, measures: readonly Measures[]): number {
  const held = largest(measures, (m) => heldShare(probe, m));
  const { strangeShare, trustedShare } = RANKING;
  return Math.min(1, Math.max(0, (held - strangeShare) / (trustedShare - strangeShare)));
}

function foldCopies(places: readonly number[], candidates: readonly RankCandidate[]) {
  const kept: Array<{ place: number; duplicates: number[] }> = [];
  places.forEach((place, position) => {
    const evidence = candidates[place]!.evidence;
    const original =
      position < RANKING.copyPlaces
        ? kept.find((other) => isCopy(candidates[other.place]!.evidence, evidence))
        : undefined;
    if (original === undefined) kept.push({ place, duplicates: [] });
    else original.duplicates.push(candidates[place]!.id);
  });
  return kept;
}

/** Whether one skill is a copy of the other, perhaps with small changes. */
function isCopy(a: Uint8Array, b: Uint8Array): boolean {
  return sharePairs(a, b, sameName(a, b) ? RANKING.copyWithName : RANKING.copy);
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

function largest<T>(items: readonly T[], value: (item: T) => number): number {
  let most = 0;
  for (const item of items) most = Math.max(most, value(item));
  return most;
}
