// Owns the inbox of the journal: events and said lines that a short-lived process leaves for the database.
// Does not own the database: `sqlite-inbox.ts` takes the lines over.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { appendLines, type Lines, readLines } from "../disk/disk.ts";
import type { NewEvent, SaidRecord } from "../journal/journal.ts";
import { codeOf } from "../model/errors.ts";

export type SpoolLine = { readonly event: NewEvent } | { readonly said: SaidRecord };

/** A file is written to on one day only; a day later no writer can still hold it. */
const KEEP_MS = 24 * 60 * 60 * 1000;

export class Spool {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Adds the lines in one write. The day only spreads them over files. */
  add(lines: readonly SpoolLine[], now: Date): void {
    if (lines.length > 0) appendLines(join(this.directory, `${now.toISOString().slice(0, 10)}.jsonl`), lines);
  }

  /** The files and their sizes, oldest day first. */
  files(): { readonly file: string; readonly size: number }[] {
    let names: string[];
    try {
      names = readdirSync(this.directory).sort();
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
    return names.map((file) => ({
      file,
      size: statSync(join(this.directory, file), { throwIfNoEntry: false })?.size ?? 0,
    }));
  }

  read(file: string, from: number): Lines {
    return readLines(join(this.directory, file), from);
  }

  /** Removes a file that was taken over, once it is too old for anybody to add to it; says whether it is gone. */
  retire(file: string, now: number): boolean {
    const path = join(this.directory, file);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && now - stat.mtimeMs < KEEP_MS) return false;
    rmSync(path, { force: true });
    return true;
  }
}
