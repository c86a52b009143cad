// `repertoire pin NAME` and `repertoire unpin NAME`: whether agents and dreams may change a learned skill.

import { EXIT, type Register, withEngine } from "../command.ts";

export const registerPin: Register = (program, action) => {
  for (const verb of ["pin", "unpin"] as const) {
    program
      .command(`${verb} <name>`)
      .description(
        verb === "pin" ? "let nobody but you change a learned skill" : "let agents change it again",
      )
      .action(
        action(({ io, open }, name: string) =>
          withEngine(open(), async ({ learned }) => {
            const changed = await learned.pin(name, verb === "pin");
            io.answer(changed, () => {
              const now = verb === "pin" ? "pinned: only you change it" : "not pinned: agents may change it";
              io.line(`${changed.name} is ${now}.`);
            });
            return EXIT.ok;
          }),
        ),
      );
  }
};
