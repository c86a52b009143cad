// `repertoire task list|end`: the tasks that have not ended, and ending one.

import { EXIT, type Register, withEngine } from "../command.ts";

export const registerTask: Register = (program, action) => {
  const task = program
    .command("task")
    .description("list the tasks that skills were activated in, or end one");
  task
    .command("list")
    .description("list the tasks that have not ended, with their skills")
    .action(
      action(({ io, open }) =>
        withEngine(open(), async ({ tasks }) => {
          const listed = await tasks.list();
          io.answer({ tasks: listed }, () => {
            if (listed.length === 0) io.line("No task is open.");
            else
              io.table([
                ["TASK", "STARTED", "SKILLS"],
                ...listed.map(({ id, startedAt, skills }) => [
                  id,
                  new Date(startedAt).toISOString().slice(0, 16).replace("T", " "),
                  skills.map(({ name }) => name).join(", "),
                ]),
              ]);
          });
          return EXIT.ok;
        }),
      ),
    );
  task
    .command("end <id>")
    .description("forget what was agreed to in a task and remove its private copies")
    .action(
      action(({ io, open }, id: string) =>
        withEngine(open(), async ({ tasks }) => {
          await tasks.endExisting(id);
          io.answer({ ended: id }, () => io.line(`The task "${id}" has ended.`));
          return EXIT.ok;
        }),
      ),
    );
};
