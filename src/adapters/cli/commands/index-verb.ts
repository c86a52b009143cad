// `repertoire index`: bring the recall index up to date now.

import { EXIT, type Register } from "../program.ts";

export const registerIndex: Register = (program, action) => {
  program
    .command("index")
    .description("scan all sources and bring the recall index up to date")
    .action(
      action(async ({ io, open }) => {
        const started = performance.now();
        const { skills, changed } = await (await open().indexing()).refresh();
        const ms = Math.round(performance.now() - started);
        io.answer({ skills, changed, ms }, () =>
          io.line(`${skills} skills indexed${changed ? "" : ", nothing had changed"} (${ms} ms).`),
        );
        return EXIT.ok;
      }),
    );
};
