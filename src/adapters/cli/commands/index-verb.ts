// `repertoire index`: bring the recall index up to date now.

import { indexAnswer } from "../../answers/library.ts";
import { EXIT, type Register } from "../program.ts";

export const registerIndex: Register = (program, action) => {
  program
    .command("index")
    .description("scan all sources, bring the recall index up to date, take over what hooks have left")
    .action(
      action(async ({ io, open }) => {
        const repertoire = open();
        const answer = await indexAnswer(repertoire);
        await (await repertoire.workshop()).store.tidy();
        const { skills, changed, ms } = answer;
        io.answer(answer, () =>
          io.line(`${skills} skills indexed${changed ? "" : ", nothing had changed"} (${ms} ms).`),
        );
        await repertoire.close();
        return EXIT.ok;
      }),
    );
};
