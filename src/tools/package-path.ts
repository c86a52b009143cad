// Checks and resolves paths inside a mounted package.

import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { codeOf } from "../model/errors.ts";

/** Why a path of a manifest or a caller may not be followed; undefined if it may. */
export function unsafePath(path: string): string | undefined {
  if (path.trim() === "") return "the path is empty";
  if (path.includes("\0")) return "the path contains a NUL character";
  if (path.includes("\\")) return "the path contains a backslash; use /";
  if (isAbsolute(path) || /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(path))
    return "the path must be relative to the package";
  if (path.split("/").includes("..")) return "the path must not contain ..";
  return undefined;
}

export async function realPathOrNothing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"].includes(codeOf(error))) return undefined;
    throw error;
  }
}
