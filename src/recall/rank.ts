// Owns the order of candidates: one table of weights over measures, the score in [0, 1], and copies folded into one.
// Does not own retrieval (text/), the measures (features.ts) nor when a score is too low to speak (calibrate.ts).

import { brevityOf, type Closeness, confidence, heldShare } from "./calibrate.ts";
import { likeness, sameName } from "./evidence.ts";
import { Measurer, type Probe } from "./features.ts";
import type { Measures } from "./measures.ts";

export interface Candidate {
  /** The caller's number for the skill; ties go to the lower one. */
  id: number;
  evidence: Uint8Array;
  /** BM25F over all fields. */
  lexical: number;
  /** Cosine of the message with name and description; 0 without an embedder. */
  meaning: number;
  /** Cosine of the message with the closest section. */
  sectionMeaning: number;
}

/**
 * The weights, fitted listwise on real messages with every source left out in turn (evals/README.md has the figures).
 * All are positive: each feature can only speak for a skill, the two in PENALTIES only against it.
 */
export const WEIGHTS = {
  /** BM25F relative to the message's best: the backbone; alone it has Hit@1 65. */
  lexical: 1.95,
  /** Share of the name that the message has. */
  name: 1.85,
  /** Words found in name and description, relative to the best candidate's: +0.5 Recall@3 in small libraries. */
  head: 1.05,
  /** The best single claim of the description, relative to the best candidate's: +2.5 Hit@1 in small libraries. */
  claim: 1.25,
  /** The best section's part of the message, relative to the best candidate's: finds the skill that goes into it. */
  section: 2.1,
  /** The best single heading, likewise. */
  heading: 1,
  /** Share of the message found anywhere in the skill. */
  all: 1.65,
  /** Neighbouring words that stay neighbours in the body. */
  bodyPairs: 1.1,
  /** Closeness in meaning to the description, relative to the closest: decides when words are missing. */
  meaning: 0.9,
  /** And to the closest section. */
  sectionMeaning: 1.15,
} as const;

export type Feature = keyof typeof WEIGHTS;
export const FEATURES = Object.keys(WEIGHTS) as Feature[];

const PENALTIES = {
  /** Part of the name that the message turns down. Set, not fitted: positive messages cannot teach it. */
  refused: 8,
  /** The best clause of what the skill is not for, held against the best claim of all. Set; Hit@1 is the same from 0 to 6. */
  notFor: 6,
} as const;

export const RANKING = {
  /** Words count for nothing while the best skill holds less than this share of a short message, */
  strangeShare: 0.2,
  /** and in full from this share on; between the two, meaning takes over. Paraphrases in the top 3: 27% -> 69%. */
  trustedShare: 0.35,
  /** What meaning gains when no word can be trusted. From 3 to 5 nothing else moves. */
  meaningGain: 4,
  /** The span of cosines from a stranger to the closest skill. */
  meaningSpan: 0.2,
  /** A match stands out as far as it is closer in meaning than the skill in this place, */
  neighbour: 12,
  /** which in a small library is one that the message has nothing to do with. */
  strangeMeaning: 0.12,
  /** A clause of what a skill is not for counts at most this much more than the best claim of all. */
  notForMost: 1.5,
  /** How fast a score falls behind the best: points of the weighted sum for a factor e. */
  fall: 3.4,
  /** Copies: the same name and this likeness, or */
  copyWithName: 0.4,
  /** this likeness under any name. Templates filled in for another product stay below it. */
  copy: 0.97,
  /** Places in which copies are looked for. */
  copyPlaces: 24,
} as const;

export interface Contribution {
  feature: Feature | keyof typeof PENALTIES;
  /** What it adds to (or takes from) the weighted sum. */
  value: number;
}

export interface Ranked {
  id: number;
  /** How sure the engine is that this skill helps with this message, 0 to 1, comparable between messages. */
  score: number;
  /** The weighted sum that orders one message's candidates. */
  points: number;
  contributions: Contribution[];
  /** Copies that this one stands for, best first. */
  duplicates: number[];
}

/** Candidates in order, copies folded, scores calibrated. The same candidates in any order give the same answer. */
export function rank(probe: Probe, candidates: readonly Candidate[]): Ranked[] {
  const measurer = new Measurer(probe);
  const measures = candidates.map((c) => measurer.measure(c.evidence));
  const rows = featureRows(probe, candidates, measures);
  const places = candidates.map((_, i) => i).filter((i) => measures[i]!.turnedDown === 0);
  const points = rows.map((row) => row.reduce((sum, c) => sum + c.value, 0));
  places.sort((a, b) => points[b]! - points[a]! || candidates[a]!.id - candidates[b]!.id);
  const top = places[0];
  if (top === undefined) return [];
  const fit = confidence(probe, measures[top]!, closenessOf(candidates, top));
  return foldCopies(places, candidates).map(({ place, duplicates }) => ({
    id: candidates[place]!.id,
    score: fit * Math.exp((points[place]! - points[top]!) / RANKING.fall),
    points: points[place]!,
    contributions: rows[place]!.filter((c) => c.value !== 0),
    duplicates,
  }));
}

/** How close a candidate is, and how far it stands out; undefined without an embedder, where none is close to anything. */
export function closenessOf(candidates: readonly Candidate[], place: number): Closeness | undefined {
  if (candidates.every(({ meaning }) => meaning === 0)) return undefined;
  const descending = candidates.map((c) => c.meaning).sort((a, b) => b - a);
  const neighbour = Math.max(RANKING.strangeMeaning, descending[RANKING.neighbour - 1] ?? 0);
  const { meaning } = candidates[place]!;
  return { meaning, distinct: meaning - neighbour };
}

/** Every feature of every candidate, weighed. */
export function featureRows(
  probe: Probe,
  candidates: readonly Candidate[],
  measures: readonly Measures[],
): Contribution[][] {
  const raw = rawFeatures(probe, candidates, measures);
  const trust = wordTrust(probe, measures);
  const gain = 1 + RANKING.meaningGain * (1 - trust);
  const bestClaim = largest(measures, (m) => m.claim);
  return raw.map((values, i) => {
    const row: Contribution[] = FEATURES.map((feature) => {
      const factor = feature === "meaning" || feature === "sectionMeaning" ? gain : trust;
      return { feature, value: WEIGHTS[feature] * factor * values[feature] };
    });
    const { nameRefused, notFor } = measures[i]!;
    row.push({ feature: "refused", value: -PENALTIES.refused * nameRefused });
    const against = Math.min(RANKING.notForMost, share(notFor, bestClaim));
    row.push({ feature: "notFor", value: -PENALTIES.notFor * against });
    return row;
  });
}

/** Features as they are fitted: before weights, each about 0 to 1. */
export function rawFeatures(
  probe: Probe,
  candidates: readonly Candidate[],
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
    };
  });
}

/** 1 for the closest, less for the others, 0 without an embedder. That none is a stranger's distance away is no merit. */
function nearness(cosines: readonly number[]): number[] {
  if (cosines.every((cosine) => cosine === 0)) return cosines.map(() => 0);
  const closest = Math.max(RANKING.strangeMeaning, ...cosines);
  return cosines.map((cosine) => Math.max(0, 1 - (closest - cosine) / RANKING.meaningSpan));
}

/** How far words can be trusted for this message: 1 when some skill holds a good share of it, 0 when none does. */
export function wordTrust(probe: Probe, measures: readonly Measures[]): number {
  const held = largest(measures, (m) => heldShare(probe, m));
  const { strangeShare, trustedShare } = RANKING;
  return Math.min(1, Math.max(0, (held - strangeShare) / (trustedShare - strangeShare)));
}

function foldCopies(places: readonly number[], candidates: readonly Candidate[]) {
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

/** True when two skills say the same: one under two roofs, or a copy with small changes. */
export function isCopy(a: Uint8Array, b: Uint8Array): boolean {
  const alike = likeness(a, b);
  return alike >= RANKING.copy || (alike >= RANKING.copyWithName && sameName(a, b));
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

function largest<T>(items: readonly T[], value: (item: T) => number): number {
  let most = 0;
  for (const item of items) most = Math.max(most, value(item));
  return most;
}
