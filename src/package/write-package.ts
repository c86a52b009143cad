// Owns putting the files of a new skill on disk. Never overwrites.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { RepertoireError } from "../model/errors.ts";

/** Writes the files below `directory`, which must not hold a skill yet, and returns their paths. */
export function writeNewPackage(directory: string, files: ReadonlyMap<string, string>): string[] {
  if (existsSync(join(directory, "SKILL.md"))) {
    throw new RepertoireError(
      "skill-exists",
      `${directory} already holds a skill. Choose another name, or edit the one there.`,
      directory,
    );
  }
  const written: string[] = [];
  for (const [relative, text] of files) {
    const path = join(directory, relative);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx", mode: text.startsWith("#!") ? 0o755 : 0o644 });
    written.push(path);
  }
  return written;
}
