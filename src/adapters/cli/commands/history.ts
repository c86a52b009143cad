// `repertoire history NAME`: the versions of a learned skill, newest first.

import type { HistoryReport } from "../../../engine/engine.ts";
import { EXIT, type Register, withEngine } from "../command.ts";
import { positiveInteger } from "../options.ts";

const STATES: Readonly<Record<HistoryReport["state"], string>> = {
  there: "is the same as the newest version",
  archived: "is deleted",
  renamed: "has another name now",
  "edited-outside":
    "was edited outside Repertoire since the newest version; the next change records that edit as a version",
};

export const registerHistory: Register = (program, action) => {
  program
    .command("history <name>")
    .description("list the versions of a learned skill: who changed it, when and why")
    .option("--diff", "show what each version changed")
    .option("--limit <n>", "how many versions", positiveInteger)
    .action(
      action(({ io, open }, name: string, options: { diff?: boolean; limit?: number }) =>
        withEngine(open(), async ({ learned }) => {
          const report = await learned.history(name, options);
          io.answer(report, () => {
            for (const { id, at, action: done, author, reason, diff } of report.versions) {
              const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
              io.line(
                `${io.colour.yellow(id)}  ${when}  ${done.padEnd(7)}  ${author}${reason ? `: ${reason}` : ""}`,
              );
              for (const line of diff?.split("\n") ?? []) io.line(`    ${coloured(io.colour, line)}`);
            }
            const to = report.to === undefined ? "" : `: ${report.to}`;
            io.line(`${report.total} versions; ${report.name} ${STATES[report.state]}${to}.`);
            io.line(io.colour.dim(`Back to one of them: repertoire restore ${report.name} ID`));
          });
          return EXIT.ok;
        }),
      ),
    );
};

function coloured(
  colour: { red: (t: string) => string; green: (t: string) => string },
  line: string,
): string {
  if (line.startsWith("+")) return colour.green(line);
  return line.startsWith("-") ? colour.red(line) : line;
}
