// `repertoire eval`: measures recall on messages with known answers, names those that fail, and adds cases.

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  addCase,
  casesFrom,
  EVAL_RUNS,
  type EvalFailure,
  type EvalReport,
  type GroupFigures,
  keepRun,
  OWN_CASES,
  type Repertoire,
  readCases,
  readEvalJson,
  regressions,
} from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { numberOf } from "../../../text/numbers.ts";
import { lineVisibly } from "../../../text/terminal.ts";
import { EXIT, type Verb } from "../command.ts";
import { evalPage } from "../eval-page.ts";
import { type Io, progressDisplay } from "../io.ts";

interface EvalFlags {
  readonly libraries?: string;
  readonly duplicates?: string;
  readonly save?: string;
  readonly baseline?: string;
  readonly html?: string;
}

/** Failing messages that fit a screen or two. */
const FAILURES_SHOWN = 20;

export const evalVerb: Verb = {
  use: "eval [files...]",
  about:
    "measure recall on messages with known answers: query/gold lines, query/should_trigger lists, or, without a file, messages of the journal that went well",
  examples: [
    'eval add "zip the reports" archive-files',
    "eval ~/.repertoire/evals.jsonl --html report.html",
    "eval",
  ],
  options: [
    ["--libraries <file>", "JSON: source of messages -> names of the skills that its messages may recall"],
    ["--duplicates <file>", "JSON: name of a copy -> the skill it counts as"],
    ["--save <file>", "save the figures as a baseline"],
    ["--baseline <file>", "compare with saved figures; exits 1 when one is lower"],
    ["--html <file>", "write the figures and the failing messages as one page"],
  ],
  async run({ io, flags: { dir }, open }, files: string[], options: EvalFlags) {
    const isOwn = files.length === 0;
    const repertoire = open({
      ...(dir !== undefined && isLibrary(dir)
        ? { "sources.add": [{ path: resolve(dir), id: "library" }], "sources.only": ["library"] }
        : {}),
      // What recall remembers of these very messages would answer them.
      ...(isOwn ? { "recall.learn": false } : {}),
    });
    try {
      const cases = isOwn ? await casesOfJournal(repertoire) : files.flatMap(readCases);
      const report = await repertoire.evaluate(cases, {
        ...(options.libraries && { libraries: readEvalJson(options.libraries) }),
        ...(options.duplicates && { duplicates: readEvalJson(options.duplicates) }),
        onProgress: progressDisplay(io.streams, "messages"),
      });
      const lost = options.baseline ? regressions(report, readEvalJson(options.baseline)) : [];
      keepRun(join(repertoire.turns.dataDirectory, EVAL_RUNS), report, repertoire.clock.now().getTime());
      if (options.save) writeFileSync(options.save, `${JSON.stringify(report, null, 2)}\n`);
      if (options.html) writeFileSync(options.html, evalPage(report, cases.length));
      io.answer({ ...report, regressions: lost }, () => {
        tellReport(io, report);
        for (const line of lost) io.line(`${io.colour.red("regression")} ${line}`);
        if (options.html) io.line(`Written to ${options.html}.`);
      });
      return lost.length > 0 ? EXIT.findings : EXIT.ok;
    } finally {
      await repertoire.close();
    }
  },
  verbs: [
    {
      use: "add <message> <name>",
      about: "tell recall which skill a message should have led to, and add it to an evaluation file",
      examples: ['eval add "zip the reports" archive-files'],
      options: [["--to <file>", "the file, of JSON lines; ~/.repertoire/evals.jsonl unless given"]],
      async run({ io, engine }, message: string, name: string, options: { to?: string }) {
        const corrected = await engine.journal.shouldHaveBeen({ skill: name, message });
        const file = options.to ?? join(engine.turns.dataDirectory, OWN_CASES);
        addCase(file, { query: message, gold: [corrected.skill] });
        const isOn = engine.config.recall.learn;
        io.answer({ skill: corrected.skill, message, file, learned: isOn }, () => {
          io.line(
            isOn
              ? `Messages like this one now lead to ${corrected.skill}.`
              : "Recall does not learn, because recall.learn is false.",
          );
          io.line(`Added to ${file}; measure with repertoire eval ${file}`);
        });
      },
    },
  ],
};

async function casesOfJournal({ journal }: Repertoire) {
  const successes = await journal.successes();
  if (successes.length === 0)
    throw new RepertoireError(
      "eval-no-cases",
      "The journal has no message after which a skill was activated with success. Name a file of cases, or add one.",
      undefined,
      'repertoire eval add "MESSAGE" NAME',
    );
  return casesFrom(
    successes.map(({ message, skills }) => ({ query: message, gold: skills })),
    "journal",
  );
}

function tellReport(io: Io, report: EvalReport): void {
  const { falseAlarms, forbiddenFirst, latency, failures, unknown } = report;
  const groups = Object.entries({ ...report.groups, "macro average": report.macro });
  io.table([
    ["SOURCE", "MESSAGES", "HIT@1", "R@3", "R@5", "R@10", "MRR", "NDCG@10", "SHOWN"],
    ...groups.map(([name, figures]) => [name, String(figures.messages), ...sharesOf(figures)]),
  ]);
  if (falseAlarms !== null)
    io.line(`messages that fit nothing but recall something: ${(falseAlarms * 100).toFixed(1)}%`);
  if (forbiddenFirst !== null)
    io.line(`messages that put a forbidden skill first: ${(forbiddenFirst * 100).toFixed(1)}%`);
  for (const [length, { p50, p95 }] of Object.entries(latency))
    io.line(`${length} messages: p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`);
  for (const failure of failures.slice(0, FAILURES_SHOWN)) tellFailure(io, failure);
  const more = failures.length - FAILURES_SHOWN;
  if (more > 0) io.line(io.colour.dim(`and ${numberOf(more, "more message")}: --json or --html has all`));
  if (unknown.length > 0)
    io.line(
      `${io.colour.yellow("no such skill")} ${unknown.join(", ")}: the cases want what the library does not have`,
    );
}

const WANTED: Readonly<Record<EvalFailure["kind"], (skills: string) => string>> = {
  "not-shown": (skills) => `wanted ${skills}`,
  "false-alarm": () => "wanted nothing",
  "forbidden-first": (skills) => `did not want ${skills}`,
};

function tellFailure(io: Io, { kind, query, skills, shown }: EvalFailure): void {
  io.line(`${io.colour.yellow(kind)} ${lineVisibly(query)}`);
  io.line(io.colour.dim(`  ${WANTED[kind](skills.join(", "))}; came ${shown.join(", ") || "nothing"}`));
}

function sharesOf({ hit1, recall3, recall5, recall10, mrr, ndcg10, shown3 }: GroupFigures): string[] {
  return [hit1, recall3, recall5, recall10, mrr, ndcg10, shown3].map((share) => (share * 100).toFixed(1));
}

/** A folder whose children are skills is the library itself, not a project. */
function isLibrary(folder: string): boolean {
  return (
    existsSync(folder) &&
    readdirSync(folder, { withFileTypes: true }).some(
      (entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "SKILL.md")),
    )
  );
}
