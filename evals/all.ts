// Prints every figure of every set, through the whole engine.
//
//     npm run evals -- all SETS SKILLS [--only TEXT] [--sources] [--save FILE] [--compare FILE] [--no-encoder] [--cache FOLDER]
//     npm run evals -- all --tuned SETS --held SETS SKILLS
//
// SETS has the files of `data-sets.ts`, SKILLS one folder for each skill. `--save` keeps the figures; `--compare` prints what
// moved since and exits with 1 if a figure is worse by more than its tolerance.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { EvalEngine } from "./engine.ts";
import { FIGURES, inWords, linesOf, movedSince, type Run, type SetFigures } from "./figures.ts";
import { measure } from "./measure.ts";
import { measuredSets } from "./measured-sets.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    only: { type: "string", default: "" },
    tuned: { type: "string" },
    held: { type: "string" },
    sources: { type: "boolean", default: false },
    encoder: { type: "boolean", default: true },
    cache: { type: "string" },
    save: { type: "string" },
    compare: { type: "string" },
  },
});
const skills = positionals.at(-1);
const folders = Object.entries({ sets: positionals.at(-2), tuned: values.tuned, held: values.held });
const given = folders.filter((entry): entry is [string, string] => entry[1] !== undefined);
if (skills === undefined || positionals.length > 2 || given.length === 0)
  throw new Error(
    "Name a folder with the sets (SETS, or --tuned SETS and --held SETS) and one with the skills.",
  );

const before = values.compare && (JSON.parse(readFileSync(values.compare, "utf8")) as Run);
const ids = readdirSync(skills).sort();
const measured = given.map(([folder, path]) => {
  const { sets, ...rest } = measuredSets(path, ids);
  return { folder, ...rest, sets: sets.filter(({ name }) => name.includes(values.only)) };
});
console.error(`indexing ${ids.length} skills`);
const libraries = new Map(measured.flatMap((folder) => [...folder.libraries]));
const engine = await EvalEngine.open(skills, {
  libraries,
  encoder: values.encoder ? "auto" : "off",
  cache: values.cache,
  onEncoded: (done, total) => {
    if (done % 512 < 8 || done === total) console.error(`encoded ${done}/${total}`);
  },
});
const run: Record<string, Record<string, SetFigures>> = {};
try {
  for (const { folder, ...sets } of measured)
    run[folder] = await measure(engine, sets, (name, figures) => {
      const sources = Object.keys(figures.sources).length;
      const title = `\n# ${folder}: ${name}, ${figures.messages} messages, ${sources} ${sources === 1 ? "source" : "sources"}`;
      console.log([title, ...linesOf(figures, values.sources)].join("\n"));
    });
} finally {
  await engine.close();
}
if (values.save) writeFileSync(values.save, `${JSON.stringify(run, undefined, 1)}\n`);
if (before) {
  const moved = movedSince(before, run);
  console.log(moved.length === 0 ? "\nNothing moved." : `\n# moved since ${values.compare}`);
  for (const { folder, set, name, before: was, now, fell } of moved) {
    const change = `${inWords(name, was)} -> ${inWords(name, now)}`;
    console.log(
      `${fell ? "WORSE" : "     "} ${`${folder}: ${set}`.padEnd(38)} ${FIGURES[name].about.trim().padEnd(28)} ${change}`,
    );
  }
  process.exitCode = moved.some(({ fell }) => fell) ? 1 : 0;
}
