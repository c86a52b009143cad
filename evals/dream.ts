// Measures the two rules of dreams that read language, on sets of our own: which messages
// correct an answer, and which clauses a rewrite has lost. `npm run evals -- dream`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lostClauses } from "../src/dream/clauses.ts";
import { isCorrection } from "../src/dream/corrections.ts";
import { GUARD } from "../src/dream/limits.ts";

const FOLDER = "evals/dream";

interface Judged {
  readonly text: string;
  readonly expected: boolean;
  readonly found: boolean;
}

function linesOf<T>(file: string): T[] {
  const text = readFileSync(join(FOLDER, file), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

function correctionsJudged(file: string): Judged[] {
  const lines = linesOf<{ message: string; correction: boolean }>(file);
  return lines.map(({ message, correction }) => ({
    text: message,
    expected: correction,
    found: isCorrection(message),
  }));
}

/** With the share of words that a merge must keep. */
function clausesJudged(least: number = GUARD.clauseMerged): Judged[] {
  const lines = linesOf<{ clause: string; after: string; lost: boolean }>("clauses.jsonl");
  return lines.map(({ clause, after, lost }) => ({
    text: `${clause} -> ${after}`,
    expected: lost,
    found: lostClauses(clause, after, least).length > 0,
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
  ["lost clauses", clausesJudged()],
] as const) {
  const { found, of, false: wrong, among } = figuresOf(judged);
  console.log(`${name}: ${found} of ${of} found, ${wrong} of ${among} found wrongly`);
  for (const { text, expected, found: was } of judged)
    if (expected !== was) console.log(`  ${expected ? "missed" : "wrong "}  ${text}`);
}
