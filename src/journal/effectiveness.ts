// Computes from a tally how well a skill version does, for recall and for statistics.

import type { SkillName } from "../model/name.ts";
import { decay, HALF_LIFE_MS, type Tally, type TallyBook } from "./tally.ts";

/** How well one version of a skill has done, as recall reads it. */
interface Effectiveness {
  readonly activations: number;
  readonly successes: number;
  readonly failures: number;
  /** Smoothed and faded share of successes, between 0 and 1; 0.5 when nothing is known. */
  readonly rate: number;
  readonly deprioritised: boolean;
  /** Milliseconds; 0 when never used. Breaks ties in recall. */
  readonly lastUsedAt: number;
}

export interface EffectivenessProvider {
  of(name: SkillName, digest: string): Effectiveness;
}

const EFFECTIVENESS = {
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
  readonly halfLifeMs?: number | undefined;
}

/** Looks up each skill version by its own tally: a rewritten skill starts clean. */
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
