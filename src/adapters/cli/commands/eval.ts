// `repertoire eval FILE…`: how good is recall on messages whose right answers are known?

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type EvalReport,
  type GroupFigures,
  readCases,
  readEvalJson,
  regressions,
} from "../../../engine/engine.ts";
import { EXIT, type Register } from "../command.ts";
import { progressDisplay } from "../io.ts";

interface EvalFlags {
  readonly libraries?: string;
  readonly duplicates?: string;
  readonly save?: string;
  readonly baseline?: string;
}

export const registerEval: Register = (program, action) => {
  program
    .command("eval <file...>")
    .description(
      "measure recall on messages with known answers (query/gold lines, or query/should_trigger lists)",
    )
    .option(
      "--libraries <file>",
      "JSON: source of messages -> names of the skills that its messages may recall",
    )
    .option("--duplicates <file>", "JSON: name of a copy -> the skill it counts as")
    .option("--save <file>", "save the figures as a baseline")
    .option("--baseline <file>", "compare with saved figures; exits 1 when one is lower")
    .action(
      action(async ({ io, flags, open }, files: string[], options: EvalFlags) => {
        const repertoire = open(
          flags.dir !== undefined && isLibrary(flags.dir)
            ? { "sources.add": [{ path: resolve(flags.dir), id: "library" }], "sources.only": ["library"] }
            : {},
        );
        const report = await repertoire.evaluate(files.flatMap(readCases), {
          ...(options.libraries && { libraries: readEvalJson(options.libraries) }),
          ...(options.duplicates && { duplicates: readEvalJson(options.duplicates) }),
          onProgress: progressDisplay(io.streams, "messages"),
        });
        const lost = options.baseline ? regressions(report, readEvalJson(options.baseline)) : [];
        if (options.save) writeFileSync(options.save, `${JSON.stringify(report, null, 2)}\n`);
        io.answer({ ...report, regressions: lost }, () => {
          io.table([
            HEAD,
            ...Object.entries(report.groups).map(([name, group]) => row(name, group)),
            row("macro average", report.macro),
          ]);
          printRest(report, (line) => io.line(line));
          for (const line of lost) io.line(`${io.colour.red("regression")} ${line}`);
        });
        return lost.length > 0 ? EXIT.findings : EXIT.ok;
      }),
    );
};

const HEAD = ["SOURCE", "MESSAGES", "HIT@1", "R@3", "R@5", "R@10", "MRR", "NDCG@10", "SHOWN"];

function row(
  name: string,
  { messages, hit1, recall3, recall5, recall10, mrr, ndcg10, shown3 }: GroupFigures,
): string[] {
  return [
    name,
    String(messages),
    ...[hit1, recall3, recall5, recall10, mrr, ndcg10, shown3].map((share) => (share * 100).toFixed(1)),
  ];
}

function printRest(report: EvalReport, line: (text: string) => void): void {
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
  if (report.falseAlarms !== null)
    line(`messages that fit nothing but recall something: ${percent(report.falseAlarms)}`);
  if (report.forbiddenFirst !== null)
    line(`messages that put a forbidden skill first: ${percent(report.forbiddenFirst)}`);
  for (const [length, { p50, p95 }] of Object.entries(report.latency))
    line(`${length} messages: p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`);
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
