// The verbs that give skills to others: link, export, publish.

import { VERDICTS } from "../../../engine/engine.ts";
import { forLine } from "../../../text/escape.ts";
import { numberOf } from "../../../text/numbers.ts";
import { EXIT, type Verb } from "../command.ts";
import { verdictCounts } from "../tell.ts";

const LINKED: Readonly<Record<string, string>> = {
  linked: "sees it now",
  unlinked: "sees it no longer",
  there: "saw it already",
  own: "has it in its own folder",
  taken: "has something else of this name",
  none: "did not see it",
};

export const SHARING_VERBS: readonly Verb[] = [
  {
    use: "link <name> [agents...]",
    examples: ["link pdf", "link pdf claude cursor --project"],
    about:
      "make a skill visible to agents that look elsewhere (claude, codex, cursor, gemini, …); all that are here unless named",
    options: [
      ["--project", "in the project's folders of these agents, not in yours"],
      ["--off", "remove the links"],
    ],
    async run(
      { io, engine },
      name: string,
      agents: readonly string[],
      flags: { project?: boolean; off?: boolean },
    ) {
      const links = await engine.sharing.link(name, {
        ...flags,
        hosts: agents.length > 0 ? agents : undefined,
      });
      io.answer({ links }, () => {
        for (const { host, path, result } of links)
          io.line(`${host} ${LINKED[result]}  ${io.colour.dim(path)}`);
        if (links.length === 0) io.line("No other agent was found here. Name one, for example: claude");
      });
      return links.some(({ result }) => result === "taken") ? EXIT.findings : EXIT.ok;
    },
  },
  {
    use: "export <names...>",
    examples: ["export pdf --to pdf.zip", "export pdf docx --plugin documents"],
    about: "pack skills as a folder, an archive (.zip, .skill, .tar.gz) or a plugin",
    options: [
      ["--to <path>", "where to write; its ending decides what (default: NAME.skill)"],
      ["--plugin <name>", "as a plugin of this name for Claude Code"],
    ],
    async run({ io, engine }, names: readonly string[], { to, plugin }: { to?: string; plugin?: string }) {
      const path =
        to ?? `${(plugin ?? names[0]!).split("/").at(-1)}${plugin === undefined ? ".skill" : ".zip"}`;
      const report = await engine.sharing.export(names, { to: path, plugin });
      io.answer(report, () =>
        io.line(
          `Wrote ${report.path}: ${numberOf(report.files, "file")}, ${numberOf(report.bytes, "byte")}.`,
        ),
      );
    },
  },
  {
    use: "publish <folder> [names...]",
    examples: ["publish ../team-skills pdf docx"],
    about: "prepare a repository of skills: packages, marketplace file, README and checks; pushes nothing",
    async run({ io, engine }, folder: string, names: readonly string[]) {
      const report = await engine.sharing.publish(folder, names);
      const checked = await engine.library.check({ path: report.folder, profile: "strict" });
      const { inspection, diagnostics, errors } = checked;
      io.answer({ ...report, errors, diagnostics, inspection }, () => {
        for (const path of report.written) io.line(`${io.colour.green("wrote")} ${forLine(path)}`);
        io.findings(diagnostics);
        io.line(verdictCounts(io, inspection));
        io.line(
          `${numberOf(report.skills.length, "skill")} in ${forLine(report.folder)}. Nothing was pushed. Next:`,
        );
        io.line(
          io.colour.cyan(
            `  cd ${forLine(report.folder)} && git add . && git commit -m "Publish skills" && git push`,
          ),
        );
      });
      const isWorrying = VERDICTS.indexOf(inspection.verdict) >= VERDICTS.indexOf("suspicious");
      return errors > 0 || isWorrying ? EXIT.findings : EXIT.ok;
    },
  },
];
