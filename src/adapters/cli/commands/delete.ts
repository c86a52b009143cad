// `repertoire delete NAME`: archives a learned skill. `repertoire archive`: what was archived.

import { EXIT, type Register, withEngine } from "../command.ts";
import { tellChange } from "../learned.ts";

export const registerDelete: Register = (program, action) => {
  program
    .command("delete <name>")
    .description("delete a learned skill; its versions are kept and `restore` brings it back")
    .option("--reason <text>", "why, for the history")
    .action(
      action(({ io, open }, name: string, options: { reason?: string }) =>
        withEngine(open(), async ({ learned }) => {
          const changed = await learned.delete(name, options);
          tellChange(io, changed, `repertoire restore ${changed.name}`);
          return EXIT.ok;
        }),
      ),
    );
};

export const registerArchive: Register = (program, action) => {
  program
    .command("archive")
    .description("list the learned skills that were deleted and can be restored")
    .option("--list", "list them (the default)")
    .action(
      action(({ io, open }) =>
        withEngine(open(), async ({ learned }) => {
          const archived = await learned.archived();
          io.answer({ archived }, () => {
            for (const { name, at, author, reason, data } of archived) {
              const into = data?.to === undefined ? "" : ` (now part of ${data.to})`;
              io.line(`${name}${into}: deleted ${day(at)} by ${author}${reason ? `: ${reason}` : ""}`);
            }
            io.line(
              archived.length === 0
                ? "Nothing is archived."
                : `${archived.length} archived; bring one back with repertoire restore NAME.`,
            );
          });
          return EXIT.ok;
        }),
      ),
    );
};

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
