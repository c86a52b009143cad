// Which paths are inside a folder, and where a path leads.

import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { codeOf } from "../model/errors.ts";

/** True when `path` is `folder` or lies below it; both absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** True when `path` lies below `folder` and is not the folder itself; both absolute and without links. */
export function isBelow(folder: string, path: string): boolean {
  return relative(folder, path) !== "" && isInside(folder, path);
}

/** The path without links; the path itself if it leads nowhere. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
    return path;
  }
}
