// Reads the lock that `npx skills` keeps in a project, so that its skills can be installed, verified and taken over.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { readBounded, unlessMissing } from "../disk/disk.ts";
import type { PackageFile } from "../package/package.ts";
import { isRecord, jsonIn } from "../text/json.ts";

const FOREIGN_LOCK = "skills-lock.json";
const LARGEST = 16 * 1024 * 1024;

/** Where `npx skills` puts the skills of a project. */
export const FOREIGN_ROOT = join(".agents", "skills");

export interface ForeignPackage {
  readonly name: string;
  /** The address with its path, as `add` takes it. */
  readonly source: string;
  readonly ref?: string | undefined;
  /** The folder in the source. */
  readonly path?: string | undefined;
  readonly hash?: string | undefined;
}

/** The skills of a project's `skills-lock.json`; none if there is no such file. */
export function readForeignLock(project: string): ForeignPackage[] {
  const path = join(project, FOREIGN_LOCK);
  const bytes = unlessMissing(() => readBounded(path, { maxBytes: LARGEST }), ["ENOENT", "ENOTDIR"]);
  const data = bytes && jsonIn(bytes.toString("utf8"));
  if (!isRecord(data) || !isRecord(data.skills)) return [];
  return Object.entries(data.skills).flatMap(([name, entry]) => {
    if (!isRecord(entry) || entry.sourceType === "node_modules") return [];
    const { source, sourceUrl, ref, skillPath, computedHash } = entry;
    const address = [sourceUrl, source].find((one) => typeof one === "string");
    if (address === undefined) return [];
    const text = (one: unknown) => (typeof one === "string" && one !== "" ? one : undefined);
    const folder = text(skillPath)?.replace(/\/?SKILL\.md$/i, "");
    return [
      {
        name,
        source: address as string,
        ref: text(ref),
        path: folder || undefined,
        hash: text(computedHash),
      },
    ];
  });
}

/** The hash that `npx skills` keeps: over the sorted paths, each followed by its bytes. */
export function foreignHash(files: readonly PackageFile[]): string {
  const hash = createHash("sha256");
  for (const { path, bytes } of files.toSorted((a, b) => a.path.localeCompare(b.path)))
    hash.update(path).update(bytes);
  return hash.digest("hex");
}
