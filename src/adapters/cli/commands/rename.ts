// `repertoire rename OLD NEW`: gives a learned skill another name; the old name redirects to it.

import { EXIT, type Register, withEngine } from "../command.ts";
import { tellChange } from "../learned.ts";

export const registerRename: Register = (program, action) => {
  program
    .command("rename <old> <new>")
    .description("give a learned skill another name; the old name redirects to it")
    .option("--reason <text>", "why, for the history")
    .action(
      action(({ io, open }, old: string, name: string, options: { reason?: string }) =>
        withEngine(open(), async ({ learned }) => {
          tellChange(io, await learned.rename(old, name, options), "repertoire undo");
          return EXIT.ok;
        }),
      ),
    );
};
