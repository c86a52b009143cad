// Owns noticing that something below a source changed. Does not say what: the scan that follows finds out,
// so that a watched change and a manual re-index end in the same code path.

import { existsSync, type FSWatcher, watch as watchFolder } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { IGNORED_FOLDERS } from "../disk/disk.ts";
import type { Source } from "../model/source.ts";
import { WALK_LIMITS } from "./walk.ts";

interface WatchOptions {
  readonly sources: readonly Source[];
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
  /** Quiet time after the last event before `onChange` is called. */
  readonly debounceMs?: number;
}

/** Editors write a file in several steps, and a checkout touches hundreds; one re-scan serves them all. */
const DEBOUNCE_MS = 100;

/** Starts watching; resolves when changes are seen from now on. Call the result to stop. */
export async function watchSources(options: WatchOptions): Promise<() => Promise<void>> {
  const { watch } = await import("chokidar");
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(options.onChange, options.debounceMs ?? DEBOUNCE_MS);
  };
  const roots = options.sources.map((source) => source.root);
  const watcher = watch(
    roots.filter((root) => existsSync(root)),
    {
      ignoreInitial: true,
      depth: WALK_LIMITS.depth,
      ignored: (path) => IGNORED_FOLDERS.has(basename(path)),
    },
  );
  watcher.on("all", changed);
  watcher.on("error", options.onError);
  const waiting = new Map<string, FSWatcher>();
  const awaitRoot = (root: string) => {
    waiting.get(root)?.close();
    waiting.delete(root);
    if (existsSync(root)) {
      watcher.add(root);
      changed();
      return;
    }
    // The nearest folder that exists is watched until the next one below it appears.
    const ancestor = nearestFolder(root);
    const next = join(ancestor, relative(ancestor, root).split(sep)[0]!);
    const waiter = watchFolder(ancestor, () => existsSync(next) && awaitRoot(root));
    waiter.on("error", options.onError);
    waiting.set(root, waiter);
    if (existsSync(next)) awaitRoot(root);
  };
  await new Promise<void>((ready) => watcher.once("ready", () => ready()));
  for (const root of roots.filter((path) => !existsSync(path))) awaitRoot(root);
  return async () => {
    clearTimeout(timer);
    for (const waiter of waiting.values()) waiter.close();
    await watcher.close();
  };
}

function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
