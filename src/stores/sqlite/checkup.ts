// Looks at everything that the SQLite store keeps, and repairs what can be repaired without loss. A damaged file is kept.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  openSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  truncateSync,
} from "node:fs";
import { dirname } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../disk/disk.ts";
import type { VersionFile, VersionRecord } from "../../learn/learn.ts";
import { breathe } from "../../library/library.ts";
import { codeOf, isRepertoireError, messageOf } from "../../model/errors.ts";
import { MENDING_COMMAND, type StateCheckOptions, type StateFinding } from "../../model/state-finding.ts";
import { sha256Of } from "../../package/package.ts";
import type { LostBytes } from "../store.ts";
import { asideOf, type Connection, integrityOf } from "./connection.ts";
import { isDriverError, type openDatabase } from "./driver.ts";
import type { blobFiles, LogComparison, SqliteVersions } from "./learned.ts";
import { findBadRows, mendRows } from "./rows.ts";
import type { placesIn } from "./turn-files.ts";

interface CheckupNeeds {
  readonly directory: string;
  readonly places: ReturnType<typeof placesIn>;
  readonly db: Connection;
  readonly versions: SqliteVersions;
  readonly blobs: ReturnType<typeof blobFiles>;
  readonly openDatabase: typeof openDatabase;
  readonly now: () => Date;
}

/** A finding before anything was done about it. */
type Found = Pick<StateFinding, "code" | "path" | "message"> & {
  readonly severity?: StateFinding["severity"] | undefined;
  /** What a person does, where a program cannot. */
  readonly fix?: string | undefined;
  /** Mends it and says what was done; undefined if it could not. */
  readonly mend?: (() => string | undefined | Promise<string | undefined>) | undefined;
};

interface LostFile {
  readonly version: VersionRecord;
  readonly file: VersionFile;
}

const SQLITE_HEADER = "SQLite format 3\0";

type Progress = NonNullable<StateCheckOptions["onProgress"]>;

export class Checkup {
  private readonly needs: CheckupNeeds;
  /** A version that needs them, by the SHA-256 of the bytes; known once the log was compared. */
  private readonly neededBy = new Map<string, string>();

  constructor(needs: CheckupNeeds) {
    this.needs = needs;
  }

  async run(options: StateCheckOptions & { readonly lostBytes?: LostBytes | undefined } = {}) {
    const findings: StateFinding[] = [];
    const { onProgress = () => {} } = options;
    const steps = [
      () => this.files(),
      () => this.locks(),
      () => this.copy(),
      () => this.pages(),
      () => this.rows(onProgress),
      () => this.log(onProgress),
      () => this.bytes(options.lostBytes, onProgress),
    ];
    for (const step of steps) {
      try {
        for (const found of await step()) findings.push(await settled(found, options));
      } catch (error) {
        // What cannot be looked at is a finding by itself, unless the reason was found already.
        const unusable = findings.find(({ fixed }) => fixed === undefined);
        if (unusable === undefined) findings.push(cannotLook(error, this.needs.directory));
      }
    }
    return findings;
  }

  /** Kinds and permissions. */
  private files(): Found[] {
    const { directory, places } = this.needs;
    const { database, copy, lock, rebuildLock, tallies, remembered, versionLog } = places;
    const own = lookAt(directory, true);
    // Below something that is no folder there is nothing to look at.
    if (own?.code === "state-wrong-kind")
      return [
        {
          ...own,
          mend: undefined,
          fix: `mv ${directory} ${directory}.old, or name another home with --home`,
        },
      ];
    const folders = [places.sessions, places.inbox, dirname(versionLog), places.blobs];
    const files = [database, copy, lock, rebuildLock, tallies, remembered, versionLog];
    return [
      ...(own ? [own] : []),
      ...folders.flatMap((path) => lookAt(path, true, this.needs.now()) ?? []),
      ...files.flatMap((path) => lookAt(path, false, this.needs.now()) ?? []),
    ];
  }

  private locks(): Found[] {
    const { lock, rebuildLock } = this.needs.places;
    return [lock, rebuildLock].filter(isForeign).map((path) => ({
      code: "lock-damaged",
      path,
      message: `${path} is not the file of a lock. It holds nothing.`,
      mend() {
        // In place, so that whoever holds it goes on holding this file.
        truncateSync(path, 0);
        return "It was emptied.";
      },
    }));
  }

  private copy(): Found[] {
    const { copy: path } = this.needs.places;
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    const problem = this.problemOfCopy(path);
    if (problem === undefined) return [];
    return [
      {
        code: "copy-damaged",
        path,
        message: `The daily copy of the database is damaged (${problem}), so nothing could be taken from it.`,
        mend: () => `It was moved to ${moveAside(path, this.needs.now())}, and is made again.`,
      },
    ];
  }

  private problemOfCopy(path: string): string | undefined {
    try {
      const db = this.needs.openDatabase(path);
      try {
        return integrityOf(db, 1)[0];
      } finally {
        db.close();
      }
    } catch (error) {
      if (!isDriverError(error)) throw error;
      return messageOf(error);
    }
  }

  private pages(): Found[] {
    const { db, places } = this.needs;
    const [problem] = db.check();
    if (problem === undefined) return [];
    return [
      {
        code: "database-damaged",
        path: places.database,
        message: `Pages of the database are damaged (${problem}). Answers may lack what was there; skills and versions do not depend on it.`,
        mend() {
          const moved = db.replace(problem);
          return moved && `A new one was begun with all that could be read; the damaged one is ${moved}.`;
        },
      },
    ];
  }

  private async rows(onProgress: Progress): Promise<Found[]> {
    const { db, places, now, versions } = this.needs;
    const found = await findBadRows(db, (done, total) => onProgress("checking rows", done, total));
    return found.map((bad) => ({
      code: "rows-damaged",
      path: places.database,
      message: `${bad.rows.length} rows of the table "${bad.table}" hold what nobody wrote.`,
      mend: () => {
        const aside = asideOf(places.database, now());
        db.copyTo(aside);
        const isOfLog = bad.table === "versions" || bad.table === "changes";
        if (isOfLog && versions.refill())
          return `They were read from the version log again; the database as it was is ${aside}.`;
        const removed = mendRows(db, bad);
        return `${removed} rows were removed, of the others there is what can be read; the database as it was is ${aside}.`;
      },
    }));
  }

  private async log(onProgress: Progress): Promise<Found[]> {
    const { versions, places, now } = this.needs;
    this.neededBy.clear();
    const { flawed, differing, unlogged }: LogComparison = await versions.compareWithLog(
      (done) => {
        onProgress("checking the version log, percent", Math.round(done * 100), 100);
        return pause();
      },
      ({ id, files }) => {
        for (const { sha256 } of files) if (!this.neededBy.has(sha256)) this.neededBy.set(sha256, id);
      },
    );
    if (flawed + differing + unlogged === 0) return [];
    const isIncomplete = differing + unlogged > 0;
    const lacking = `${unlogged} versions stand in the database alone, ${differing} are not the same in both, and a damaged database would cost them.`;
    return [
      {
        code: isIncomplete ? "log-incomplete" : "log-torn",
        severity: isIncomplete ? "error" : "warning",
        path: places.versionLog,
        message: `${flawed} lines of the version log cannot be read. ${isIncomplete ? lacking : "Every version is there; a crash leaves such lines."}`,
        mend: () => {
          const aside = asideOf(places.versionLog, now());
          this.followLog();
          versions.rewriteLog(aside);
          return `The log was written anew from the database; the old one is ${aside}.`;
        },
      },
    ];
  }

  private followLog(): void {
    const { versions, blobs } = this.needs;
    versions.followLog((version) => version.files.every(({ sha256 }) => blobs.get(sha256) !== undefined));
  }

  /** Every file of every version: one finding for each skill. */
  private async bytes(lostBytes: LostBytes | undefined, onProgress: Progress): Promise<Found[]> {
    const { versions, blobs } = this.needs;
    const lost = new Map<string, LostFile[]>();
    let seen = 0;
    for (const [sha256, id] of this.neededBy) {
      await breathe();
      onProgress("checking the bytes of versions", ++seen, this.neededBy.size);
      if (this.isWhole(sha256)) continue;
      const version = versions.get(id);
      const file = version?.files.find((each) => each.sha256 === sha256);
      if (version && file) lost.set(version.name, [...(lost.get(version.name) ?? []), { version, file }]);
    }
    return [...lost].map(([name, files]): Found => {
      const path = blobs.pathOf(files[0]!.file.sha256);
      const ids = [...new Set(files.map(({ version }) => version.id))];
      return {
        code: "bytes-missing",
        path,
        message: `The bytes of ${files.length} files of "${name}" are missing or damaged. The versions ${ids.slice(0, 3).join(", ")}${ids.length > 3 ? " and others" : ""} cannot be brought back; the skill itself is not touched.`,
        fix: `Bring ${path} back from a backup; the other versions of "${name}" can be used: repertoire history ${name}`,
        mend: lostBytes && (() => this.findAgain(files, lostBytes)),
      };
    });
  }

  private isWhole(sha256: string): boolean {
    try {
      return this.needs.blobs.get(sha256) !== undefined;
    } catch (error) {
      if (codeOf(error) === "") throw error;
      return false;
    }
  }

  /** Puts bytes back that are still in the skill's folder. */
  private async findAgain(lost: readonly LostFile[], lostBytes: LostBytes): Promise<string | undefined> {
    const { blobs, now } = this.needs;
    let found = 0;
    for (const { version, file } of lost) {
      const bytes = await lostBytes(version, file);
      if (bytes === undefined || sha256Of(bytes) !== file.sha256) continue;
      const path = blobs.pathOf(file.sha256);
      if (statSync(path, { throwIfNoEntry: false })) moveAside(path, now());
      blobs.put(bytes);
      found++;
    }
    if (found < lost.length) return undefined;
    return `${found} files were found in the skill's folder and kept again.`;
  }
}

async function settled(found: Found, { fix = false }: StateCheckOptions): Promise<StateFinding> {
  const { mend, severity = "error", ...rest } = found;
  const finding = { ...rest, severity, fix: rest.fix ?? MENDING_COMMAND, canFix: mend !== undefined };
  if (!fix || mend === undefined) return finding;
  try {
    return { ...finding, fixed: await mend() };
  } catch (error) {
    if (codeOf(error) === "" && !isRepertoireError(error) && !isDriverError(error)) throw error;
    return { ...finding, message: `${finding.message} It could not be repaired: ${messageOf(error)}.` };
  }
}

function cannotLook(error: unknown, directory: string): StateFinding {
  if (codeOf(error) === "" && !isRepertoireError(error)) throw error;
  const { path, value } = error as { readonly path?: unknown; readonly value?: unknown };
  return {
    code: "state-unusable",
    severity: "error",
    path: [path, value].find((each) => typeof each === "string") ?? directory,
    message: messageOf(error),
    fix: "Make room, or give yourself permission to read and write the file, then try again.",
    canFix: false,
  };
}

/** What is wrong with a path of the store; undefined if nothing is, or nothing is there yet. */
function lookAt(path: string, isFolder: boolean, now?: Date): Found | undefined {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
  if (stats === undefined) return undefined;
  if (stats.isDirectory() !== isFolder)
    return {
      code: "state-wrong-kind",
      path,
      message: `${path} is ${isFolder ? "no folder" : "no file"}, and Repertoire needs one there.`,
      mend: now && (() => `It was moved to ${moveAside(path, now)}.`),
    };
  const wanted = constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0);
  try {
    accessSync(path, wanted);
    return undefined;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    // Then nothing can be written, whatever the permissions say.
    if (codeOf(error) === "EROFS") return undefined;
    const isOwn = stats.uid === process.getuid?.();
    const mode = isFolder ? PRIVATE_FOLDER : PRIVATE_FILE;
    return {
      code: "state-forbidden",
      path,
      message: `There is no permission to read and write ${path}.`,
      fix: isOwn ? undefined : `sudo chown ${process.env.USER ?? "YOU"} ${path}`,
      mend: isOwn
        ? () => {
            chmodSync(path, mode);
            return "It can be read and written now, by you alone.";
          }
        : undefined,
    };
  }
}

function isForeign(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(SQLITE_HEADER.length);
    const read = readSync(file, head, 0, head.length, 0);
    return read > 0 && head.toString("latin1") !== SQLITE_HEADER;
  } finally {
    closeSync(file);
  }
}

function moveAside(path: string, now: Date): string {
  const aside = asideOf(path, now);
  renameSync(path, aside);
  return aside;
}
