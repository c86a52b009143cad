// The runs of evaluations that were made here, so that one can be compared with another.

import { readLines, unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import type { EvalReport } from "./evaluation.ts";

/** The file in the person's data folder. */
export const EVAL_RUNS = "eval-runs.jsonl";

/** What is kept of a run: latency belongs to the machine and the moment. */
export interface EvalRun extends Omit<EvalReport, "latency"> {
  /** Milliseconds since 1970. */
  readonly at: number;
}

const KEPT = {
  /** Some months of a weekly run, and a day of trying. */
  runs: 50,
  /** Nobody reads more of them, and each run is in one file with the others. */
  failures: 200,
} as const;

/** The kept runs, newest first; what is not a run is left out. */
export function readRuns(path: string): EvalRun[] {
  const values = unlessMissing(() => readLines(path))?.values ?? [];
  return values.filter(isRun).reverse();
}

export function keepRun(path: string, { latency: _, ...report }: EvalReport, at: number): void {
  const run: EvalRun = { ...report, at, failures: report.failures.slice(0, KEPT.failures) };
  const runs = [run, ...readRuns(path)].slice(0, KEPT.runs).reverse();
  writeFileAtomically(path, runs.map((each) => `${JSON.stringify(each)}\n`).join(""), { mode: 0o600 });
}

/** The line of a run has at least what a list of runs shows. */
function isRun(value: unknown): value is EvalRun {
  const { at, macro, groups, failures } = value as Partial<Record<keyof EvalRun, unknown>>;
  return typeof at === "number" && isObject(macro) && isObject(groups) && Array.isArray(failures);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
