// `repertoire expand "/NAME WORDS"`: the text that a slash command becomes.

import { EXIT, type Register, withEngine } from "../command.ts";
import { CLI_TASK, TASK_OPTION } from "../options.ts";

export const registerExpand: Register = (program, action) => {
  program
    .command("expand <text...>")
    .description('print what a slash command becomes: "/sven/plan analyse the auth module"')
    .option("--complete", "list the commands that begin with this text instead")
    .option(...TASK_OPTION)
    .action(
      action(({ io, open }, words: string[], options: { task?: string; complete?: boolean }) =>
        withEngine(open(), async ({ commands: slash }) => {
          const text = words.join(" ");
          if (options.complete) {
            const commands = await slash.complete(text);
            io.answer({ commands }, () => {
              io.table(
                commands.map(({ command, argumentHint, description }) => [
                  `/${command}`,
                  argumentHint ?? "",
                  description,
                ]),
              );
            });
            return EXIT.ok;
          }
          const expansion = await slash.expand(text, { task: options.task ?? CLI_TASK });
          io.answer(expansion, () => io.line(expansion.text));
          return EXIT.ok;
        }),
      ),
    );
};
