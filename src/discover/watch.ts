// Notices that something below a source changed. Does not say what: the scan that follows finds out, so that a watched change
// and a manual re-index end in the same code path. The folders are those of the last scan, so nothing is walked twice.

import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { IGNORED_FOLDERS } from "../disk/disk.ts";
import { codeOf } from "../model/errors.ts";
import type { Scan } from "./walk.ts";

interface WatchOptions {
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

interface Watched {
  readonly watcher: FSWatcher;
  /** The entries that matter; undefined for all of them. */
  names: ReadonlySet<string> | undefined;
}

/** Editors write a file in several steps, and a checkout touches hundreds; one re-scan serves them all. */
const DEBOUNCE_MS = 100;

/** The folder is gone or closed to us: the next scan says so. */
const UNREACHABLE = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"];

/** Calls back some time after a change in the folders that it follows. */
export class FolderWatch {
  private readonly options: WatchOptions;
  private readonly watched = new Map<string, Watched>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private hasAll = false;
  private hasFailed = false;

  constructor(options: WatchOptions) {
    this.options = options;
  }

  /** Whether every folder of the last scan is watched: the system may have too few watches for a large library. */
  get isComplete(): boolean {
    return this.hasAll;
  }

  /** Watches the folders of this scan and no others, and pauses after each. What is new is looked at once more behind it. */
  *follow({ folders, missing }: Pick<Scan, "folders" | "missing">): Generator<undefined, void> {
    const wanted = new Map<string, ReadonlySet<string> | undefined>(awaited(missing));
    for (const folder of folders) wanted.set(folder, undefined);
    for (const [folder, { watcher }] of this.watched) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.watched.delete(folder);
    }
    let isNew = false;
    this.hasAll = true;
    for (const [folder, names] of wanted) {
      const known = this.watched.get(folder);
      if (known) known.names = names;
      else if (this.hasAll && this.add(folder, names)) isNew = true;
      yield;
    }
    // A change between the walk and the watch was seen by neither.
    if (isNew) this.changed();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const { watcher } of this.watched.values()) watcher.close();
    this.watched.clear();
  }

  private add(folder: string, names: Watched["names"]): boolean {
    if (this.isClosed) return false;
    try {
      const watcher = watch(folder, (event, name) => this.take(folder, event, name));
      watcher.on("error", () => this.lose(folder));
      this.watched.set(folder, { watcher, names });
      return true;
    } catch (thrown) {
      if (UNREACHABLE.includes(codeOf(thrown))) return false;
      this.hasAll = false;
      if (!this.hasFailed) this.options.onError(thrown);
      this.hasFailed = true;
      return false;
    }
  }

  private take(folder: string, event: string, name: string | null): void {
    const names = this.watched.get(folder)?.names;
    if (name !== null) {
      if (IGNORED_FOLDERS.has(name) || names?.has(name) === false) return;
      // A folder of the same name may be another one now; a folder that is gone itself reports its own name.
      if (event === "rename") this.forget(join(folder, name));
      if (event === "rename" && name === basename(folder)) this.forget(folder);
    }
    this.changed();
  }

  private lose(folder: string): void {
    this.forget(folder);
    this.changed();
  }

  /** The folder and all below it are watched anew after the next scan. */
  private forget(folder: string): void {
    if (!this.watched.has(folder)) return;
    for (const [path, { watcher }] of this.watched) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      this.watched.delete(path);
    }
  }

  private changed(): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(this.options.onChange, DEBOUNCE_MS);
  }
}

/** For each root that is missing the nearest folder that exists, with the entry that leads to the root. */
function awaited(roots: readonly string[]): Map<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const root of roots) {
    const ancestor = nearestFolder(root);
    const next = relative(ancestor, root).split(sep)[0]!;
    names.set(ancestor, (names.get(ancestor) ?? new Set()).add(next));
  }
  return names;
}

function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
