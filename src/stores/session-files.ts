// Owns the sessions on disk: one file of steps a session, only ever added to, so that two hooks of one message agree
// without a lock on who was first. Does not own what the steps add up to: `session-log.ts` does.
//
// Files and not a table, because a hook that loads a database driver at every message doubles its own start.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { appendLines, readLines } from "../disk/disk.ts";
import type { SessionState, SessionStep, SessionStore } from "../journal/journal.ts";
import { RunningAccount, type SessionAccount, turnStep } from "../journal/journal.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";

const SUFFIX = ".jsonl";
/** File systems allow 255 bytes a name; the rest is room for the suffix. */
const MAX_FILE_NAME = 200;
/** Sessions that one process keeps added up; a server rarely serves more at a time. */
const KEPT = 64;

/** What was added up of a file so far. */
interface Kept {
  readonly account: RunningAccount;
  /** Tells the file from a later one of the same name. */
  readonly file: string;
  readonly end: number;
}

export class SessionFiles implements SessionStore {
  private readonly directory: string;
  private readonly kept = new Map<string, Kept>();

  constructor(directory: string) {
    this.directory = directory;
  }

  read(id: string): SessionState {
    return this.account(id).state;
  }

  begin(id: string, turn: { readonly key: string; readonly message: string }) {
    const claim = newClaim();
    appendLines(this.path(id), [turnStep(turn, claim)]);
    const { turnClaims, state } = this.account(id);
    return { first: turnClaims.get(turn.key) === claim, state };
  }

  claim(id: string, names: readonly SkillName[]): readonly SkillName[] {
    if (names.length === 0) return [];
    const claim = newClaim();
    appendLines(this.path(id), [{ step: "shown", names, claim } satisfies SessionStep]);
    const { shownClaims } = this.account(id);
    return [...new Set(names)].filter((name) => shownClaims.get(name) === claim);
  }

  add(id: string, step: Exclude<SessionStep, { step: "turn" }>): void {
    appendLines(this.path(id), [step]);
  }

  list(): readonly string[] {
    return this.files().map((file) => decodeURIComponent(file.slice(0, -SUFFIX.length)));
  }

  remove(id: string): void {
    rmSync(this.path(id), { force: true });
    this.kept.delete(id);
  }

  /** Forgets sessions that nothing was added to since the given time. */
  sweep(before: number): number {
    let swept = 0;
    for (const file of this.files()) {
      const path = join(this.directory, file);
      if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) >= before) continue;
      rmSync(path, { force: true });
      swept++;
    }
    return swept;
  }

  /** Others add to the file too, so its new lines are read each time, and only those. */
  private account(id: string): SessionAccount {
    const path = this.path(id);
    const stats = statSync(path, { throwIfNoEntry: false });
    const known = this.kept.get(id);
    if (stats === undefined) return new RunningAccount(id);
    const file = `${stats.ino}:${stats.birthtimeMs}`;
    // Removed and begun anew, perhaps by another process: what was known is of another session.
    const isSame = known?.file === file && stats.size >= known.end;
    const { account, end: from } = isSame ? known : { account: new RunningAccount(id), end: 0 };
    const { values, end } = readLines(path, from);
    if (!isSame && this.kept.size >= KEPT) this.kept.clear();
    this.kept.set(id, { account, file, end });
    return account.take(values);
  }

  private files(): string[] {
    try {
      return readdirSync(this.directory)
        .filter((file) => file.endsWith(SUFFIX))
        .sort();
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
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
    return join(this.directory, name + SUFFIX);
  }
}

/** Capitals are encoded too: some file systems take `A` and `a` for one. */
function fileNameOf(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replace(/%[0-9A-F]{2}|[A-Z.~*'()!]/g, (found) =>
    found.length === 3 ? found : `%${found.charCodeAt(0).toString(16)}`,
  );
}

/** Unique among the processes of this machine at one moment; nothing secret hangs on it. */
function newClaim(): string {
  return `${process.pid.toString(36)}-${Math.random().toString(36).slice(2)}`;
}
