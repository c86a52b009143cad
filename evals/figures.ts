// The figures of a set of messages: per source, as the mean over sources with a 95% interval, and against a saved run.

import { lookupKey } from "../src/model/name.ts";
import { mean, percentile, scoreRanking } from "../src/text/metrics.ts";
import type { Answer } from "./engine.ts";
import type { MeasuredMessage } from "./measured-sets.ts";
import { hashOf, seededRandom } from "./random.ts";

/** What one message contributes to each figure; a figure that says nothing about the message is absent. */
export type Outcome = Readonly<Partial<Record<FigureName, number>>>;

interface Figure {
  readonly about: string;
  readonly unit: "percent" | "number";
  /** Whether a higher value is better. */
  readonly upIsGood: boolean;
  /** A loss up to this is noise. */
  readonly tolerance: number;
}

const share = (about: string, upIsGood = true): Figure => ({
  about,
  unit: "percent",
  upIsGood,
  tolerance: 0.005,
});
const count = (about: string, tolerance: number): Figure => ({
  about,
  unit: "number",
  upIsGood: false,
  tolerance,
});

/** In the order in which they are printed. */
export const FIGURES = {
  hit1: share("Hit@1"),
  hit3: share("Hit@3"),
  recall5: share("Recall@5"),
  recall10: share("Recall@10"),
  ndcg10: share("nDCG@10"),
  firstRight: share("first shown right"),
  shown3: share("shown among three"),
  visible: share("visible in the section"),
  silent: share("rightly silent"),
  forbiddenFirst: share("forbidden first", false),
  unwanted: count("unwanted skills a message", 0.02),
  unwantedBundled: count("  bundled", 0.02),
  unwantedSeeAlso: count("  see-also", 0.02),
  unwantedOther: count("  other", 0.02),
  idleTokens: count("tokens if nothing is needed", 2),
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as FigureName[];

export interface Estimate {
  readonly value: number;
  /** The 95% interval. */
  readonly low: number;
  readonly high: number;
}

export interface SetFigures {
  readonly messages: number;
  /** The mean over sources. */
  readonly macro: Readonly<Partial<Record<FigureName, Estimate>>>;
  readonly sources: Readonly<
    Record<
      string,
      { readonly messages: number; readonly means: Readonly<Partial<Record<FigureName, number>>> }
    >
  >;
  /** Milliseconds of a recall. */
  readonly latency: { readonly p50: number; readonly p95: number };
}

/** All figures of a run, by the name of the folder and of the set. */
export type Run = Readonly<Record<string, Readonly<Record<string, SetFigures>>>>;

/** Judges one answer. `identity` is the skill that a copy counts as. */
export function judge(message: MeasuredMessage, answer: Answer, identity: (name: string) => string): Outcome {
  const golds = [...new Set(message.gold.map((name) => identity(lookupKey(name))))];
  const forbidden = new Set(message.not.map((name) => identity(lookupKey(name))));
  const goldAmong = (names: readonly string[]) => {
    const found = new Set(names.map(identity));
    const at = golds.findIndex((gold) => found.has(gold));
    return at < 0 ? undefined : at;
  };
  const direct = answer.shown.filter(({ origin }) => origin !== "see-also");
  const outcome: { [name in FigureName]?: number } = {};
  if (message.not.length > 0)
    outcome.forbiddenFirst = Number(direct[0]?.names.some((name) => forbidden.has(identity(name))) ?? false);
  if (golds.length === 0 && message.not.length > 0) return outcome;
  const unwanted = answer.shown.filter(({ names }) => goldAmong(names) === undefined);
  outcome.unwanted = unwanted.length;
  outcome.unwantedBundled = unwanted.filter(({ origin }) => origin === "bundled").length;
  outcome.unwantedSeeAlso = unwanted.filter(({ origin }) => origin === "see-also").length;
  outcome.unwantedOther = unwanted.filter(({ origin }) => origin === "other").length;
  if (golds.length === 0) {
    outcome.silent = Number(answer.shown.length === 0);
    outcome.idleTokens = answer.tokens;
    return outcome;
  }
  const places = answer.ranked.map(goldAmong);
  const score = scoreRanking(places, golds.length);
  const right = direct.map(({ names }) => goldAmong(names) !== undefined);
  return {
    ...outcome,
    hit1: score.hit1,
    hit3: Number(places.slice(0, 3).some((place) => place !== undefined)),
    recall5: score.recall5,
    recall10: score.recall10,
    ndcg10: score.ndcg10,
    firstRight: Number(right[0] ?? false),
    shown3: Number(right.slice(0, 3).includes(true)),
    visible: Number(goldAmong(namesIn(answer.section)) !== undefined),
  };
}

/** Everything in a section that may be the name of a skill. */
function namesIn(section: string): string[] {
  return section.match(/[a-z0-9]+(?:[./-][a-z0-9]+)*/g) ?? [];
}

const RESAMPLES = 1_000;

/** The figures of a set. The interval comes from messages drawn anew within each source; `seed` makes it repeatable. */
export function figuresOf(
  outcomes: readonly { readonly source: string; readonly outcome: Outcome; readonly ms: number }[],
  seed: string,
): SetFigures {
  const macro: { [name in FigureName]?: Estimate } = {};
  const bySource = [...new Set(outcomes.map(({ source }) => source))].map((source) => ({
    source,
    own: outcomes.filter((one) => one.source === source),
    means: {} as { [name in FigureName]?: number },
  }));
  for (const name of NAMES) {
    const groups = bySource
      .map((group) => ({ ...group, values: group.own.flatMap(({ outcome }) => outcome[name] ?? []) }))
      .filter(({ values }) => values.length > 0);
    if (groups.length === 0) continue;
    for (const { means, values } of groups) means[name] = mean(values);
    macro[name] = estimate(
      groups.map(({ values }) => values),
      `${seed} ${name}`,
    );
  }
  const times = outcomes.map(({ ms }) => ms);
  return {
    messages: outcomes.length,
    macro,
    sources: Object.fromEntries(
      bySource.map(({ source, own, means }) => [source, { messages: own.length, means }]),
    ),
    latency: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
  };
}

/** The mean of the groups' means, with its interval by the bootstrap. */
export function estimate(groups: readonly (readonly number[])[], seed: string): Estimate {
  const random = seededRandom(hashOf(seed));
  const drawn = Array.from({ length: RESAMPLES }, () =>
    mean(
      groups.map((values) => {
        let sum = 0;
        for (let i = 0; i < values.length; i++) sum += values[Math.floor(random() * values.length)]!;
        return sum / values.length;
      }),
    ),
  );
  return {
    value: mean(groups.map(mean)),
    low: percentile(drawn, 0.025),
    high: percentile(drawn, 0.975),
  };
}

export function inWords(name: FigureName, value: number): string {
  const { unit } = FIGURES[name];
  if (unit === "percent") return (100 * value).toFixed(1);
  return value.toFixed(name === "idleTokens" ? 0 : 2);
}

/** The lines of one set: each figure with its interval and, if asked for, each source. */
export function linesOf(figures: SetFigures, withSources: boolean): string[] {
  const sources = Object.entries(figures.sources);
  const shown = withSources && sources.length > 1 ? sources : [];
  const head = shown.map(([source]) => ` ${source.slice(-12).padStart(12)}`).join("");
  const rows = NAMES.flatMap((name) => {
    const found = figures.macro[name];
    if (found === undefined) return [];
    const interval = `[${inWords(name, found.low)}, ${inWords(name, found.high)}]`;
    const cells = shown.map(([, { means }]) => {
      const value = means[name];
      return ` ${(value === undefined ? "" : inWords(name, value)).padStart(12)}`;
    });
    return [
      `  ${FIGURES[name].about.padEnd(28)}${inWords(name, found.value).padStart(6)}  ${interval.padEnd(16)}${cells.join("")}`,
    ];
  });
  const { p50, p95 } = figures.latency;
  return [
    ...(head === "" ? [] : [" ".repeat(54) + head]),
    ...rows,
    `  ${"recall p50, p95 in ms".padEnd(28)}${p50.toFixed(1).padStart(6)}  ${p95.toFixed(1)}`,
  ];
}

export interface Moved {
  readonly folder: string;
  readonly set: string;
  readonly name: FigureName;
  readonly before: number;
  readonly now: number;
  /** Whether it is worse by more than its tolerance. */
  readonly fell: boolean;
}

/** The figures that are not the same as in a saved run; sets that only one of the two has are left out. */
export function movedSince(before: Run, now: Run): Moved[] {
  return Object.entries(now).flatMap(([folder, sets]) =>
    Object.entries(sets).flatMap(([set, { macro }]) =>
      NAMES.flatMap((name) => {
        const [was, is] = [before[folder]?.[set]?.macro[name]?.value, macro[name]?.value];
        if (was === undefined || is === undefined || Math.abs(is - was) < 1e-9) return [];
        const { upIsGood, tolerance } = FIGURES[name];
        const loss = upIsGood ? was - is : is - was;
        return [{ folder, set, name, before: was, now: is, fell: loss > tolerance + 1e-9 }];
      }),
    ),
  );
}
