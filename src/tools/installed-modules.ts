// Finds the folders of installed packages that a toolset may import from.

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../model/errors.ts";

/**
 * The `node_modules` folders of these folders and of those above, nearest first, as Node searches them. The home folder
 * and what is above it are left out.
 */
export async function installedModules(
  folders: readonly string[],
  home: string = homedir(),
): Promise<string[]> {
  const found: string[] = [];
  for (const start of folders) {
    for (let at = start; at !== dirname(at) && at !== home; at = dirname(at)) {
      const modules = await modulesIn(at);
      if (modules !== undefined && !found.includes(modules)) found.push(modules);
    }
  }
  return found;
}

/** A cloned project may contain a link of this name that leads anywhere; only such a folder is opened to a toolset. */
async function modulesIn(folder: string): Promise<string | undefined> {
  if (basename(folder) === "node_modules") return undefined;
  try {
    const real = await realpath(join(folder, "node_modules"));
    return basename(real) === "node_modules" ? real : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(codeOf(error))) return undefined;
    throw error;
  }
}
