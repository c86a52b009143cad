// The files of a source as they are before anything of them is written: a list of entries, and their bytes on request.

import { type Dirent, lstatSync, opendirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { IGNORED_FOLDERS } from "../disk/disk.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import { readRegularFile } from "../package/package.ts";
import { grouped } from "../text/numbers.ts";
import { SUPPLY_LIMITS } from "./limits.ts";

export interface TreeEntry {
  /** `/`-separated below the source, as the source spells it: it may be hostile. */
  readonly path: string;
  /** `module` is another repository inside this one, `special` a device, a pipe or a socket. */
  readonly kind: "file" | "executable" | "link" | "module" | "special";
  readonly size: number;
}

/** Called while something is fetched or read. */
export type SupplyProgress = (step: string, done: number, total: number) => void;

export interface SourceTree {
  readonly entries: readonly TreeEntry[];
  /** What the source is called if it is one skill: the repository's or the folder's name. */
  readonly title: string;
  /** The commit, if it is a repository. */
  readonly commit?: string | undefined;
  /** The bytes of these entries by path; of a link, where it leads. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Ends what was opened, and removes what was fetched. */
  close(): void;
}

/** A folder on this machine. Links are listed, not followed. */
export function openFolder(folder: string): SourceTree {
  const root = realpathSync(folder);
  const entries: TreeEntry[] = [];
  const walk = (prefix: string) => {
    for (const entry of entriesIn(join(root, prefix), folder, entries.length)) {
      const path = prefix + entry.name;
      if (entry.isDirectory()) {
        if (!IGNORED_FOLDERS.has(entry.name)) walk(`${path}/`);
      } else entries.push(described(root, path, entry));
    }
  };
  walk("");
  return {
    entries,
    title: basename(root),
    read: async (paths) => new Map(paths.map((path) => [path, bytesAt(root, path)])),
    close: () => {},
  };
}

function entriesIn(folder: string, source: string, before: number): Dirent[] {
  const found: Dirent[] = [];
  const open = opendirSync(folder);
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      found.push(entry);
      if (before + found.length > SUPPLY_LIMITS.entries) throw tooManyEntries(source);
    }
  } catch (thrown) {
    if (codeOf(thrown) === "" || thrown instanceof RepertoireError) throw thrown;
    throw new RepertoireError("source-unreachable", `${folder} cannot be read (${codeOf(thrown)}).`, folder);
  } finally {
    open.closeSync();
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function described(root: string, path: string, entry: Dirent): TreeEntry {
  if (entry.isSymbolicLink()) return { path, kind: "link", size: 0 };
  if (!entry.isFile()) return { path, kind: "special", size: 0 };
  const { mode, size } = lstatSync(join(root, path));
  return { path, kind: (mode & 0o111) === 0 ? "file" : "executable", size };
}

function bytesAt(root: string, path: string): Uint8Array {
  return lstatSync(join(root, path)).isSymbolicLink()
    ? Buffer.from(readlinkSync(join(root, path)))
    : readRegularFile(root, path).bytes;
}

export function tooManyEntries(source: string): RepertoireError {
  return new RepertoireError(
    "source-too-large",
    `${source} has more than ${grouped(SUPPLY_LIMITS.entries)} files and folders. Name a smaller part of it.`,
    source,
  );
}
