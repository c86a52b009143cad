// Owns what belongs to a skill's package: its own files, without its sub-skills and without what never travels.
// Does not read file contents.

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** The regular files of a package, `/`-separated below its folder, sorted; SKILL.md first. Stops after `limit` files. */
export function packageFiles(directory: string, limit = Number.POSITIVE_INFINITY): string[] {
  const files: string[] = [];
  const walk = (folder: string, prefix: string) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (prefix !== "" && entries.some(isSkillFile)) return;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length >= limit || LEFT_OUT.has(entry.name)) continue;
      if (entry.isFile()) files.push(prefix + entry.name);
      else if (entry.isDirectory()) walk(join(folder, entry.name), `${prefix}${entry.name}/`);
    }
  };
  walk(directory, "");
  return files;
}

function isSkillFile(entry: Dirent): boolean {
  return entry.name.toLowerCase() === "skill.md";
}
