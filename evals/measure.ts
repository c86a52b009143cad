// Asks the engine every message of some sets and makes the figures of each set.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lookupKey } from "../src/model/name.ts";
import { EvalEngine, type EvalEngineOptions } from "./engine.ts";
import { figuresOf, judge, type SetFigures } from "./figures.ts";
import { type MeasuredFolder, ownSets } from "./measured-sets.ts";

/** Measures every set; `onSet` gets each one as soon as it is measured. */
export async function measure(
  engine: EvalEngine,
  { sets, duplicates }: MeasuredFolder,
  onSet: (name: string, figures: SetFigures) => void = () => {},
): Promise<Record<string, SetFigures>> {
  const originals = new Map(
    Object.entries(duplicates).map(([copy, first]) => [lookupKey(copy), lookupKey(first)]),
  );
  const identity = (name: string) => originals.get(name) ?? name;
  const measured: Record<string, SetFigures> = {};
  for (const { name, messages } of sets) {
    const outcomes = [];
    for (const message of messages) {
      const answer = await engine.ask(message.query, message.library);
      outcomes.push({
        source: message.source,
        outcome: judge(message, answer, identity),
        ms: answer.ms,
      });
    }
    const figures = figuresOf(outcomes, name);
    measured[name] = figures;
    onSet(name, figures);
  }
  return measured;
}

/** Measures our own set in `folder`, whose skills are a JSON list of names, descriptions and bodies. */
export async function measureOwn(
  folder: string,
  { bundled = false, encoder = "auto" }: Pick<EvalEngineOptions, "bundled" | "encoder"> = {},
): Promise<Record<string, SetFigures>> {
  const skills = JSON.parse(readFileSync(join(folder, "skills.json"), "utf8")) as {
    name: string;
    description: string;
    body: string;
  }[];
  const root = mkdtempSync(join(tmpdir(), "repertoire-evals-own-"));
  for (const { name, description, body } of skills) {
    mkdirSync(join(root, name));
    const head = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n`;
    writeFileSync(join(root, name, "SKILL.md"), head + body);
  }
  const engine = await EvalEngine.open(root, { bundled, encoder });
  try {
    return await measure(engine, ownSets(folder));
  } finally {
    await engine.close();
    rmSync(root, { recursive: true, force: true });
  }
}
