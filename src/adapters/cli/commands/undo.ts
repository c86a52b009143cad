// `repertoire undo [TARGET]`: undoes the last change of the learned skills, or a named one.

import { EXIT, type Register, withEngine } from "../command.ts";

export const registerUndo: Register = (program, action) => {
  program
    .command("undo [target]")
    .description(
      "undo the last change of your learned skills, or of one skill, or a batch or version by its id; undo again to redo",
    )
    .option("--reason <text>", "why, for the history")
    .action(
      action(({ io, open }, target: string | undefined, options: { reason?: string }) =>
        withEngine(open(), async ({ learned }) => {
          const undone = await learned.undo(target, options);
          io.answer({ undone }, () => {
            for (const { name, digest, version } of undone) {
              const state = digest === undefined ? "is gone again" : "is as it was before";
              io.line(`${name} ${state}. Version ${version}.`);
            }
            io.line(io.colour.dim("Redo: repertoire undo. Earlier versions: repertoire history NAME"));
          });
          return EXIT.ok;
        }),
      ),
    );
};
