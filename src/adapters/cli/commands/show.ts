// `repertoire show NAME`: one skill, whole.

import { skillDetails } from "../../../engine/engine.ts";
import { EXIT, type Register } from "../command.ts";

export const registerShow: Register = (program, action) => {
  program
    .command("show <name>")
    .description("show one skill: its front matter, files, sub-skills, findings and instructions")
    .action(
      action(async ({ io, open }, name: string) => {
        const report = await open().library.show(name);
        const { skill, body, files, subSkills, diagnostics } = report;
        const { manifest } = skill;
        io.answer(skillDetails(report), () => {
          io.line(
            io.colour.bold(
              skill.displayName === skill.name ? skill.name : `${skill.name} (${skill.displayName})`,
            ),
          );
          io.line(manifest.description);
          io.line();
          const facts: [string, string][] = [
            ["state", skill.reason ? `${skill.state}: ${skill.reason}` : skill.state],
            ["source", skill.source],
            ["path", skill.path],
            ["digest", skill.digest],
            ["version", manifest.version ?? ""],
            ["domain", manifest.domain ?? ""],
            ["frames", manifest.frames.join(", ")],
            [
              "triggers",
              [...manifest.triggers.keywords, ...manifest.triggers.verbs, ...manifest.triggers.patterns].join(
                ", ",
              ),
            ],
            [
              "requires",
              [...manifest.requires.env, ...manifest.requires.bins, ...manifest.requires.anyBins].join(", "),
            ],
            ["tools", [...manifest.tools, ...manifest.allowedTools].join(", ")],
            ["see also", manifest.seeAlso.join(", ")],
            ["sub-skills", subSkills.map((child) => child.name).join(", ")],
            ["files", files.join(", ")],
          ];
          io.table(
            facts.filter(([, value]) => value !== "").map(([key, value]) => [io.colour.dim(key), value]),
          );
          io.line();
          io.line(body.trim());
          io.findings(diagnostics);
        });
        return EXIT.ok;
      }),
    );
};
