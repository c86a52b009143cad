// `repertoire proposals`: lists, shows, accepts and rejects what dreams propose.

import { fromRecord, type ProposalRecord } from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { EXIT, type Register, withEngine } from "../command.ts";
import { tellAccepted, tellProposals } from "../dreaming.ts";
import type { Io } from "../io.ts";
import { positiveInteger } from "../options.ts";

export const registerProposals: Register = (program, action) => {
  const proposals = program
    .command("proposals")
    .description("list, show, accept or reject what dreams propose");
  proposals
    .command("list", { isDefault: true })
    .description("list the open proposals")
    .option("--all", "also proposals that are decided or stale")
    .action(
      action(({ io, open }, options: { all?: boolean }) =>
        withEngine(open(), async ({ dreams }) => {
          const found = await dreams.proposals(options.all ? undefined : "open");
          const account = await dreams.account();
          io.answer({ proposals: found, account }, () => {
            tellProposals(io, found);
            const { acceptanceRate: rate } = account;
            const decided =
              rate === undefined ? "" : ` ${Math.round(rate * 100)}% of the decided ones were accepted.`;
            io.line(
              `${account.open === 0 ? "No proposal is open; repertoire dream makes some." : `${account.open} open.`}${decided}`,
            );
          });
          return EXIT.ok;
        }),
      ),
    );
  proposals
    .command("show")
    .description("show a proposal with its reasons, its routes and its diff")
    .argument("<number>", "its number", positiveInteger)
    .action(
      action(({ io, open }, number: number) =>
        withEngine(open(), async ({ dreams }) => {
          const record = await dreams.proposal(number);
          io.answer(record, () => show(io, record));
          return EXIT.ok;
        }),
      ),
    );
  proposals
    .command("accept")
    .description("make the changes, as one batch that `undo` reverts")
    .argument("[numbers...]", "their numbers", eachNumber)
    .option("--all", "all open ones")
    .action(
      action(({ io, open }, numbers: number[], options: { all?: boolean }) => {
        if (!options.all && numbers.length === 0)
          throw new RepertoireError("usage", "Which proposal? repertoire proposals accept 3, or --all.");
        return withEngine(open(), async ({ dreams }) => {
          const result = await dreams.accept(options.all ? "all" : numbers);
          io.answer(result, () => {
            tellAccepted(io, result);
            if (result.accepted.length === 0) io.line("Nothing was changed.");
          });
          return result.declined.length === 0 ? EXIT.ok : EXIT.findings;
        });
      }),
    );
  proposals
    .command("reject")
    .description("reject a proposal; it is not proposed again unchanged")
    .argument("<number>", "its number", positiveInteger)
    .option("--note <text>", "why")
    .action(
      action(({ io, open }, number: number, options: { note?: string }) =>
        withEngine(open(), async ({ dreams }) => {
          const record = await dreams.reject(number, options.note);
          io.answer(record, () =>
            io.line(`Rejected ${record.number}  ${record.title}. It is not proposed again unchanged.`),
          );
          return EXIT.ok;
        }),
      ),
    );
};

function eachNumber(text: string, before: readonly number[] = []): number[] {
  return [...before, positiveInteger(text)];
}

function show(io: Io, record: ProposalRecord): void {
  const { evidence, routes, tried, diff, by, cost } = fromRecord(record);
  io.line(
    `${io.colour.bold(`${record.number}  ${record.title}`)} (${record.state}; made by ${by}${cost === undefined ? "" : `, $${cost.toFixed(4)}`})`,
  );
  for (const line of evidence) io.line(`- ${line}`);
  io.line(`${tried} stored messages were tried; all still find their skills.`);
  for (const { message, before, after } of routes)
    io.line(`  "${message}": ${before.join(", ") || "nothing"} -> ${after.join(", ") || "nothing"}`);
  io.line();
  for (const line of diff.split("\n"))
    io.line(line.startsWith("+") ? io.colour.green(line) : line.startsWith("-") ? io.colour.red(line) : line);
  if (record.state === "open")
    io.line(
      `\nAccept: repertoire proposals accept ${record.number}. Reject: repertoire proposals reject ${record.number}.`,
    );
}
