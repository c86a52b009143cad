// `repertoire index`: bring the recall index up to date now.

import { EXIT, type Register } from "../program.ts";

export const registerIndex: Register = (program, action) => {
  program
    .command("index")
    .description("scan all sources, bring the recall index up to date, take over what hooks have left")
    .action(
      action(async ({ io, open }) => {
        const started = performance.now();
        const repertoire = open();
        const { skills, changed } = await (await repertoire.indexing()).refresh();
        await (await repertoire.workshop()).store.tidy();
        const ms = Math.round(performance.now() - started);
        io.answer({ skills, changed, ms }, () =>
          io.line(`${skills} skills indexed${changed ? "" : ", nothing had changed"} (${ms} ms).`),
        );
        await repertoire.close();
        return EXIT.ok;
      }),
    );
};
