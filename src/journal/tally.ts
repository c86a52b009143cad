// Owns the running account of one skill version: how a journal event changes it, and how outcomes fade.
// Does not own what the account means for recall: `learn/effectiveness.ts` does.

import type { SkillName } from "../model/name.ts";
import { type NewEvent, type Outcome, USE_KINDS } from "./events.ts";

/** Counts of one skill with one content. `weight…` are outcomes as they weigh at `weighedAt`. */
export interface Tally {
  readonly name: SkillName;
  /** Empty where the host did not say which content it used. */
  readonly digest: string;
  /** The content that this one replaced. */
  readonly parent?: string;
  readonly recalled: number;
  readonly shown: number;
  readonly activated: number;
  readonly successes: number;
  readonly failures: number;
  readonly neutrals: number;
  readonly weightOfSuccesses: number;
  readonly weightOfFailures: number;
  readonly weighedAt: number;
  /** 0 when never used. */
  readonly lastUsedAt: number;
}

/** Tallies to be looked up one at a time. */
export interface TallyBook {
  of(name: SkillName, digest: string): Tally | undefined;
}

export function tallyKey(name: SkillName, digest: string): string {
  return `${name}\n${digest}`;
}

export function tallyBook(tallies: readonly Tally[]): TallyBook {
  const byKey = new Map(tallies.map((tally) => [tallyKey(tally.name, tally.digest), tally]));
  return { of: (name, digest) => byKey.get(tallyKey(name, digest)) };
}

/** Half of an outcome's weight is gone after a month: long enough to learn from rare skills, short enough to forgive. */
export const HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1000;

export function emptyTally(name: SkillName, digest: string): Tally {
  return {
    name,
    digest,
    recalled: 0,
    shown: 0,
    activated: 0,
    successes: 0,
    failures: 0,
    neutrals: 0,
    weightOfSuccesses: 0,
    weightOfFailures: 0,
    weighedAt: 0,
    lastUsedAt: 0,
  };
}

/** What is left of a weight after some time. Time that runs backwards takes nothing away. */
export function decay(elapsedMs: number, halfLifeMs: number): number {
  return elapsedMs <= 0 ? 1 : 2 ** (-elapsedMs / halfLifeMs);
}

/** An outcome that was recorded earlier for the same skill in the same turn, and is now overruled. */
export interface EarlierOutcome {
  readonly result: Outcome;
  readonly at: number;
}

export interface TallyOptions {
  readonly halfLifeMs: number;
  readonly earlier?: EarlierOutcome | undefined;
}

/** The account after one more event of this skill version. */
export function tallied(tally: Tally, event: NewEvent, options: TallyOptions): Tally {
  const lastUsedAt = USE_KINDS.has(event.kind) ? Math.max(tally.lastUsedAt, event.at) : tally.lastUsedAt;
  switch (event.kind) {
    case "recalled":
      return { ...tally, recalled: tally.recalled + 1 };
    case "shown":
      return { ...tally, shown: tally.shown + 1 };
    case "activated":
      return { ...tally, activated: tally.activated + 1, lastUsedAt };
    case "edited":
      return event.details.parent === undefined ? tally : { ...tally, parent: event.details.parent };
    case "outcome":
      return withOutcome(tally, { result: event.details.result, at: event.at }, options);
    default:
      return lastUsedAt === tally.lastUsedAt ? tally : { ...tally, lastUsedAt };
  }
}

const COUNT_OF = { success: "successes", failure: "failures", neutral: "neutrals" } as const;

function withOutcome(tally: Tally, outcome: EarlierOutcome, options: TallyOptions): Tally {
  const { halfLifeMs, earlier } = options;
  const weighedAt = Math.max(tally.weighedAt, outcome.at);
  const faded = decay(weighedAt - tally.weighedAt, halfLifeMs);
  const next = {
    ...tally,
    weighedAt,
    weightOfSuccesses: tally.weightOfSuccesses * faded,
    weightOfFailures: tally.weightOfFailures * faded,
  };
  const count = ({ result, at }: EarlierOutcome, sign: 1 | -1) => {
    const weight = sign * decay(weighedAt - at, halfLifeMs);
    next[COUNT_OF[result]] += sign;
    if (result === "success") next.weightOfSuccesses = Math.max(0, next.weightOfSuccesses + weight);
    if (result === "failure") next.weightOfFailures = Math.max(0, next.weightOfFailures + weight);
  };
  if (earlier) count(earlier, -1);
  count(outcome, 1);
  return next;
}
