// Decides which paths lie in a folder, and which folders are never entered.

import { isAbsolute, relative, sep } from "node:path";

/** Never part of a skill or a library. */
export const IGNORED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** True when `path` is `folder` or lies below it; both absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** True when `path` lies below `folder` and is not the folder itself; both absolute and without links. */
export function isBelow(folder: string, path: string): boolean {
  return relative(folder, path) !== "" && isInside(folder, path);
}
