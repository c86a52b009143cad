// The file that is the truth about versions and the changes that made them. Its lines are only ever appended, and each is
// on disk before its effect is told.

import { appendDurably, type Files, forEachLine, syncAppended } from "../../disk/disk.ts";
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
  private readonly path: string;

  constructor(files: Files, path: string) {
    this.files = files;
    this.path = path;
  }

  /** Zero if there is no log yet. */
  size(): number {
    return this.files.statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** If this throws, the log says what it said before, unless the error is `commit-uncertain`. */
  append(line: LogLine): void {
    appendDurably(this.files, this.path, [line], (cause) => uncertain(this.path, cause));
  }

  /** Makes what others appended last, before it is relied on. */
  sync(): void {
    syncAppended(this.files, this.path);
  }

  /** Visits the lines from an offset on, at most so many, and returns the offset of what comes next. */
  read(from: number, most: number, visit: (line: LogLine) => void): number {
    let left = most;
    const { end } = forEachLine(this.files, this.path, from, (value) => {
      if (isLogLine(value)) visit(value);
      if (--left <= 0) return false;
    });
    return end;
  }
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
    `${path} could neither be written nor put back (${messageOf(cause)}). Whether the change was made shows when the disk works again: repertoire history tells.`,
    path,
  );
}
