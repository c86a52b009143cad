// Finds the package's folder on disk, whether it runs from `src/` or from a bundle in `dist/`.

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

let root: string | undefined;

/** The folder of our package.json. */
export function packageRoot(): string {
  root ??= folderAbove(import.meta.dirname);
  return root;
}

function folderAbove(folder: string): string {
  const isTop = folder === dirname(folder);
  return isTop || existsSync(join(folder, "package.json")) ? folder : folderAbove(dirname(folder));
}

/** The version of the package. */
export function ownVersion(): string {
  const text = readFileSync(join(packageRoot(), "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Differs between two builds and two versions: for caches of what our code computed. */
export function buildStamp(): string {
  const bundle = statSync(import.meta.filename, { throwIfNoEntry: false });
  return `${ownVersion()} ${bundle?.size} ${bundle?.mtimeMs}`;
}
