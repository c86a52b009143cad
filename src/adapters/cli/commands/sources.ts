// `repertoire sources`: where skills are looked for, in order of precedence.

import { EXIT, type Register } from "../command.ts";

export const registerSources: Register = (program, action) => {
  program
    .command("sources")
    .description("list the places that skills come from, lowest precedence first")
    .action(
      action(async ({ io, open }) => {
        const sources = await open().library.sources();
        io.answer({ sources }, () => {
          io.table([
            ["SOURCE", "SKILLS", "FOLDER"],
            ...sources.map(({ id, skills, root, exists }) => [id, exists ? String(skills) : "-", root]),
          ]);
          io.line(
            "A later source wins over an earlier one. `sources` in repertoire.config.json adds, drops and reorders.",
          );
        });
        return EXIT.ok;
      }),
    );
};
