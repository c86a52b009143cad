// `repertoire new NAME`: a skill to start from.

import { TEMPLATES, type Template } from "../../../engine/engine.ts";
import { EXIT, type Register, withEngine } from "../command.ts";
import { accepting } from "../options.ts";

export const registerNew: Register = (program, action) => {
  program
    .command("new <name>")
    .description("make a new skill from a template")
    .option("--template <template>", TEMPLATES.join(", "), accepting(TEMPLATES), "basic")
    .option("--description <text>", "what it does and when to use it")
    .option(
      "--user",
      "in your home folder (~/.repertoire/skills) instead of the project's .repertoire/skills",
    )
    .option("--to <folder>", "below this folder instead")
    .action(
      action(
        (
          { io, open },
          name: string,
          options: { template: Template; description?: string; user?: boolean; to?: string },
        ) =>
          withEngine(open(), async ({ learned }) => {
            const made = await learned.create(name, options);
            io.answer(made, () => {
              io.line(`Made ${made.name}:`);
              for (const file of made.files) io.line(`  ${file}`);
              if (made.source === undefined)
                io.note(
                  "The configuration reads no source there, so the skill is not found yet: add the folder to sources.add.",
                );
              io.line(
                `Next: edit SKILL.md, then \`repertoire check ${made.directory}\` and \`repertoire show ${made.name}\`.`,
              );
            });
            return EXIT.ok;
          }),
      ),
    );
};
