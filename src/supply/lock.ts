// The lock in a folder of skills: where each package came from and what exactly it was.

import { join } from "node:path";
import { readBounded, unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import { RepertoireError } from "../model/errors.ts";
import { type SkillName, toSkillName } from "../model/name.ts";
import { isRecord, jsonIn } from "../text/json.ts";

const LOCK_FILE = "repertoire.lock.json";
const LOCK_VERSION = 1;
const LARGEST = 16 * 1024 * 1024;

/** One package of a lock. */
export interface LockedPackage {
  /** The address that it was fetched from, without ref and path. */
  readonly source: string;
  /** The branch, tag or commit that was asked for; absent for the default branch. */
  readonly ref?: string | undefined;
  readonly commit?: string | undefined;
  /** Its folder in the source; absent if the source is the package. */
  readonly path?: string | undefined;
  /** Of the package as it was fetched: edits since then make another one. */
  readonly digest: string;
  readonly inspected: {
    readonly verdict: string;
    /** The rules that were used. */
    readonly rules: string;
  };
  /** When it was added or updated. */
  readonly at: string;
}

/** By the name of the skill. */
type LockedPackages = Readonly<Record<SkillName, LockedPackage>>;

/** The lock is beside the packages, in the folder of skills. */
function lockPathFor(root: string): string {
  return join(root, LOCK_FILE);
}

/** The packages of a folder's lock; none if it has no lock. Fails with `lock-unreadable` if it is damaged. */
export function readLock(root: string): LockedPackages {
  const path = lockPathFor(root);
  const bytes = unlessMissing(() => readBounded(path, { maxBytes: LARGEST }), ["ENOENT", "ENOTDIR"]);
  if (bytes === undefined) return {};
  const data = jsonIn(bytes.toString("utf8"));
  if (!isRecord(data) || !isRecord(data.packages)) throw unreadable(path, "it is not a lock");
  if (typeof data.version === "number" && data.version > LOCK_VERSION)
    throw unreadable(path, "a newer version of Repertoire wrote it");
  for (const [name, entry] of Object.entries(data.packages)) {
    // Somebody else may have written it: a name must not lead out of the folder.
    const safe = toSkillName(name);
    if (!safe.ok || safe.name !== name || !isLocked(entry))
      throw unreadable(path, `"${name}" is not a package`);
  }
  return data.packages as LockedPackages;
}

/** Sets packages of a folder's lock and removes those without an entry. Makes no lock for nothing. */
export function writeLock(root: string, changes: ReadonlyMap<SkillName, LockedPackage | undefined>): void {
  const before = readLock(root);
  const packages: Record<SkillName, LockedPackage> = { ...before };
  for (const [name, entry] of changes) {
    if (entry === undefined) delete packages[name];
    else packages[name] = entry;
  }
  const sorted = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (JSON.stringify(sorted) === JSON.stringify(before)) return;
  const text = `${JSON.stringify({ version: LOCK_VERSION, packages: sorted }, null, 2)}\n`;
  writeFileAtomically(lockPathFor(root), text, { mode: 0o644 });
}

function isLocked(value: unknown): value is LockedPackage {
  if (!isRecord(value)) return false;
  const { source, digest, inspected, at, ref, commit, path } = value;
  const isOptional = (one: unknown) => one === undefined || typeof one === "string";
  return (
    [source, digest, at].every((one) => typeof one === "string") &&
    [ref, commit, path].every(isOptional) &&
    isRecord(inspected) &&
    typeof inspected.verdict === "string" &&
    typeof inspected.rules === "string"
  );
}

function unreadable(path: string, why: string): RepertoireError {
  return new RepertoireError(
    "lock-unreadable",
    `${path} cannot be used: ${why}. Bring it back from version control, or remove it and add the skills again.`,
    path,
  );
}
