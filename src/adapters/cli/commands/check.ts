// `repertoire check [PATH]`: what is wrong with skills, for people and for CI.

import { EXIT, type Register } from "../command.ts";
import { accepting } from "../options.ts";

export const registerCheck: Register = (program, action) => {
  program
    .command("check [path]")
    .description("check a skill, a folder of skills, or all skills; exits 1 when one has errors")
    .option(
      "--profile <profile>",
      "lenient (what Repertoire reads) or strict (the open specification)",
      accepting(["lenient", "strict"]),
      "lenient",
    )
    .action(
      action(async ({ io, open }, path: string | undefined, options: { profile: "lenient" | "strict" }) => {
        const answer = await open().library.check({ path, profile: options.profile });
        const { checked, errors, warnings, diagnostics } = answer;
        io.answer(answer, () => {
          for (const finding of diagnostics) io.line(io.finding(finding));
          io.line(`${checked} skills checked (${options.profile}): ${errors} errors, ${warnings} warnings.`);
        });
        return errors > 0 ? EXIT.findings : EXIT.ok;
      }),
    );
};
