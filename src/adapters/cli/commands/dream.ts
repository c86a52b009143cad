// `repertoire dream`: reviews what happened and proposes how the library should change. `dream prepare` and `dream submit`
// let an agent do the thinking.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { InvalidArgumentError } from "commander";
import { PASSES, type Pass } from "../../../engine/engine.ts";
import { isRepertoireError, messageOf, RepertoireError } from "../../../model/errors.ts";
import { type Context, EXIT, type Register, withEngine } from "../command.ts";
import { tellEvidence, tellResult } from "../dreaming.ts";
import type { Io } from "../io.ts";
import { accepting } from "../options.ts";

interface DreamFlags {
  readonly report?: boolean;
  readonly apply?: boolean;
  readonly force?: boolean;
  readonly every?: number;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const HOW_TO_THINK = `No language model is configured, so this is what rules alone can find. To let an agent do the thinking:
  repertoire dream prepare        writes the prompts; point your agent at the files
  repertoire dream submit FILE    takes its plan
Or set "model.kind", "model.endpoint" and "model.name" in ~/.repertoire/repertoire.config.json.`;

export const registerDream: Register = (program, action) => {
  const dream = program
    .command("dream")
    .description("review what happened and propose how the library should change; changes nothing by itself")
    .option("--report", "only print what was found")
    .option("--apply", "accept the proposals that pass all checks, as one batch")
    .option("--force", "dream even if nothing is new")
    .option("--every <time>", "repeat the dream, for example every 30m, 4h or 1d", duration)
    .action(action((context, options: DreamFlags) => repeatedly(context, options)));
  dream
    .command("prepare")
    .description("write the prompts of the passes for an agent to answer")
    .action(
      action(({ io, open }) =>
        withEngine(open(), async ({ dreams }) => {
          const files = await dreams.prepare();
          io.answer({ files }, () => {
            for (const { path, tokens, idle } of files)
              io.line(
                idle === undefined ? `${path} (about ${tokens} tokens)` : `${path}: nothing to do, ${idle}`,
              );
            io.line("Let your agent read each file and answer with JSON; then: repertoire dream submit FILE");
          });
          return EXIT.ok;
        }),
      ),
    );
  dream
    .command("submit <file>")
    .description("propose the plan in a file (- for standard input), under the same checks")
    .option("--pass <pass>", PASSES.join(", "), accepting(PASSES))
    .action(
      action(({ io, open }, file: string, options: { pass?: Pass }) =>
        withEngine(open(), async ({ dreams }) => {
          const result = await dreams.submit(readAnswer(file), options);
          io.answer(result, () => tellResult(io, result));
          return result.proposals.length > 0 ? EXIT.ok : EXIT.findings;
        }),
      ),
    );
};

async function repeatedly(context: Context, options: DreamFlags): Promise<number> {
  for (;;) {
    try {
      await once(context, options);
    } catch (error) {
      if (options.every === undefined || !isRepertoireError(error)) throw error;
      context.io.note(`${context.io.colour.red("error")} ${error.message}`);
    }
    if (options.every === undefined) return EXIT.ok;
    await sleep(options.every);
  }
}

function once({ io, open }: Context, options: DreamFlags): Promise<void> {
  return withEngine(open(), async ({ dreams }) => {
    if (options.report) {
      const evidence = await dreams.report();
      io.answer(evidence, () => tellEvidence(io, evidence));
      return;
    }
    const result = await dreams.run({
      ...(options.apply && { apply: true }),
      ...(options.force && { force: true }),
      onPass: ({ pass, state, note }) => io.note(`${pass}: ${state}${note ? `, ${note}` : ""}`),
    });
    const { regressions } = await dreams.account();
    io.answer({ ...result, regressions }, () => {
      if (result.skipped === undefined) tellEvidence(io, result.evidence);
      io.line();
      tellResult(io, result);
      for (const { number, title, batch, before, after } of regressions)
        io.line(
          `${io.colour.yellow("worse")} since proposal ${number} (${title}): ${percent(before.rate)} before, ${percent(after.rate)} after. Back: repertoire undo ${batch ?? ""}`,
        );
      if (result.thinking === "rules") tellHow(io);
    });
  });
}

function tellHow(io: Io): void {
  io.line();
  io.line(HOW_TO_THINK);
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function readAnswer(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new RepertoireError("plan-unreadable", `${file} cannot be read: ${messageOf(error)}.`, file);
  }
}

function duration(text: string): number {
  const [, count, unit = ""] = /^(\d+)\s*([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (!(ms > 0)) throw new InvalidArgumentError("Accepted: a number with m, h or d, such as 4h.");
  return ms;
}
