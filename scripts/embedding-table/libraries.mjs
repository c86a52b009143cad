// Owns the reading of evaluation libraries for `measure.mjs`. Nothing of them ends up in the table.
import { readFileSync } from "node:fs";
import { join } from "node:path";

function nameAndDescription(text, id) {
  const front = /^\uFEFF?\s*---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? "";
  const value = (key) =>
    new RegExp(`^${key}:[ \\t]*(.*(?:\\n[ \\t]+.*)*)`, "m")
      .exec(front)?.[1]
      ?.replace(/^[|>][+-]?\s|\s+/g, " ")
      .trim();
  const name = value("name") ?? id.split("__").pop();
  return `${name.replace(/[-_]/g, " ")}: ${value("description") ?? text.slice(front.length, front.length + 400)}`;
}

export function readLibraries(folder) {
  const json = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const skills = process.env.SKILLS ?? join(folder, "skills");
  const libraries = json("libraries.json");
  const copies = json("duplicates.json");
  const queries = readFileSync(join(folder, "queries.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return Object.entries(libraries).map(([source, ids]) => {
    const original = (id) => copies[id] ?? id;
    return {
      source,
      documents: ids.map((id) => ({
        id: original(id),
        text: nameAndDescription(readFileSync(join(skills, id, "SKILL.md"), "utf8"), id),
      })),
      queries: queries
        .filter((query) => query.source === source)
        .map(({ query, gold }) => ({ query, gold: new Set(gold.map(original)) })),
    };
  });
}
