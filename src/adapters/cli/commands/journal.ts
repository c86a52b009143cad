// `repertoire journal export SESSION` and `journal import FILE`: what happened, as lines that other programs read.

import { readFileSync } from "node:fs";
import { exportSession, importLines } from "../../../journal/journal.ts";
import { messageOf, RepertoireError } from "../../../model/errors.ts";
import { withLearned } from "../learned.ts";
import { EXIT, type Register } from "../program.ts";

export const registerJournal: Register = (program, action) => {
  const journal = program
    .command("journal")
    .description("hand the journal out, or take one in, as JSON lines");
  journal
    .command("export <session>")
    .description("print the events of a session, one JSON object a line")
    .action(
      action(({ io, open }, session: string) =>
        withLearned(open(), async (_, store) => {
          io.streams.out(await exportSession(store.journal, session));
          return EXIT.ok;
        }),
      ),
    );
  journal
    .command("import <file>")
    .description("take events in; lines that are torn or not ours are counted and left out")
    .action(
      action(({ io, open }, file: string) =>
        withLearned(open(), async (_, store) => {
          const report = await importLines(store.journal, textOf(file));
          io.answer(report, () => {
            const { imported, known, torn, foreign } = report;
            io.line(
              `${imported} events taken in; ${known} were known, ${torn} lines torn, ${foreign} not ours.`,
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
