// Owns what a skill's account says about how well it does. Does not own the account (`model/tally.ts`) or what recall
// does with the answer (`recall/`).

import type { SkillName } from "../model/name.ts";
import { decay, HALF_LIFE_MS, type Tally, type TallyBook } from "./tally.ts";

/** How well one version of a skill has done, as recall reads it. */
export interface Effectiveness {
  readonly activations: number;
  readonly successes: number;
  readonly failures: number;
  /** Smoothed and faded share of successes, between 0 and 1; 0.5 when nothing is known. */
  readonly rate: number;
  readonly deprioritised: boolean;
  /** Milliseconds; 0 when never used. Breaks ties in recall. */
  readonly lastUsedAt: number;
}

/** Answers at once, from accounts that were loaded before the turn. */
export interface EffectivenessProvider {
  of(name: SkillName, digest: string): Effectiveness;
}

export const EFFECTIVENESS = {
  /** Fewer activations say too little about a skill. */
  minActivations: 5,
  /** More failures than this share, and other skills go first. */
  failureShare: 0.6,
  /** Once outcomes have faded to less than half of one, the past is forgiven. */
  minEvidence: 0.5,
} as const;

const UNKNOWN: Effectiveness = {
  activations: 0,
  successes: 0,
  failures: 0,
  rate: 0.5,
  deprioritised: false,
  lastUsedAt: 0,
};

export interface EffectivenessOptions {
  readonly now: number;
  readonly halfLifeMs?: number;
}

/** Answers for each skill version from its own account: a rewritten skill starts clean. */
export function effectivenessFrom(tallies: TallyBook, options: EffectivenessOptions): EffectivenessProvider {
  return {
    of(name, digest) {
      const tally = tallies.of(name, digest);
      return tally ? effectivenessOf(tally, options) : UNKNOWN;
    },
  };
}

export function effectivenessOf(tally: Tally, options: EffectivenessOptions): Effectiveness {
  const faded = decay(options.now - tally.weighedAt, options.halfLifeMs ?? HALF_LIFE_MS);
  const successes = tally.weightOfSuccesses * faded;
  const failures = tally.weightOfFailures * faded;
  const evidence = successes + failures;
  return {
    activations: tally.activated,
    successes: tally.successes,
    failures: tally.failures,
    rate: (successes + 1) / (evidence + 2),
    deprioritised:
      tally.activated >= EFFECTIVENESS.minActivations &&
      evidence >= EFFECTIVENESS.minEvidence &&
      failures / evidence > EFFECTIVENESS.failureShare,
    lastUsedAt: tally.lastUsedAt,
  };
}

/** A version's account, then its parent's, and so on back; a circle ends. */
export function lineage(tallies: readonly Tally[], digest: string): readonly Tally[] {
  const byDigest = new Map(tallies.map((tally) => [tally.digest, tally]));
  const line: Tally[] = [];
  for (let at = byDigest.get(digest); at && !line.includes(at); at = byDigest.get(at.parent ?? ""))
    line.push(at);
  return line;
}
