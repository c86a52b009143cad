// Compares two packages file by file, as a patch.

import { unifiedDiff } from "../text/diff.ts";
import type { PackageFile } from "./files.ts";

/** What turns one package into the other; empty if they have the same texts. */
export async function packagePatch(
  before: readonly PackageFile[],
  after: readonly PackageFile[],
): Promise<string> {
  const paths = [...new Set([...before, ...after].map(({ path }) => path))];
  const text = (files: readonly PackageFile[], path: string) =>
    Buffer.from(files.find((file) => file.path === path)?.bytes ?? "").toString("utf8");
  const patches: string[] = [];
  for (const path of paths) {
    const patch = await unifiedDiff(text(before, path), text(after, path));
    if (patch !== "") patches.push(`--- ${path}\n+++ ${path}\n${patch}`);
  }
  return patches.join("\n");
}
