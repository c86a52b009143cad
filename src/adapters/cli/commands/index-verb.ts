// `repertoire index`: bring the recall index up to date now.

import { EXIT, type Register, withEngine } from "../command.ts";

export const registerIndex: Register = (program, action) => {
  program
    .command("index")
    .description("scan all sources, update the recall index, and import what hooks have recorded")
    .action(
      action(({ io, open }) =>
        withEngine(open(), async (engine) => {
          const answer = await engine.library.index();
          await engine.tidy();
          const { skills, changed, ms } = answer;
          io.answer(answer, () =>
            io.line(`${skills} skills indexed${changed ? "" : ", nothing had changed"} (${ms} ms).`),
          );
          return EXIT.ok;
        }),
      ),
    );
};
