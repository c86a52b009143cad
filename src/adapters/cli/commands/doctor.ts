// `repertoire doctor`: what was found where, what is broken, and how to mend it.

import { doctorAnswer } from "../../answers/library.ts";
import { EXIT, type Register } from "../program.ts";

export const registerDoctor: Register = (program, action) => {
  program
    .command("doctor")
    .description(
      "say what was found where, what is broken and how to mend it; exits 1 when a skill is broken",
    )
    .action(
      action(async ({ io, open }) => {
        const repertoire = open();
        const { skills } = await repertoire.list();
        const answer = await doctorAnswer(repertoire);
        const { sources, counts, diagnostics } = answer;
        const problems = diagnostics.filter(({ severity }) => severity !== "info");
        const errors = problems.filter(({ severity }) => severity === "error").length;
        const { files, cacheDir } = repertoire.config;
        io.answer(answer, () => {
          io.line(
            `Node ${process.version}; configuration: ${files.length > 0 ? files.join(", ") : "none (defaults)"}; cache: ${cacheDir ?? "off"}`,
          );
          io.table([
            ["SOURCE", "SKILLS", "FOLDER"],
            ...sources.map(({ id, skills: count, root }) => [id, String(count), root]),
          ]);
          io.line(
            Object.entries(counts)
              .map(([state, count]) => `${count} ${state}`)
              .join(", "),
          );
          for (const { skill, state, reason } of skills) {
            if (state === "unavailable")
              io.line(`${io.colour.yellow("unavailable")} ${skill.name}: ${reason}`);
          }
          for (const finding of problems) io.line(io.finding(finding));
          io.line(
            problems.length === 0
              ? io.colour.green("Nothing is broken.")
              : `${errors} errors, ${problems.length - errors} warnings.`,
          );
        });
        return errors > 0 ? EXIT.findings : EXIT.ok;
      }),
    );
};
