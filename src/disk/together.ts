// Many files that reach the disk together: each is synced as if it were alone, but they wait for the disk at the same time.

import { dirname } from "node:path";
import { codeOf } from "../model/errors.ts";
import {
  type Files,
  folderMode,
  makeUnsynced,
  markLasting,
  removeQuietly,
  stageFile,
  type UnsyncedFolder,
} from "./durable.ts";
import { PRIVATE_FILE } from "./private.ts";

interface WholeFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Permissions of the file; it is private unless given. */
  readonly mode?: number | undefined;
  /** Where its temporary file is made: beside it unless given. On the same file system. */
  readonly staging?: string | undefined;
}

interface StagedFile {
  readonly from: string;
  readonly to: string;
}

/** Files that are on the disk under temporary names. To be renamed to their own, or dropped. */
export class StagedFiles {
  private readonly files: Files;
  private staged: StagedFile[] = [];
  private readonly folders: UnsyncedFolder[] = [];

  private constructor(files: Files) {
    this.files = files;
  }

  /** Writes the bytes beside their paths. They survive a power cut once this returns; what failed leaves nothing. */
  static async write(files: Files, all: readonly WholeFile[]): Promise<StagedFiles> {
    const written = new StagedFiles(files);
    try {
      for (const file of all) written.stage(file);
      await syncTogether(
        files,
        written.staged.map(({ from }) => from),
      );
      return written;
    } catch (error) {
      written.drop();
      throw error;
    }
  }

  private stage({ path, bytes, mode = PRIVATE_FILE, staging }: WholeFile): void {
    this.folders.push(...makeUnsynced(this.files, dirname(path), folderMode(mode)));
    this.staged.push({ from: stageFile(this.files, path, bytes, { mode, sync: false, staging }), to: path });
  }

  /** Gives these files their own names, in this order. */
  rename(paths: readonly string[]): void {
    const wanted = new Map(this.staged.map((file) => [file.to, file]));
    for (const path of paths) this.files.renameSync(wanted.get(path)!.from, path);
  }

  /** Makes the names in the folders of the files, and in these folders, survive a power cut. */
  async syncNames(folders: Iterable<string> = []): Promise<void> {
    const made = new Map<string, boolean>();
    for (const { folder, isNew } of this.folders)
      made.set(dirname(folder), isNew || made.get(dirname(folder)) === true);
    for (const folder of [...this.staged.map(({ to }) => dirname(to)), ...folders]) made.set(folder, true);
    const tolerated = (folder: string) => [...NO_FOLDER, ...(made.get(folder) ? [] : ["EACCES"])];
    await syncTogether(this.files, [...made.keys()], tolerated);
    markLasting(this.files, this.folders);
  }

  /** Removes what was not renamed. */
  drop(): void {
    for (const { from } of this.staged) removeQuietly(this.files, from);
    this.staged = [];
  }
}

/** Replaces whole files; makes their folders. Once this returns, the new contents survive a power cut. */
export async function writeFilesAtomically(files: Files, all: readonly WholeFile[]): Promise<void> {
  const staged = await StagedFiles.write(files, all);
  try {
    staged.rename(all.map(({ path }) => path));
  } catch (error) {
    staged.drop();
    throw error;
  }
  await staged.syncNames();
}

/** Codes of a folder that has no handle on this system, or is gone, with all its names. */
const NO_FOLDER = ["EISDIR", "EPERM", "ENOENT"];

/** How many files are open at the same time. */
const OPEN_AT_ONCE = 64;

/** Syncs files, or folders, of which some may not be opened. Fails with the first error, after all others have ended. */
async function syncTogether(
  files: Files,
  paths: readonly string[],
  tolerated: (path: string) => readonly string[] = () => [],
): Promise<void> {
  for (let at = 0; at < paths.length; at += OPEN_AT_ONCE) {
    const syncs = paths.slice(at, at + OPEN_AT_ONCE).map((path) => syncPath(files, path, tolerated(path)));
    for (const result of await Promise.allSettled(syncs))
      if (result.status === "rejected") throw result.reason;
  }
}

async function syncPath(files: Files, path: string, tolerated: readonly string[]): Promise<void> {
  let file: number;
  try {
    file = files.openSync(path, "r");
  } catch (error) {
    if (tolerated.includes(codeOf(error))) return;
    throw error;
  }
  try {
    await new Promise<void>((settle, fail) => {
      files.fsync(file, (error) => (error ? fail(error) : settle()));
    });
  } catch (error) {
    const isUnsupported = tolerated.length > 0 && ["EPERM", "EINVAL"].includes(codeOf(error));
    if (!isUnsupported) throw error;
  } finally {
    files.closeSync(file);
  }
}
