// The verbs that improve the library: dream, proposals. `dream prepare` and `dream submit` let an agent do the
// thinking.

import { setTimeout as sleep } from "node:timers/promises";
import {
  fromRecord,
  PASSES,
  type Pass,
  type ProposalRecord,
  readBounded,
  readInput,
} from "../../../engine/engine.ts";
import { isRepertoireError, messageOf, RepertoireError } from "../../../model/errors.ts";
import { accepting, type Context, duration, EXIT, positiveInteger, type Verb } from "../command.ts";
import type { Io } from "../io.ts";
import { percent, tellAccepted, tellDiff, tellEvidence, tellProposals, tellResult } from "../tell.ts";

interface DreamFlags {
  readonly report?: boolean;
  readonly apply?: boolean;
  readonly force?: boolean;
  readonly every?: number;
}

const HOW_TO_THINK = `No language model is configured, so this is what rules alone can find. To let an agent do the thinking:
  repertoire dream prepare        writes the prompts; point your agent at the files
  repertoire dream submit FILE    takes its plan
Or set "model.kind", "model.endpoint" and "model.name" in ~/.repertoire/repertoire.config.json.`;

export const DREAM_VERBS: readonly Verb[] = [
  {
    use: "dream",
    about: "review what happened and propose how the library should change; changes nothing by itself",
    options: [
      ["--report", "only print what was found"],
      ["--apply", "accept the proposals that pass all checks, as one batch"],
      ["--force", "dream even if nothing is new"],
      ["--every <time>", "repeat the dream, for example every 30m, 4h or 1d", duration],
    ],
    async run(context, options: DreamFlags) {
      const { io, open } = context;
      if (options.every === undefined) return dream(context, options);
      for (;;) {
        const engine = open();
        try {
          await dream({ io, engine }, options);
        } catch (error) {
          if (!isRepertoireError(error)) throw error;
          io.note(`${io.colour.red("error")} ${error.message}`);
        } finally {
          await engine.close();
        }
        await sleep(options.every);
      }
    },
    verbs: [
      {
        use: "prepare",
        about: "write the prompts of the passes for an agent to answer",
        async run({ io, engine }) {
          const files = await engine.dreams.prepare();
          io.answer({ files }, () => {
            for (const { path, tokens, idle } of files)
              io.line(
                idle === undefined ? `${path} (about ${tokens} tokens)` : `${path}: nothing to do, ${idle}`,
              );
            io.line("Let your agent read each file and answer with JSON; then: repertoire dream submit FILE");
          });
        },
      },
      {
        use: "submit <file>",
        about: "propose the plan in a file (- for standard input), under the same checks",
        options: [["--pass <pass>", PASSES.join(", "), accepting(PASSES)]],
        async run({ io, engine }, file: string, options: { pass?: Pass }) {
          const result = await engine.dreams.submit(readAnswer(file), options);
          io.answer(result, () => tellResult(io, result));
          return result.proposals.length > 0 ? EXIT.ok : EXIT.findings;
        },
      },
    ],
  },
  {
    use: "proposals",
    about: "list, show, accept or reject what dreams propose",
    verbs: [
      {
        use: "list",
        isDefault: true,
        about: "list the open proposals",
        options: [["--all", "also proposals that are decided or stale"]],
        async run({ io, engine: { dreams } }, options: { all?: boolean }) {
          const proposals = await dreams.proposals(options.all ? undefined : "open");
          const account = await dreams.account();
          const { open, acceptanceRate: rate } = account;
          io.answer({ proposals, account }, () => {
            tellProposals(io, proposals);
            const decided = rate === undefined ? "" : ` ${percent(rate)} of the decided ones were accepted.`;
            io.line(
              `${open === 0 ? "No proposal is open; repertoire dream makes some." : `${open} open.`}${decided}`,
            );
          });
        },
      },
      {
        use: "show",
        about: "show a proposal with its reasons, its routes and its diff",
        arguments: [["<number>", "its number", positiveInteger]],
        async run({ io, engine }, number: number) {
          const record = await engine.dreams.proposal(number);
          io.answer(record, () => tellProposal(io, record));
        },
      },
      {
        use: "accept",
        about: "make the changes, as one batch that `undo` reverts",
        arguments: [["[numbers...]", "their numbers", eachNumber]],
        options: [["--all", "all open ones"]],
        async run(context, numbers: number[], options: { all?: boolean }) {
          if (!options.all && numbers.length === 0)
            throw new RepertoireError("usage", "Which proposal? repertoire proposals accept 3, or --all.");
          const { io, engine } = context;
          const result = await engine.dreams.accept(options.all ? "all" : numbers);
          io.answer(result, () => {
            tellAccepted(io, result);
            if (result.accepted.length === 0) io.line("Nothing was changed.");
          });
          return result.declined.length === 0 ? EXIT.ok : EXIT.findings;
        },
      },
      {
        use: "reject",
        about: "reject a proposal; it is not proposed again unchanged",
        arguments: [["<number>", "its number", positiveInteger]],
        options: [["--note <text>", "why"]],
        async run({ io, engine }, number: number, options: { note?: string }) {
          const record = await engine.dreams.reject(number, options.note);
          io.answer(record, () =>
            io.line(`Rejected ${record.number}  ${record.title}. It is not proposed again unchanged.`),
          );
        },
      },
    ],
  },
];

async function dream({ io, engine }: Pick<Context, "io" | "engine">, options: DreamFlags): Promise<void> {
  const { dreams } = engine;
  if (options.report) {
    const evidence = await dreams.report();
    return io.answer(evidence, () => tellEvidence(io, evidence));
  }
  const result = await dreams.run({
    ...(options.apply && { apply: true }),
    ...(options.force && { force: true }),
    onPass: ({ pass, state, note }) => io.note(`${pass}: ${state}${note ? `, ${note}` : ""}`),
  });
  const { regressions: worse } = await dreams.account();
  io.answer({ ...result, regressions: worse }, () => {
    if (result.skipped === undefined) tellEvidence(io, result.evidence);
    io.line();
    tellResult(io, result);
    for (const { number, title, batch, before, after } of worse)
      io.line(
        `${io.colour.yellow("worse")} since proposal ${number} (${title}): ${percent(before.rate)} before, ${percent(after.rate)} after. Back: repertoire undo ${batch ?? ""}`,
      );
    if (result.thinking === "rules") io.line(`\n${HOW_TO_THINK}`);
  });
}

/** Plans are cut far earlier; this keeps a wrong file out of the memory. */
const ANSWER_BYTES = 16 * 1024 * 1024;

function readAnswer(file: string): string {
  try {
    return (
      file === "-" ? readInput(0, ANSWER_BYTES) : readBounded(file, { maxBytes: ANSWER_BYTES })
    ).toString("utf8");
  } catch (error) {
    throw new RepertoireError("plan-unreadable", `${file} cannot be read: ${messageOf(error)}.`, file);
  }
}

function eachNumber(text: string, before: unknown): number[] {
  return [...((before as number[] | undefined) ?? []), positiveInteger(text)];
}

function tellProposal(io: Io, record: ProposalRecord): void {
  const { evidence, lost = [], routes, tried, diff, by, cost } = fromRecord(record);
  io.line(
    `${io.colour.bold(`${record.number}  ${record.title}`)} (${record.state}; made by ${by}${cost === undefined ? "" : `, $${cost.toFixed(4)}`})`,
  );
  for (const line of evidence) io.line(`- ${line}`);
  io.line(`${tried} stored messages were tried; all still find their skills.`);
  for (const { message, before, after } of routes)
    io.line(`  "${message}": ${before.join(", ") || "nothing"} -> ${after.join(", ") || "nothing"}`);
  for (const { name, clauses } of lost) {
    io.line(`${io.colour.yellow("may be lost")} ${name} says, and nothing else would:`);
    for (const clause of clauses) io.line(`  - ${clause}`);
  }
  io.line();
  tellDiff(io, diff);
  if (record.state === "open")
    io.line(
      `\nAccept: repertoire proposals accept ${record.number}. Reject: repertoire proposals reject ${record.number}.`,
    );
}
