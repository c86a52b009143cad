// Which paths are inside a folder.

import { isAbsolute, relative, sep } from "node:path";

/** True when `path` is `folder` or lies below it; both absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** True when `path` lies below `folder` and is not the folder itself; both absolute and without links. */
export function isBelow(folder: string, path: string): boolean {
  return relative(folder, path) !== "" && isInside(folder, path);
}
