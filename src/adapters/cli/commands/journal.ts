// `repertoire journal export SESSION` and `journal import FILE`: what happened, as JSON lines for other programs.

import { readFileSync } from "node:fs";
import { messageOf, RepertoireError } from "../../../model/errors.ts";
import { EXIT, type Register, withEngine } from "../command.ts";

export const registerJournal: Register = (program, action) => {
  const verb = program.command("journal").description("export or import the journal as JSON lines");
  verb
    .command("export <session>")
    .description("print the events of a session, one JSON object per line")
    .action(
      action(({ io, open }, session: string) =>
        withEngine(open(), async ({ journal }) => {
          io.streams.out(await journal.exportSession(session));
          return EXIT.ok;
        }),
      ),
    );
  verb
    .command("import <file>")
    .description("import events; damaged and foreign lines are counted and left out")
    .action(
      action(({ io, open }, file: string) =>
        withEngine(open(), async ({ journal }) => {
          const report = await journal.importLines(textOf(file));
          io.answer(report, () => {
            const { imported, known, torn, foreign } = report;
            io.line(
              `${imported} events imported; ${known} were known, ${torn} lines damaged, ${foreign} foreign.`,
            );
          });
          return EXIT.ok;
        }),
      ),
    );
};

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw new RepertoireError("file-unreadable", `${file} cannot be read: ${messageOf(thrown)}.`, file);
  }
}
