// Owns the files that an index is written into before it takes its place: their names, and those left by dead writers.
// Does not own what is written (snapshot.ts).

import { openSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A file being written is touched all the time; one left alone this long has lost its writer. */
const ABANDONED_MS = 10 * 60 * 1000;

/** Removes what a process left that died while writing: half an index is of no use to anyone. */
export function sweepTemporaries(path: string): void {
  const folder = dirname(path);
  const mine = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(mine) || !name.endsWith(".tmp")) continue;
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS)
      rmSync(join(folder, name), { force: true });
  }
}

/** A file of this process's own beside `path`, to be renamed onto it when it is whole. */
export function openTemporary(path: string): { fd: number; temporary: string } {
  for (let attempt = 0; ; attempt++) {
    const temporary = `${path}.${process.pid}-${attempt}.tmp`;
    try {
      return { fd: openSync(temporary, "wx+", 0o600), temporary };
    } catch (error) {
      const taken = error instanceof Error && "code" in error && error.code === "EEXIST";
      if (!taken || attempt > 1000) throw error;
    }
  }
}
