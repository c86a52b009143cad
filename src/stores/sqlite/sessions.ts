// Keeps sessions in files: one file of steps per session, only ever appended to, so that two hooks of one message agree
// without a lock on who was first. Files and not a table, because loading a database driver doubles the start of a hook.

import { statSync } from "node:fs";
import { sep } from "node:path";
import { appendLines, readLines, UNREADABLE, UNWRITABLE, unlessMissing } from "../../disk/disk.ts";
import {
  SessionLog,
  type SessionState,
  type SessionStep,
  type SessionStore,
  turnStep,
} from "../../journal/journal.ts";
import { RepertoireError } from "../../model/errors.ts";
import type { SkillName } from "../../model/name.ts";

const SUFFIX = ".jsonl";
/** File systems allow 255 bytes a name; the rest is room for the suffix. */
const MAX_FILE_NAME = 200;
/** Sessions that one process keeps added up; a server rarely serves more at a time. */
const KEPT = 64;

/** What was read of a file so far. */
interface Kept {
  readonly log: SessionLog;
  /** Tells the file from a later one of the same name. */
  readonly file: string;
  readonly end: number;
}

export class SessionFiles implements SessionStore {
  private readonly directory: string;
  private readonly kept = new Map<string, Kept>();
  /** Sessions whose files could not be written. */
  private readonly unwritten = new Map<string, SessionLog>();

  constructor(directory: string) {
    this.directory = directory;
  }

  read(id: string): SessionState {
    return this.update(id).state;
  }

  begin(id: string, turn: { readonly key: string; readonly message: string }) {
    const mark = newMark();
    const log = this.append(id, turnStep(turn, mark));
    return { first: log.isFirst(turn.key, mark), state: log.state };
  }

  markShown(id: string, names: readonly SkillName[]) {
    const mark = newMark();
    const log = names.length === 0 ? this.update(id) : this.append(id, { step: "shown", names, mark });
    return { fresh: log.firstShown(names, mark), state: log.state };
  }

  add(id: string, step: Exclude<SessionStep, { step: "turn" | "shown" }>): void {
    this.append(id, step);
  }

  /** All lines of a session's file. */
  lines(id: string): readonly unknown[] {
    return unlessMissing(() => readLines(this.path(id)), UNREADABLE)?.values ?? [];
  }

  /** Adds lines that come from elsewhere. */
  take(id: string, lines: readonly unknown[]): void {
    unlessMissing(() => appendLines(this.path(id), lines), UNWRITABLE);
  }

  /** The bytes of a session's file. */
  size(id: string): number {
    return unlessMissing(() => statSync(this.path(id), { throwIfNoEntry: false }), UNREADABLE)?.size ?? 0;
  }

  private append(id: string, step: SessionStep): SessionLog {
    const bytes = unlessMissing(() => appendLines(this.path(id), [step]), UNWRITABLE);
    if (bytes !== undefined) return this.update(id, { step, bytes });
    // Where nothing can be written, the session lasts as long as this process.
    const log = this.unwritten.get(id) ?? this.update(id);
    if (this.unwritten.size >= KEPT) this.unwritten.clear();
    this.unwritten.set(id, log);
    return log.take([step]);
  }

  /** Reads only what is new, and nothing at all if only `appended` is: other processes add to the file too. */
  private update(id: string, appended?: { readonly step: SessionStep; readonly bytes: number }): SessionLog {
    const path = this.path(id);
    const stats = unlessMissing(() => statSync(path, { throwIfNoEntry: false }), UNREADABLE);
    if (stats === undefined) return this.unwritten.get(id) ?? new SessionLog(id);
    const file = `${stats.ino}:${stats.birthtimeMs}`;
    const known = this.kept.get(id);
    // A removed file may have been replaced by a new one.
    const isSame = known?.file === file && stats.size >= known.end;
    const { log, end: from } = isSame ? known : { log: new SessionLog(id), end: 0 };
    const isOurs = appended !== undefined && stats.size === from + appended.bytes;
    const { values, end } =
      stats.size === from
        ? { values: [], end: from }
        : isOurs
          ? { values: [appended.step], end: stats.size }
          : readLines(path, from);
    if (!isSame && this.kept.size >= KEPT) this.kept.clear();
    this.kept.set(id, { log, file, end });
    return log.take(values);
  }

  private path(id: string): string {
    const name = fileNameOf(id);
    if (id === "" || name.length > MAX_FILE_NAME) {
      throw new RepertoireError(
        "session-id-unusable",
        `"${id.slice(0, 40)}" cannot name a session: it must have between 1 and ${MAX_FILE_NAME} characters once encoded. Give the host's session id, or a short one of your own.`,
        id,
      );
    }
    return this.directory + sep + name + SUFFIX;
  }
}

/** Capitals are encoded too: some file systems take `A` and `a` for one. */
function fileNameOf(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replace(/%[0-9A-F]{2}|[A-Z.~*'()!]/g, (found) =>
    found.length === 3 ? found : `%${found.charCodeAt(0).toString(16)}`,
  );
}

/** Unique among the processes of this machine at one moment. */
function newMark(): string {
  return `${process.pid.toString(36)}-${Math.random().toString(36).slice(2)}`;
}
