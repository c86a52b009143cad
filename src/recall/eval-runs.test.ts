import { appendFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EVAL_RUNS, keepRun, readRuns } from "./eval-runs.ts";
import type { EvalReport } from "./evaluation.ts";

const figures = { messages: 1, hit1: 1, recall3: 1, recall5: 1, recall10: 1, mrr: 1, ndcg10: 1, shown3: 1 };
const report: EvalReport = {
  groups: { mine: figures },
  macro: figures,
  falseAlarms: null,
  forbiddenFirst: 0,
  latency: {},
  failures: [],
  unknown: [],
};
const file = () => join(mkdtempSync(join(tmpdir(), "repertoire-runs-")), EVAL_RUNS);

describe("the runs of evaluations", () => {
  it("come back newest first, and the oldest are forgotten", () => {
    const path = file();
    expect(readRuns(path)).toEqual([]);
    for (let at = 1; at <= 60; at++) keepRun(path, report, at);
    const runs = readRuns(path);
    expect(runs).toHaveLength(50);
    expect(runs.map(({ at }) => at).slice(0, 2)).toEqual([60, 59]);
    expect(runs[0]).toMatchObject({ groups: { mine: { hit1: 1 } }, forbiddenFirst: 0 });
  });

  it("do not fail on what a crash or somebody else left in the file", () => {
    const path = file();
    keepRun(path, report, 1);
    appendFileSync(path, '{"at": "yesterday"}\n{"at": 3, "macro":');
    expect(readRuns(path).map(({ at }) => at)).toEqual([1]);
    keepRun(path, report, 2);
    expect(readRuns(path).map(({ at }) => at)).toEqual([2, 1]);
  });
});
