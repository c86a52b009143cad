// `repertoire enable NAME` and `repertoire disable NAME`: overrides `default_enabled` for this person.

import { EXIT, type Register } from "../command.ts";

export const registerSwitch: Register = (program, action) => {
  for (const verb of ["enable", "disable"] as const) {
    program
      .command(`${verb} <name>`)
      .description(`switch a skill ${verb === "enable" ? "on" : "off"} in your own configuration`)
      .action(
        action(async ({ io, open }, name: string) => {
          const { name: skill, file } = await open().library.setEnabled(name, verb === "enable");
          io.answer({ name: skill, enabled: verb === "enable", file }, () => {
            io.line(`${skill} is switched ${verb === "enable" ? "on" : "off"} (${file}).`);
          });
          return EXIT.ok;
        }),
      );
  }
};
