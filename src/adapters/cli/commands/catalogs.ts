// The verbs that find skills: search, and catalog with add, remove, list and refresh.

import type { CatalogReport, FoundSkill } from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { forLine } from "../../../text/escape.ts";
import { numberOf } from "../../../text/numbers.ts";
import { EXIT, positiveInteger, type Verb } from "../command.ts";
import { type Io, stepsDisplay } from "../io.ts";
import { day } from "../tell.ts";

/** The strongest reasons; --json has all. */
const REASONS_SHOWN = 2;

export const CATALOG_VERBS: readonly Verb[] = [
  {
    use: "search <words...>",
    examples: ["search extract tables from a pdf"],
    about: "search installed skills and those of your catalogs, without a network and with reasons",
    options: [["--limit <n>", "how many of each (default: 10)", positiveInteger]],
    async run({ io, engine }, words: readonly string[], options: { readonly limit?: number }) {
      const report = await engine.search(words.join(" "), options);
      const { installed, catalogs, missing } = report;
      io.answer(report, () => {
        if (installed.length > 0) io.line(io.colour.bold("Installed"));
        for (const found of installed) tellFound(io, found);
        if (catalogs.length > 0) io.line(io.colour.bold("In catalogs"));
        for (const found of catalogs) {
          tellFound(io, found);
          io.line(`    ${io.colour.cyan(`repertoire add ${forLine(found.source)} ${found.name}`)}`);
        }
        if (installed.length + catalogs.length === 0) io.line("Nothing found.");
        for (const source of missing)
          io.note(
            `${io.colour.yellow("note")} ${forLine(source)} was never fetched: repertoire catalog refresh`,
          );
      });
      return installed.length + catalogs.length > 0 ? EXIT.ok : EXIT.findings;
    },
  },
  {
    use: "catalog",
    examples: ["catalog add anthropics/skills", "catalog refresh"],
    about: "manage collections of skills that are searched without being installed",
    verbs: [
      {
        use: "list",
        about: "list them, with the number of their skills (the default)",
        isDefault: true,
        async run({ io, engine }) {
          const catalogs = await engine.catalogs.list();
          io.answer({ catalogs }, () => tellCatalogs(io, catalogs));
        },
      },
      {
        use: "add <source>",
        about: "add owner/repository, a git address or a folder, and fetch it",
        async run({ io, engine }, source: string) {
          const { file } = await engine.setCatalog(source, true);
          const [catalog] = await engine.catalogs.refresh({ source, onProgress: stepsDisplay(io.streams) });
          if (catalog?.failure) await engine.setCatalog(source, false);
          io.answer({ catalog, file }, () => tellCatalogs(io, [catalog!]));
          return catalog?.failure ? EXIT.findings : EXIT.ok;
        },
      },
      {
        use: "remove <source>",
        about: "search a catalog no longer",
        async run({ io, engine }, source: string) {
          if (!(await engine.catalogs.list()).some((each) => each.source === source))
            throw new RepertoireError(
              "catalog-unknown",
              `"${source}" is not a catalog: repertoire catalog lists them.`,
              source,
            );
          const { file } = await engine.setCatalog(source, false);
          io.answer({ removed: source, file }, () => io.line(`Removed ${forLine(source)} from ${file}.`));
        },
      },
      {
        use: "refresh [source]",
        about: "fetch them again",
        async run({ io, engine }, source: string | undefined) {
          const catalogs = await engine.catalogs.refresh({ source, onProgress: stepsDisplay(io.streams) });
          io.answer({ catalogs }, () => tellCatalogs(io, catalogs));
          return catalogs.some(({ failure }) => failure) ? EXIT.findings : EXIT.ok;
        },
      },
    ],
  },
];

function tellFound(io: Io, { name, description, score, reasons }: FoundSkill): void {
  const why = reasons.slice(0, REASONS_SHOWN).map(({ signal, note }) => note || signal);
  io.table([[`  ${io.colour.bold(name)}`, io.colour.dim(score.toFixed(2)), forLine(description)]]);
  io.line(`    ${io.colour.dim(`because of: ${forLine(why.join("; "))}`)}`);
}

function tellCatalogs(io: Io, catalogs: readonly CatalogReport[]): void {
  for (const { source, skills, fetchedAt, failure } of catalogs) {
    const state =
      skills === undefined
        ? "never fetched"
        : `${numberOf(skills, "skill")}, fetched ${day(Date.parse(fetchedAt ?? ""))}`;
    io.line(`${io.colour.bold(forLine(source))}  ${io.colour.dim(state)}`);
    if (failure) io.note(`  ${io.colour.yellow("not fetched")} ${forLine(failure.message)}`);
  }
  if (catalogs.length === 0) io.line("There is no catalog. Add one: repertoire catalog add OWNER/REPOSITORY");
}
