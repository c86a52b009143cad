// The digest of a whole package, and which files differ between two of them. Consent is given to a digest, and a private
// copy is checked against it.

import { createHash } from "node:crypto";
import { listPackage, type RegularFile, readRegularFile } from "./files.ts";

export interface SnapshotFile extends RegularFile {
  /** Where the bytes were read from; differs from the path for a link inside the package. */
  readonly from: string;
  readonly mark: string;
}

/** A package as it was when it was read. */
export interface PackageSnapshot {
  /** Real path of the folder. */
  readonly root: string;
  readonly digest: string;
  /** By path, sorted. */
  readonly files: ReadonlyMap<string, SnapshotFile>;
}

/** By path: the file's SHA-256, followed by `+x` if it is executable. */
export type FileMarks = Readonly<Record<string, string>>;

export interface FileChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Part of the digest: another format makes another digest, so that an old consent never matches by accident. */
const FORMAT = "repertoire package 1\n";

export function snapshotPackage(directory: string): PackageSnapshot {
  const { root, entries } = listPackage(directory);
  const files = new Map<string, SnapshotFile>();
  for (const { path, from } of entries) {
    const file = readRegularFile(root, from);
    files.set(path, { ...file, from, mark: fileMark(file) });
  }
  return { root, digest: packageDigest(marksOf(files)), files };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function fileMark({ bytes, executable }: RegularFile): string {
  return sha256Of(bytes) + (executable ? "+x" : "");
}

export function marksOf(files: ReadonlyMap<string, { readonly mark: string }>): FileMarks {
  return Object.fromEntries([...files].map(([path, { mark }]) => [path, mark]));
}

/** SHA-256 over the sorted paths with their marks. */
export function packageDigest(marks: FileMarks): string {
  const hash = createHash("sha256").update(FORMAT);
  for (const path of Object.keys(marks).sort()) hash.update(`${path}\0${marks[path]}\n`);
  return hash.digest("hex");
}

export function compareMarks(before: FileMarks, after: FileMarks): FileChanges {
  const has = (marks: FileMarks, path: string) => Object.hasOwn(marks, path);
  const now = Object.keys(after).sort();
  return {
    added: now.filter((path) => !has(before, path)),
    changed: now.filter((path) => has(before, path) && before[path] !== after[path]),
    removed: Object.keys(before)
      .sort()
      .filter((path) => !has(after, path)),
  };
}
