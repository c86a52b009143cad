// `repertoire activate NAME`: a skill's instructions, with consent, into a task.

import { EXIT, type Register, withEngine } from "../command.ts";
import { askerFor } from "../consent-prompt.ts";
import { CLI_TASK, TASK_OPTION } from "../options.ts";

export const registerActivate: Register = (program, action) => {
  program
    .command("activate <name>")
    .description("activate a skill after your consent, and print its instructions as a model gets them")
    .option(...TASK_OPTION)
    .option("--yes", "agree without being asked")
    .action(
      action(({ io, open }, name: string, options: { task?: string; yes?: boolean }) =>
        withEngine(open(), async ({ tasks }) => {
          const { payload, text } = await tasks.activate(name, {
            task: options.task ?? CLI_TASK,
            audience: "person",
            ...askerFor(io, options),
          });
          io.answer(payload, () => {
            io.line(text);
            const how = payload.alreadyActivated ? "already activated" : "activated";
            io.note(io.colour.dim(`${payload.name} ${how} in the task "${options.task ?? CLI_TASK}".`));
          });
          return EXIT.ok;
        }),
      ),
    );
};
