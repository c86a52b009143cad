// Computes the figures of `repertoire stats` from the journal: the funnel of a skill, its trend, the skills used with it.

import { inSlices } from "../library/library.ts";
import type { SkillName } from "../model/name.ts";
import type { JournalStore } from "./journal-store.ts";
import type { Tally, WeekCount } from "./tally.ts";
import { byInstructions, type EffectivenessOptions, effectivenessOf, weekOf } from "./tally.ts";

const NUMBERS = {
  /** A quarter of a year fits a terminal line and shows a change of habit. */
  weeks: 12,
  /** Co-used skills shown for one skill. */
  companions: 5,
} as const;

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** How often a skill was recalled, shown, used, and how that ended. */
interface Funnel {
  readonly recalled: number;
  readonly shown: number;
  readonly activated: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface VersionStats extends Funnel {
  readonly digest: string;
  readonly parent?: string | undefined;
  readonly rate: number;
  readonly deprioritised: boolean;
  readonly lastUsedAt: number;
}

export interface SkillStats extends Funnel {
  readonly name: SkillName;
  /** Milliseconds; 0 when never used. */
  readonly lastUsedAt: number;
  /** Activations a week, oldest first, the running week last. */
  readonly trend: readonly number[];
  /** The same weeks with everything that happened in them. */
  readonly weeks: readonly WeekCount[];
  readonly companions: readonly { readonly name: SkillName; readonly sessions: number }[];
  /** Newest first. */
  readonly versions: readonly VersionStats[];
}

/** Everything known about one skill; all zero when nothing is. */
export async function skillStats(
  journal: JournalStore,
  name: SkillName,
  options: EffectivenessOptions,
): Promise<SkillStats> {
  const tallies = await journal.tallies(name);
  const pairs = await journal.coUsed({ skill: name, limit: NUMBERS.companions });
  const weeks = weeksUntil(options.now, await journal.weeks(name));
  return {
    name,
    ...funnelOf(tallies),
    lastUsedAt: Math.max(0, ...tallies.map((tally) => tally.lastUsedAt)),
    trend: weeks.map(({ activated }) => activated),
    weeks,
    companions: pairs.map(({ a, b, sessions }) => ({ name: a === name ? b : a, sessions })),
    versions: versionsOf(tallies, options),
  };
}

/** The versions, newest first, each judged together with those that have the same instructions. */
function versionsOf(tallies: readonly Tally[], options: EffectivenessOptions): readonly VersionStats[] {
  const records = byInstructions(tallies).map((same) => ({ same, ...effectivenessOf(same, options) }));
  return tallies
    .map((tally): VersionStats => {
      const { rate, deprioritised } = records.find(({ same }) => same.includes(tally))!;
      const { digest, parent, lastUsedAt } = tally;
      return { digest, parent, ...funnelOf([tally]), rate, deprioritised, lastUsedAt };
    })
    .reverse();
}

export type SkillSummary = Omit<SkillStats, "trend" | "weeks" | "companions" | "versions">;

/** One line for each skill that the journal knows, the most used first. */
export async function libraryStats(journal: JournalStore): Promise<readonly SkillSummary[]> {
  const summaries = await inSlices(summariesOf(await journal.tallies()));
  return summaries.sort(
    (a, b) => b.activated - a.activated || b.recalled - a.recalled || (a.name < b.name ? -1 : 1),
  );
}

function* summariesOf(tallies: readonly Tally[]): Generator<undefined, SkillSummary[]> {
  const byName = new Map<SkillName, Tally[]>();
  for (const tally of tallies) {
    const own = byName.get(tally.name);
    if (own) own.push(tally);
    else byName.set(tally.name, [tally]);
  }
  const summaries: SkillSummary[] = [];
  for (const [name, own] of byName) {
    const lastUsedAt = own.reduce((latest, tally) => Math.max(latest, tally.lastUsedAt), 0);
    summaries.push({ name, ...funnelOf(own), lastUsedAt });
    yield;
  }
  return summaries;
}

function funnelOf(tallies: readonly Tally[]): Funnel {
  const sum = (count: (tally: Tally) => number) => tallies.reduce((total, tally) => total + count(tally), 0);
  return {
    recalled: sum(({ recalled }) => recalled),
    shown: sum(({ shown }) => shown),
    activated: sum(({ activated }) => activated),
    succeeded: sum(({ successes }) => successes),
    failed: sum(({ failures }) => failures),
  };
}

/** Weeks without events count as zero; what lies in the future of a clock that was set back is left out. */
function weeksUntil(now: number, known: readonly WeekCount[]): readonly WeekCount[] {
  const byAge = new Map(known.map((each) => [Math.floor((now - each.week) / WEEK_MS), each]));
  const running = weekOf(now);
  return Array.from({ length: NUMBERS.weeks }, (_, at) => {
    const age = NUMBERS.weeks - 1 - at;
    const nothing = { recalled: 0, shown: 0, activated: 0, successes: 0, failures: 0 };
    return byAge.get(age) ?? { week: running - age * WEEK_MS, ...nothing };
  });
}

const BARS = "▁▂▃▄▅▆▇█";

/** Draws numbers as one line of text: a bar for each value, the largest full; a zero is the lowest bar. */
export function sparkline(values: readonly number[]): string {
  const top = Math.max(...values, 0);
  if (top === 0) return BARS[0]!.repeat(values.length);
  return values.map((value) => BARS[Math.ceil((Math.max(0, value) / top) * (BARS.length - 1))]!).join("");
}
