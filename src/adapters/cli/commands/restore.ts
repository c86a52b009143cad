// `repertoire restore NAME`: brings back a deleted skill, or an earlier version of one.

import { EXIT, type Register, withEngine } from "../command.ts";
import { tellChange } from "../learned.ts";

export const registerRestore: Register = (program, action) => {
  program
    .command("restore <name> [version]")
    .description(
      "bring back a deleted skill, or an earlier version of one (`repertoire history NAME` lists them)",
    )
    .option("--reason <text>", "why, for the history")
    .action(
      action(({ io, open }, name: string, version: string | undefined, options: { reason?: string }) =>
        withEngine(open(), async ({ learned }) => {
          tellChange(
            io,
            await learned.restore(name, { ...options, ...(version !== undefined && { version }) }),
            "repertoire undo",
          );
          return EXIT.ok;
        }),
      ),
    );
};
