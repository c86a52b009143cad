// The file that decides which versions exist and which changes made them. Lines are only appended, and each is on disk
// before its change is reported as made.

import { dirname } from "node:path";
import {
  appendDurably,
  type Files,
  forEachLine,
  removeFile,
  syncAppended,
  syncFolder,
} from "../../disk/disk.ts";
import type { PendingChange, VersionRecord } from "../../learn/learn.ts";
import { messageOf, RepertoireError } from "../../model/errors.ts";

/** What a line says. A version by itself was on disk before it was recorded. */
export type LogLine =
  | { readonly begin: PendingChange }
  | { readonly commit: string }
  | { readonly abandon: string }
  | VersionRecord;

export class VersionLog {
  private readonly files: Files;
  readonly path: string;

  constructor(files: Files, path: string) {
    this.files = files;
    this.path = path;
  }

  /** Zero if there is no log yet. */
  size(): number {
    return this.files.statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /**
   * Appends behind the last complete line, which ends at `end`. If this throws, the log says what it said before, unless the
   * error is `commit-uncertain`.
   */
  append(line: LogLine, end: number): void {
    appendDurably(this.files, this.path, [line], { end, uncertain: (cause) => uncertain(this.path, cause) });
  }

  /** Makes what others appended last, before it is relied on. */
  sync(): void {
    syncAppended(this.files, this.path);
  }

  /** Visits the lines from an offset on, at most so many; says where the next one begins, and how many were none. */
  read(
    from: number,
    visit: (line: LogLine) => void,
    most = Number.POSITIVE_INFINITY,
  ): { readonly end: number; readonly flawed: number } {
    let foreign = 0;
    let left = most;
    const { end, torn } = forEachLine(this.files, this.path, from, (value) => {
      if (isLogLine(value)) visit(value);
      else foreign++;
      if (--left <= 0) return false;
    });
    return { end, flawed: torn + foreign };
  }

  /** Puts a log of these lines in the place of this one, which is kept at `aside`. */
  replace(lines: Iterable<LogLine>, aside: string): void {
    const next = new VersionLog(this.files, `${this.path}.new`);
    removeFile(this.files, next.path);
    for (const part of partsOf(lines, LINES_AT_ONCE))
      appendDurably(this.files, next.path, part, { uncertain: (cause) => uncertain(next.path, cause) });
    // Between the two there is no log, and the database still has every version.
    if (this.size() > 0) this.files.renameSync(this.path, aside);
    this.files.renameSync(next.path, this.path);
    syncFolder(this.files, dirname(this.path));
  }
}

const LINES_AT_ONCE = 1_000;

function* partsOf<T>(values: Iterable<T>, size: number): Generator<T[]> {
  let part: T[] = [];
  for (const value of values) {
    part.push(value);
    if (part.length === size) {
      yield part;
      part = [];
    }
  }
  // An empty log is a log, too.
  yield part;
}

function isLogLine(value: object): value is LogLine {
  const line = value as Record<string, unknown>;
  if (typeof line.commit === "string" || typeof line.abandon === "string") return true;
  const begun = line.begin as Partial<PendingChange> | undefined;
  if (begun !== undefined)
    return typeof begun?.id === "string" && Array.isArray(begun.versions) && begun.versions.every(isVersion);
  return isVersion(value);
}

function isVersion(value: unknown): value is VersionRecord {
  const { id, name, files } = (value ?? {}) as Partial<VersionRecord>;
  return typeof id === "string" && typeof name === "string" && Array.isArray(files);
}

function uncertain(path: string, cause: unknown): RepertoireError {
  return new RepertoireError(
    "commit-uncertain",
    `${path} could neither be written nor put back (${messageOf(cause)}). When the disk works again, repertoire history shows whether the change was made.`,
    path,
  );
}
