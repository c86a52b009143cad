// Finds edits inside known files in a process that lives long and does not watch its folders: it looks at every file from
// time to time, in slices, while nothing waits for it.

import { statSync } from "node:fs";
import { codeOf } from "../model/errors.ts";
import type { FileRecord } from "./file-record.ts";
import { inSlicesBehind } from "./slices.ts";

const SWEEP = {
  /** An edit is found within two seconds: this long until a sweep begins, and the sweep and the scan after it. */
  pauseMs: 1_000,
  /** A sweep takes at most one part in this many of the processor: a very large library is looked at less often. */
  share: 40,
} as const;

interface SweepNeeds {
  /** The files as they were read last. */
  readonly records: () => readonly FileRecord[];
  /** Called when a file is not as it was. */
  readonly onEdit: () => Promise<unknown>;
}

/** Never keeps the process alive. */
export class EditSweep {
  private readonly needs: SweepNeeds;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(needs: SweepNeeds) {
    this.needs = needs;
  }

  /** Looks at the files until `stop`. */
  start(): void {
    if (this.timer === undefined && !this.stopped) this.wait(SWEEP.pauseMs);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private wait(ms: number): void {
    this.timer = setTimeout(() => void this.sweep(), ms);
    this.timer.unref();
  }

  private async sweep(): Promise<void> {
    const started = performance.now();
    try {
      const records = this.needs.records();
      // A scan meanwhile has read newer records; the next round looks at those.
      if ((await inSlicesBehind(hasEdit(records))) && this.needs.records() === records)
        await this.needs.onEdit();
    } catch (thrown) {
      // Whoever asks next meets the same problem with the file system, and is told.
      if (codeOf(thrown) === "") throw thrown;
    }
    if (!this.stopped) this.wait(Math.max(SWEEP.pauseMs, (performance.now() - started) * SWEEP.share));
  }
}

/** Whether a file was edited or is gone. New files change their folder, which every recall looks at. */
function* hasEdit(records: readonly FileRecord[]): Generator<undefined, boolean> {
  for (const { path, size, mtimeMs } of records) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.size !== size || stats.mtimeMs !== mtimeMs) return true;
    yield;
  }
  return false;
}
