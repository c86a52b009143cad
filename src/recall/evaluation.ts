// Measures recall on messages whose right answers are known.

import { basename, dirname, resolve } from "node:path";
import { appendLines, readBounded, unlessMissing } from "../disk/disk.ts";
import { messageOf, RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import type { Match, Turn } from "../model/turn.ts";
import { mean, percentile, type RankingScore, scoreRanking } from "../text/metrics.ts";
import type { RecallAnswer, RecallRequest } from "./session-recall.ts";

/** One message with its right answers (`gold`) or forbidden ones (`not`). Without both it should recall nothing. */
export interface EvalCase {
  readonly query: string;
  readonly gold: readonly SkillName[];
  readonly not: readonly SkillName[];
  readonly source: string;
  readonly length: string;
}

export interface GroupFigures extends RankingScore {
  readonly messages: number;
  /** Share of messages whose right skill is among the at most three that are shown, after the threshold. */
  readonly shown3: number;
}

export interface EvalReport {
  readonly groups: Readonly<Record<string, GroupFigures>>;
  readonly macro: GroupFigures;
  /** Share of the messages that should recall nothing but do; null without such messages. */
  readonly falseAlarms: number | null;
  /** Share of the messages with a forbidden skill that recall it first; null without such messages. */
  readonly forbiddenFirst: number | null;
  readonly latency: Readonly<Record<string, { readonly p50: number; readonly p95: number }>>;
  /** The messages that went wrong, in the order of the cases. */
  readonly failures: readonly EvalFailure[];
  /** Right answers that no skill of the library is, each once. */
  readonly unknown: readonly SkillName[];
}

/** A message that went wrong, and what came instead of what was wanted. */
export interface EvalFailure {
  readonly query: string;
  readonly source: string;
  /** The right skill was not shown, something was shown that should not be, or a forbidden skill came first. */
  readonly kind: "not-shown" | "false-alarm" | "forbidden-first";
  /** The right skills, or the forbidden ones. */
  readonly skills: readonly SkillName[];
  /** What was shown, best first. */
  readonly shown: readonly SkillName[];
}

export interface EvalOptions {
  /** For each source of messages, the only skills to recall. */
  readonly libraries?: Readonly<Record<string, readonly string[]>>;
  /** For each copy, the skill that it counts as. */
  readonly duplicates?: Readonly<Record<string, string>>;
  /** Whether the library has a skill of this name; every name counts as known unless given. */
  readonly isKnown?: ((name: SkillName) => boolean) | undefined;
  /** Awaited, so that a server can answer others between two messages; an error that it throws ends the evaluation. */
  readonly onProgress?: (done: number, total: number) => void | Promise<void>;
}

/** The file in the person's data folder that "should have been" adds to. */
export const OWN_CASES = "evals.jsonl";

/**
 * Reads JSON lines with `query` and `gold`, or a JSON list with `query` and `should_trigger` in the skill's folder.
 *
 * @example
 * const report = await skills.evaluate(readCases(`${dir}/cases.jsonl`));
 */
export function readCases(path: string): EvalCase[] {
  const text = readText(path);
  const skill = triggerFileSkill(resolve(path));
  const records = text.trimStart().startsWith("[")
    ? (parsed(text, path) as unknown[])
    : text
        .split("\n")
        .map((line, at) => ({ line, place: `${path}:${at + 1}` }))
        .filter(({ line }) => line.trim() !== "")
        .map(({ line, place }) => parsed(line, place));
  return records.map((record) => toCase(record, skill, path));
}

/** Makes cases from records that a program passes instead of a file. */
export function casesFrom(records: readonly unknown[], source: string): EvalCase[] {
  return records.map((record) => toCase(record, lookupKey(source), source));
}

/** Appends a message with its right skill to a file of JSON lines, which is made if it is missing. */
export function addCase(path: string, { query, gold }: Pick<EvalCase, "query" | "gold">): void {
  const before = unlessMissing(() => readBounded(path, { maxBytes: CASES_BYTES }).toString("utf8"));
  if (before?.trimStart().startsWith("[")) {
    throw new RepertoireError(
      "eval-not-lines",
      `${path} is a JSON list, to which no line can be added. Name a file of JSON lines.`,
      path,
    );
  }
  appendLines(path, [{ query, gold }], 0o644);
}

/** Reads a JSON file of an evaluation: libraries, duplicates or a baseline. */
export function readEvalJson<T>(path: string): T {
  return parsed(readText(path), path) as T;
}

/** Some hundred thousand cases. */
const CASES_BYTES = 64 * 1024 * 1024;

function readText(path: string): string {
  try {
    return readBounded(path, { maxBytes: CASES_BYTES }).toString("utf8");
  } catch (thrown) {
    throw new RepertoireError(
      "eval-unreadable",
      `${path} cannot be read: ${messageOf(thrown)}. Check the path.`,
      path,
    );
  }
}

/** `<skill>/evals/x.json` belongs to `<skill>`. */
function triggerFileSkill(path: string): SkillName {
  const folder = dirname(path);
  return lookupKey(
    basename(["evals", "eval", "tests"].includes(basename(folder)) ? dirname(folder) : folder),
  );
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new RepertoireError("eval-not-json", `${place} is not valid JSON: ${messageOf(thrown)}.`, place);
  }
}

function toCase(given: unknown, skill: SkillName, path: string): EvalCase {
  const record = (given ?? {}) as Record<string, unknown>;
  const query = record.query ?? record.prompt ?? record.message;
  if (typeof query !== "string") {
    throw new RepertoireError(
      "eval-no-query",
      `A record of ${path} has no "query". Expected {"query": "…", "gold": ["skill-name"]}.`,
      record,
    );
  }
  const triggers = record.should_trigger;
  const words = query.split(/\s+/).length;
  return {
    query,
    gold: triggers === true ? [skill] : names(record.gold),
    not: triggers === false ? [skill] : names(record.not),
    source: typeof record.source === "string" ? record.source : basename(path).replace(/\.[^.]*$/, ""),
    length:
      typeof record.length === "string"
        ? record.length
        : words <= 30
          ? "short"
          : words <= 120
            ? "medium"
            : "long",
  };
}

function names(value: unknown): SkillName[] {
  return [value ?? []].flat().map((name) => lookupKey(String(name)));
}

/** Recalls every message and computes the figures per source and as the mean over sources. */
export async function evaluate(
  recall: (turn: Turn, request: RecallRequest) => Promise<RecallAnswer>,
  cases: readonly EvalCase[],
  options: EvalOptions = {},
): Promise<EvalReport> {
  const original = new Map(
    Object.entries(options.duplicates ?? {}).map(([copy, first]) => [lookupKey(copy), lookupKey(first)]),
  );
  const identity = (name: SkillName) => original.get(name) ?? name;
  const { isKnown = () => true } = options;
  const libraries = new Map(
    Object.entries(options.libraries ?? {}).map(([source, ids]) => {
      const names = new Set(ids.map(lookupKey));
      return [source, { allows: (name: SkillName) => names.has(name) }];
    }),
  );
  const scores = new Map<string, (RankingScore & { shown3: number })[]>();
  const latency = new Map<string, number[]>();
  const silent: boolean[] = [];
  const forbidden: boolean[] = [];
  const failures: EvalFailure[] = [];
  for (const [done, one] of cases.entries()) {
    const within = libraries.get(one.source) ?? {};
    const turn = { message: one.query };
    const shown = await recall(turn, within);
    latency.set(one.length, [...(latency.get(one.length) ?? []), shown.ms]);
    const direct = shown.matches.filter(({ via }) => via === undefined);
    const fail = (kind: EvalFailure["kind"], skills: readonly SkillName[]) =>
      failures.push({
        query: one.query,
        source: one.source,
        kind,
        skills,
        shown: direct.map(({ name }) => name),
      });
    if (one.gold.length === 0 && one.not.length === 0) {
      silent.push(direct.length === 0);
      if (direct.length > 0) fail("false-alarm", []);
    }
    if (one.not.length > 0) {
      const isFirst = direct.slice(0, 1).some((match) => goldIndex(match, one.not, identity) !== undefined);
      forbidden.push(isFirst);
      if (isFirst) fail("forbidden-first", one.not);
    }
    if (one.gold.length > 0) {
      const ranked = await recall(turn, { ...within, limit: 10, threshold: 0 });
      const found = ranked.matches
        .filter(({ via }) => via === undefined)
        .map((match) => goldIndex(match, one.gold, identity));
      const golds = new Set(one.gold.map(identity)).size;
      const shown3 = direct.some((match) => goldIndex(match, one.gold, identity) !== undefined) ? 1 : 0;
      if (shown3 === 0) fail("not-shown", one.gold);
      scores.set(one.source, [...(scores.get(one.source) ?? []), { ...scoreRanking(found, golds), shown3 }]);
    }
    await options.onProgress?.(done + 1, cases.length);
  }
  const groups = Object.fromEntries([...scores].map(([source, all]) => [source, figures(all, all.length)]));
  return {
    groups,
    macro: figures(Object.values(groups), [...scores.values()].flat().length),
    falseAlarms: silent.length === 0 ? null : 1 - mean(silent.map(Number)),
    forbiddenFirst: forbidden.length === 0 ? null : mean(forbidden.map(Number)),
    latency: Object.fromEntries(
      [...latency].map(([length, ms]) => [length, { p50: percentile(ms, 0.5), p95: percentile(ms, 0.95) }]),
    ),
    failures,
    unknown: [...new Set(cases.flatMap(({ gold }) => gold))].filter((name) => !isKnown(identity(name))),
  };
}

/** The index of the gold skill that a match or one of its copies is. */
function goldIndex(
  match: Match,
  golds: readonly SkillName[],
  identity: (name: SkillName) => SkillName,
): number | undefined {
  const names = [match.name, ...(match.duplicates ?? [])].map(identity);
  const wanted = [...new Set(golds.map(identity))];
  const at = wanted.findIndex((gold) => names.includes(gold));
  return at < 0 ? undefined : at;
}

function figures(all: readonly (RankingScore & { shown3: number })[], messages: number): GroupFigures {
  const of = (key: keyof RankingScore | "shown3") => mean(all.map((score) => score[key]));
  return {
    messages,
    hit1: of("hit1"),
    recall3: of("recall3"),
    recall5: of("recall5"),
    recall10: of("recall10"),
    mrr: of("mrr"),
    ndcg10: of("ndcg10"),
    shown3: of("shown3"),
  };
}

/** Lists the figures that are worse than in a saved report by more than the tolerance. */
export function regressions(report: EvalReport, baseline: EvalReport, tolerance = 0.005): string[] {
  const found: string[] = [];
  for (const key of ["hit1", "recall3", "recall5", "recall10", "mrr", "ndcg10", "shown3"] as const) {
    const [now, before] = [report.macro[key], baseline.macro[key]];
    if (now < before - tolerance)
      found.push(`${key} fell from ${(before * 100).toFixed(1)} to ${(now * 100).toFixed(1)}`);
  }
  for (const key of ["falseAlarms", "forbiddenFirst"] as const) {
    const [now, before] = [report[key], baseline[key]];
    if (now !== null && before !== null && now > before + tolerance) {
      found.push(`${key} rose from ${(before * 100).toFixed(1)} to ${(now * 100).toFixed(1)}`);
    }
  }
  return found;
}
