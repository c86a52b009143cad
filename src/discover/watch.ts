// Owns noticing that something below a source changed. Does not say what: the scan that follows finds out,
// so that a watched change and a manual re-index end in the same code path.

import type { Source } from "../model/source.ts";
import { IGNORED_FOLDERS, LIMITS } from "./limits.ts";

export interface WatchOptions {
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
  const watcher = watch(
    options.sources.map((source) => source.root),
    {
      ignoreInitial: true,
      depth: LIMITS.depth,
      followSymlinks: true,
      ignored: (path) => IGNORED_FOLDERS.has(path.slice(path.lastIndexOf("/") + 1)),
    },
  );
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(options.onChange, options.debounceMs ?? DEBOUNCE_MS);
  });
  watcher.on("error", options.onError);
  await new Promise<void>((ready) => watcher.once("ready", () => ready()));
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
}
