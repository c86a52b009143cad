// Owns the last resort: `name`, `description` and the flags that restrict a skill, taken from lines without YAML.
// Does not own anything finer: what this cannot see is not read.

import { frontMatterTable } from "./dialects.ts";
import { LIMITS } from "./limits.ts";
import type { YamlMap } from "./yaml.ts";

/** A skill that hides itself from the model must stay hidden when its YAML is broken. */
const FLAG_KEYS = frontMatterTable()
  .filter((row) => row.kind === "flag")
  .flatMap((row) => [row.key, ...(row.also ?? [])]);
const FLAG_LINE = new RegExp(
  `^[ \\t]*(${FLAG_KEYS.map(anySpelling).join("|")})[ \\t]*:[ \\t]*["']?(\\w+)`,
  "gim",
);
const TEXT_LINE = /^["']?(name|description)["']?[ \t]*:[ \t]*(.*)$/i;

/** What could be found, or undefined when neither a name nor a description could. */
export function extractBare(yaml: string): YamlMap | undefined {
  const text = yaml.slice(0, LIMITS.frontMatterChars);
  const found: YamlMap = Object.create(null);
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const match = TEXT_LINE.exec(lines[index] as string);
    if (!match) continue;
    const key = (match[1] as string).toLowerCase();
    if (typeof found[key] === "string") continue;
    const value = valueFrom(match[2] as string, lines, index + 1);
    if (value !== "") found[key] = value;
  }
  if (Object.keys(found).length === 0) return undefined;
  for (const [, key, value] of text.matchAll(FLAG_LINE)) found[key as string] = value as string;
  return found;
}

function valueFrom(first: string, lines: readonly string[], from: number): string {
  const parts = /^[|>][-+\d]*\s*$/.test(first) ? [] : [first.trim()];
  for (let index = from; index < lines.length && /^[ \t]+\S/.test(lines[index] as string); index++) {
    parts.push((lines[index] as string).trim());
  }
  return unquoted(parts.join(" ").replace(CONTROL, "").trim()).slice(0, LIMITS.descriptionChars * 4);
}

const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

function unquoted(value: string): string {
  const open = value[0];
  if (open !== '"' && open !== "'") return value;
  return value.endsWith(open) && value.length > 1 ? value.slice(1, -1) : value.slice(1);
}

function anySpelling(key: string): string {
  return key.replace(/[-_]/g, "[-_]?");
}
