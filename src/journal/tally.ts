// Defines the counts that are kept with the journal, and how an event changes them: tallies per skill version, whose
// outcomes fade, weeks per skill, and the sessions that used a skill. Every store computes them with these functions.
// Also computes from a tally how well a skill version does.

import type { SkillName } from "../model/name.ts";
import { type NewEvent, type Outcome, USE_KINDS } from "./events.ts";

/** Counts of one skill with one content. `weight…` are outcomes as they weigh at `weighedAt`. */
export interface Tally {
  readonly name: SkillName;
  /** Empty if the host did not say which content it used. */
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

/** An outcome loses half its weight in a month: long enough to learn from rare skills, short enough to forgive. */
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

/** The share of a weight that is left after some time; all of it if the clock went back. */
export function decay(elapsedMs: number, halfLifeMs: number): number {
  return elapsedMs <= 0 ? 1 : 2 ** (-elapsedMs / halfLifeMs);
}

/** An outcome that was recorded earlier for the same skill in the same turn, and is now overruled. */
export interface EarlierOutcome {
  readonly result: Outcome;
  readonly at: number;
}

interface TallyOptions {
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

/** One week of one skill, all its versions together. */
export interface WeekCount {
  /** When the week began (Monday, UTC), in milliseconds. */
  readonly week: number;
  readonly recalled: number;
  readonly shown: number;
  readonly activated: number;
  readonly successes: number;
  readonly failures: number;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const FIRST_MONDAY = Date.UTC(1970, 0, 5);

type WeekField = Exclude<keyof WeekCount, "week">;

type WeekChange = { readonly week: number; readonly field: WeekField; readonly by: 1 | -1 };

/** Whether an outcome names no skill, so that it goes to the skills activated in its turn. */
export function isOpenOutcome(event: NewEvent): event is NewEvent & { session: string; turn: number } {
  return (
    event.kind === "outcome" &&
    event.skill === undefined &&
    event.session !== undefined &&
    event.turn !== undefined
  );
}

/** The outcome once for each skill activated in its turn; unchanged if there was none. */
export function outcomeForEach(
  outcome: NewEvent,
  activated: readonly { readonly skill: SkillName; readonly digest?: string | undefined }[],
): readonly NewEvent[] {
  return activated.length === 0 ? [outcome] : activated.map((version) => ({ ...outcome, ...version }));
}

/** Whether an earlier outcome of the same skill and turn may be overruled by this event. */
export function mayOverrule(event: NewEvent): event is NewEvent & { session: string; turn: number } {
  return event.kind === "outcome" && event.session !== undefined && event.turn !== undefined;
}

/** Whether an event links its session to its skill. */
export function isUse(event: NewEvent): event is NewEvent & { session: string; skill: SkillName } {
  return USE_KINDS.has(event.kind) && event.session !== undefined && event.skill !== undefined;
}

/** What an event changes in the weekly counts of its skill. */
export function weekChanges(event: NewEvent, earlier: EarlierOutcome | undefined): readonly WeekChange[] {
  const week = weekOf(event.at);
  switch (event.kind) {
    case "recalled":
    case "shown":
    case "activated":
      return [{ week, field: event.kind, by: 1 }];
    case "outcome": {
      const overruled = earlier ? outcomeChange(earlier, -1) : [];
      return [...overruled, ...outcomeChange({ result: event.details.result, at: event.at }, 1)];
    }
    default:
      return [];
  }
}

/** When the week of a moment began: Monday, midnight, in UTC. */
function weekOf(at: number): number {
  return Math.floor((at - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY;
}

function outcomeChange({ result, at }: EarlierOutcome, by: 1 | -1): WeekChange[] {
  if (result === "neutral") return [];
  return [{ week: weekOf(at), field: result === "success" ? "successes" : "failures", by }];
}

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

export interface EffectivenessOptions {
  readonly now: number;
  readonly halfLifeMs?: number | undefined;
}

/** Looks up each skill version by its own tally: a rewritten skill starts clean. */
export function effectivenessFrom(tallies: TallyBook, options: EffectivenessOptions): EffectivenessProvider {
  return {
    of: (name, digest) => effectivenessOf(tallies.of(name, digest) ?? emptyTally(name, digest), options),
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
