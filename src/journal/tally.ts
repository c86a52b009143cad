// Defines the counts that are kept with the journal, and how an event changes them: tallies per skill version, whose
// outcomes fade, weeks per skill, and the sessions that used a skill. Every store computes them with these functions.
// Also computes from a tally how well a skill version does.

import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { type NewEvent, type Outcome, USE_KINDS } from "./events.ts";

/**
 * Counts of one skill with one SKILL.md. `weight…` are outcomes as they weigh at `weighedAt`. `tries`, `worked`, `failed` and
 * the weights begin anew when the instructions change: the files beside SKILL.md are part of them.
 */
export interface Tally {
  readonly name: SkillName;
  /** Empty if the host did not say which content it used. */
  readonly digest: string;
  /** The content that this one replaced. */
  readonly parent?: string;
  /** Digest of the instructions at the last activation: the package without its front matter. Empty before. */
  readonly instructions: string;
  /** Activations with these instructions. */
  readonly tries: number;
  readonly worked: number;
  readonly failed: number;
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

/** Tallies to be looked up by skill, all versions of it. */
export interface TallyBook {
  of(name: SkillName): readonly Tally[];
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
    instructions: "",
    tries: 0,
    worked: 0,
    failed: 0,
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
    case "activated": {
      const begun = withInstructions(tally, event.details.instructions);
      return { ...begun, activated: tally.activated + 1, tries: begun.tries + 1, lastUsedAt };
    }
    case "edited":
      return event.details.parent === undefined ? tally : { ...tally, parent: event.details.parent };
    case "outcome":
      return withOutcome(tally, { result: event.details.result, at: event.at }, options);
    default:
      return lastUsedAt === tally.lastUsedAt ? tally : { ...tally, lastUsedAt };
  }
}

/** The tally under these instructions: if they are others than before, nothing is known about them. */
function withInstructions(tally: Tally, instructions = tally.instructions): Tally {
  if (tally.instructions === "" || tally.instructions === instructions) return { ...tally, instructions };
  const unknown = { tries: 0, worked: 0, failed: 0, weightOfSuccesses: 0, weightOfFailures: 0 };
  return { ...tally, ...unknown, instructions };
}

/** The tally without an outcome that was overruled by one for another version. */
export function withoutOutcome(tally: Tally, outcome: EarlierOutcome, halfLifeMs: number): Tally {
  const next = { ...tally };
  count(next, outcome, { sign: -1, halfLifeMs });
  return next;
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
  if (earlier) count(next, earlier, { sign: -1, halfLifeMs });
  count(next, outcome, { sign: 1, halfLifeMs });
  return next;
}

type Counting = { -readonly [K in keyof Tally]: Tally[K] };

/** Adds an outcome to a tally or takes it away. */
function count(
  tally: Counting,
  { result, at }: EarlierOutcome,
  { sign, halfLifeMs }: { readonly sign: 1 | -1; readonly halfLifeMs: number },
): void {
  const weight = sign * decay(tally.weighedAt - at, halfLifeMs);
  tally[COUNT_OF[result]] += sign;
  // What is taken away may be from before the instructions changed.
  if (result === "success") {
    tally.worked = Math.max(0, tally.worked + sign);
    tally.weightOfSuccesses = Math.max(0, tally.weightOfSuccesses + weight);
  }
  if (result === "failure") {
    tally.failed = Math.max(0, tally.failed + sign);
    tally.weightOfFailures = Math.max(0, tally.weightOfFailures + weight);
  }
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
export function weekOf(at: number): number {
  return Math.floor((at - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY;
}

function outcomeChange({ result, at }: EarlierOutcome, by: 1 | -1): WeekChange[] {
  if (result === "neutral") return [];
  return [{ week: weekOf(at), field: result === "success" ? "successes" : "failures", by }];
}

/** How well a skill with its present instructions has done, as recall reads it. */
interface Effectiveness {
  /** Activations, and how they ended, since the instructions last changed. */
  readonly tries: number;
  readonly worked: number;
  readonly failed: number;
  /** Smoothed and faded share of successes, between 0 and 1; 0.5 when nothing is known. */
  readonly rate: number;
  readonly deprioritised: boolean;
  /** Milliseconds; 0 when never used. Breaks ties in recall. */
  readonly lastUsedAt: number;
}

/** A skill as recall knows it. */
type Known = Pick<Skill, "name" | "digest" | "directory" | "path">;

export interface EffectivenessProvider {
  of(skill: Known): Effectiveness;
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

interface ProviderOptions extends EffectivenessOptions {
  /** The digest of a skill's present instructions. Asked only for a skill that would be ranked lower. */
  readonly instructionsOf: (skill: Known) => string;
}

/** Judges each skill by its present instructions: a change of the front matter alone keeps the record. */
export function effectivenessFrom(book: TallyBook, options: ProviderOptions): EffectivenessProvider {
  return {
    of(skill) {
      const tallies = book.of(skill.name);
      const lastUsedAt = Math.max(0, ...tallies.map((tally) => tally.lastUsedAt));
      const records = byInstructions(tallies).map((same) => ({ same, ...effectivenessOf(same, options) }));
      const exact = records.find(({ same }) => same.some(({ digest }) => digest === skill.digest));
      if (!records.some(({ deprioritised }) => deprioritised))
        return { ...(exact ?? effectivenessOf([], options)), lastUsedAt };
      const instructions = options.instructionsOf(skill);
      const present = records.find(({ same: [{ instructions: known, digest }] }) =>
        // Without a digest of its instructions, a record is good for the same SKILL.md.
        known === "" ? digest === skill.digest : known === instructions,
      );
      return { ...(present ?? effectivenessOf([], options)), lastUsedAt };
    },
  };
}

/** The tallies with equal instructions together; those without a digest of their instructions each alone. */
export function byInstructions(tallies: readonly Tally[]): readonly (readonly [Tally, ...Tally[]])[] {
  const groups = new Map<string, [Tally, ...Tally[]]>();
  for (const tally of tallies) {
    const key = tally.instructions || `SKILL.md ${tally.digest}`;
    const group = groups.get(key);
    if (group) group.push(tally);
    else groups.set(key, [tally]);
  }
  return [...groups.values()];
}

/** How well the versions of a skill that have the same instructions did, together. */
export function effectivenessOf(tallies: readonly Tally[], options: EffectivenessOptions): Effectiveness {
  const { now, halfLifeMs = HALF_LIFE_MS } = options;
  const sum = (part: (tally: Tally) => number) => tallies.reduce((total, tally) => total + part(tally), 0);
  const faded = (tally: Tally) => decay(now - tally.weighedAt, halfLifeMs);
  const successes = sum((tally) => tally.weightOfSuccesses * faded(tally));
  const failures = sum((tally) => tally.weightOfFailures * faded(tally));
  const evidence = successes + failures;
  const tries = sum((tally) => tally.tries);
  return {
    tries,
    worked: sum(({ worked }) => worked),
    failed: sum(({ failed }) => failed),
    rate: (successes + 1) / (evidence + 2),
    deprioritised:
      tries >= EFFECTIVENESS.minActivations &&
      evidence >= EFFECTIVENESS.minEvidence &&
      failures / evidence > EFFECTIVENESS.failureShare,
    lastUsedAt: Math.max(0, ...tallies.map((tally) => tally.lastUsedAt)),
  };
}
