// Owns where the package stands on disk, whether it runs from `src/` or from a bundle in `dist/`.

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of our package.json. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** The version of the package. */
export function ownVersion(): string {
  const text = readFileSync(join(packageRoot(), "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Differs between two builds and two versions: for caches of what our code computed. */
export function buildStamp(): string {
  const bundle = statSync(fileURLToPath(import.meta.url), { throwIfNoEntry: false });
  return `${ownVersion()} ${bundle?.size} ${bundle?.mtimeMs}`;
}
