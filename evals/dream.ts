// Measures the two rules of dreams that read language, on sets of our own: which messages
// correct an answer, and which clauses a rewrite has lost. `npm run evals -- dream`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lostClauses } from "../src/dream/clauses.ts";
import { asksOtherwise } from "../src/dream/corrections.ts";
import { GUARD } from "../src/dream/limits.ts";

const FOLDER = "evals/dream";

/** A set may have a half that was tuned on, and one that was looked at once. */
type Part = "tune" | "held";

interface Judged {
  readonly text: string;
  readonly expected: boolean;
  readonly found: boolean;
}

function linesOf<T>(file: string, part?: Part): T[] {
  const text = readFileSync(join(FOLDER, file), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T & { readonly part?: Part })
    .filter((line) => part === undefined || line.part === part);
}

function correctionsJudged(file: string, part?: Part): Judged[] {
  const lines = linesOf<{ message: string; correction: boolean }>(file, part);
  return lines.map(({ message, correction }) => ({
    text: message,
    expected: correction,
    found: asksOtherwise(message),
  }));
}

/** With the share of words that a merge must keep. */
function clausesJudged(file: string, part?: Part): Judged[] {
  const lines = linesOf<{ clause: string; after: string; lost: boolean }>(file, part);
  return lines.map(({ clause, after, lost }) => ({
    text: `${clause} -> ${after}`,
    expected: lost,
    found: lostClauses(clause, after, GUARD.clauseMerged).length > 0,
  }));
}

function figuresOf(judged: readonly Judged[]) {
  const expected = judged.filter((one) => one.expected);
  const others = judged.filter((one) => !one.expected);
  return {
    found: expected.filter(({ found }) => found).length,
    of: expected.length,
    false: others.filter(({ found }) => found).length,
    among: others.length,
  };
}

for (const [name, judged] of [
  ["corrections", correctionsJudged("corrections.jsonl")],
  ["corrections, second set", correctionsJudged("corrections-second.jsonl")],
  ["corrections, third set, tuned on", correctionsJudged("corrections-third.jsonl", "tune")],
  ["corrections, third set, held back", correctionsJudged("corrections-third.jsonl", "held")],
  ["lost clauses", clausesJudged("clauses.jsonl")],
  ["lost clauses, second set, tuned on", clausesJudged("clauses-second.jsonl", "tune")],
  ["lost clauses, second set, held back", clausesJudged("clauses-second.jsonl", "held")],
] as const) {
  const { found, of, false: wrong, among } = figuresOf(judged);
  console.log(`${name}: ${found} of ${of} found, ${wrong} of ${among} found wrongly`);
  for (const { text, expected, found: was } of judged)
    if (expected !== was) console.log(`  ${expected ? "missed" : "wrong "}  ${text}`);
}
