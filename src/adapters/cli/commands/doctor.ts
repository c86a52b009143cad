// `repertoire doctor`: what was found where, what is broken, and how to fix it.

import { EXIT, type Register } from "../command.ts";

export const registerDoctor: Register = (program, action) => {
  program
    .command("doctor")
    .description(
      "show what was found where, what is broken and how to fix it; exits 1 when a skill is broken",
    )
    .action(
      action(async ({ io, open }) => {
        const { library } = open();
        const { skills } = await library.list();
        const answer = { node: process.version, ...(await library.diagnosis()) };
        const { sources, counts, diagnostics } = answer;
        const problems = diagnostics.filter(({ severity }) => severity !== "info");
        const errors = problems.filter(({ severity }) => severity === "error").length;
        const { config, cache } = answer;
        io.answer(answer, () => {
          io.line(
            `Node ${process.version}; configuration: ${config.length > 0 ? config.join(", ") : "none (defaults)"}; cache: ${cache ?? "off"}`,
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
