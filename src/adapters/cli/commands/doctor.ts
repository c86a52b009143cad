// `repertoire doctor`: tells what the checks of `src/adapters/doctor.ts` found, and with --fix lets them repair what is safe.

import type { Diagnostic } from "../../../model/diagnostic.ts";
import { forLine } from "../../../text/escape.ts";
import { numberOf } from "../../../text/numbers.ts";
import type { CheckedFinding } from "../../doctor.ts";
import { EXIT, type Verb } from "../command.ts";
import { type Io, stepsDisplay } from "../io.ts";
import { tellWorrying, verdictCounts } from "../tell.ts";
import { tellUnavailable } from "./list.ts";

export const doctorVerb: Verb = {
  use: "doctor",
  about:
    "look at everything that can be wrong, with the command that fixes it; exits 1 when something is broken",
  examples: ["doctor", "doctor --fix"],
  options: [
    ["--fix", "repair what can be repaired without loss; damaged files are kept beside the new ones"],
    ["--all", "show every finding about the files of skills"],
  ],
  async run({ io, engine }, options: { fix?: boolean; all?: boolean }) {
    const { skills } = await engine.library.list();
    const diagnosis = await engine.library.diagnosis();
    const { examine } = await import("../../doctor.ts");
    const onProgress = stepsDisplay(io.streams);
    const checks = await examine({
      engine,
      diagnosis,
      env: process.env,
      fix: options.fix === true,
      onProgress,
    });
    const problems = diagnosis.diagnostics.filter(({ severity }) => severity !== "info");
    const errors = problems.filter(({ severity }) => severity === "error").length;
    const { hostReports } = await import("../../hooks/setup/installed.ts");
    const { placesOf, tellHosts } = await import("./setup.ts");
    const hosts = await hostReports(placesOf(engine, { writes: false }));
    io.answer({ node: process.version, ...diagnosis, checks, hosts }, () => {
      for (const finding of checks) tellFinding(io, finding);
      tellHosts(io, hosts);
      io.table([
        ["SOURCE", "SKILLS", "FOLDER"],
        ...diagnosis.sources.map(({ id, skills: count, root }) => [id, String(count), root]),
      ]);
      const states = Object.entries(diagnosis.counts).map(([state, count]) => `${count} ${state}`);
      io.line(states.join(", "));
      tellUnavailable(io, skills);
      if (options.all) for (const problem of problems) io.line(io.finding(problem));
      tellConflicts(io, diagnosis.diagnostics);
      tellWorrying(io, diagnosis.inspection);
      io.line(verdictCounts(io, diagnosis.inspection));
      io.line(
        problems.length === 0
          ? io.colour.green("No file of a skill is broken.")
          : `${numberOf(errors, "error")}, ${numberOf(problems.length - errors, "warning")} about files of skills${options.all ? "" : "; --all shows each"}.`,
      );
      if (!options.fix && checks.some(({ canFix, fixed }) => canFix && fixed === undefined))
        io.line("`repertoire doctor --fix` repairs what is marked with *.");
    });
    const isBroken = checks.some(({ level, fixed }) => level === "error" && fixed === undefined);
    return isBroken ? EXIT.findings : EXIT.ok;
  },
};

function tellFinding(io: Io, finding: CheckedFinding): void {
  const { check, level, message, fix, fixed, canFix } = finding;
  const { green, dim, yellow, red, cyan } = io.colour;
  const mark = { ok: green("ok"), note: dim("note"), warning: yellow("warning"), error: red("error") }[level];
  io.line(`${mark}${canFix ? "*" : ""} ${check}: ${forLine(message)}`);
  if (fixed !== undefined) io.line(`  ${green("fixed:")} ${forLine(fixed)}`);
  else if (fix !== undefined) io.line(`  ${cyan("fix:")} ${forLine(fix)}`);
}

/** Phrases that several skills declare are no error; who wins may still surprise. */
const CONFLICTS_SHOWN = 10;

function tellConflicts(io: Io, diagnostics: readonly Diagnostic[]): void {
  const conflicts = diagnostics.filter(({ code }) => code === "trigger-conflict");
  for (const { message } of conflicts.slice(0, CONFLICTS_SHOWN))
    io.line(`${io.colour.dim("conflict")} ${message}`);
  const more = conflicts.length - CONFLICTS_SHOWN;
  if (more > 0) io.line(io.colour.dim(`${more} more conflicts: repertoire doctor --json`));
}
