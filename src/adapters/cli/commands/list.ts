// `repertoire list`: the skills that were found, with their states.

import { isManaged, listedSummary } from "../../../engine/engine.ts";
import type { ListedSkill } from "../../../model/skill.ts";
import { EXIT, type Register } from "../command.ts";

export const registerList: Register = (program, action) => {
  program
    .command("list")
    .description("list the skills of this project, your home folder and the package")
    .option("--all", "also skills that another one shadows or that the agent may not see")
    .action(
      action(async ({ io, open }, options: { all?: boolean }) => {
        const { skills, diagnostics } = await open().library.list();
        const listed = options.all ? skills : skills.filter(isManaged);
        io.answer({ skills: listed.map(listedSummary), diagnostics }, () => {
          const rows = listed.map(({ skill, state }) => [
            skill.name,
            state,
            skill.source,
            skill.manifest.brief,
          ]);
          if (rows.length > 0) io.table([["NAME", "STATE", "SOURCE", "DESCRIPTION"], ...rows]);
          io.line(summary(skills, listed));
          for (const { skill, state, reason } of listed) {
            if (state === "unavailable" && reason)
              io.line(`${io.colour.yellow("unavailable")} ${skill.name}: ${reason}`);
          }
          io.findings(diagnostics);
        });
        return EXIT.ok;
      }),
    );
};

function summary(all: readonly ListedSkill[], listed: readonly ListedSkill[]): string {
  if (all.length === 0)
    return "No skills found. `repertoire sources` shows where they are looked for; `repertoire new NAME` makes one.";
  const active = listed.filter(({ state }) => state === "active").length;
  const more = all.length - listed.length;
  return `${listed.length} skills, ${active} active${more > 0 ? `; ${more} more with --all` : ""}.`;
}
