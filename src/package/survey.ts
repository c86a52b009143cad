// Reads a package that may be damaged or hostile: whatever can be read, and a list of what cannot.

import { type Dirent, lstatSync, opendirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isBelow, unlessMissing } from "../disk/disk.ts";
import { codeOf, isRepertoireError } from "../model/errors.ts";
import { PACKAGE_LIMITS } from "./facts.ts";
import { fileMark, packageDigest, readRegularFile, snapshotPackage, walkPackage } from "./files.ts";

interface SurveyedFile {
  readonly path: string;
  /** Empty for a link that leads out of the package and for a special file. */
  readonly bytes: Uint8Array;
  /** The Unix mode with its file-type bits. */
  readonly mode: number;
}

interface UnreadFile {
  /** Empty if the whole package is meant. */
  readonly path: string;
  readonly reason: string;
}

interface PackageSurvey {
  readonly files: readonly SurveyedFile[];
  readonly unread: readonly UnreadFile[];
  /** Absent if the package is one that cannot be handed over. */
  readonly digest?: string | undefined;
}

const REGULAR = 0o100644;
const EXECUTABLE = 0o100755;

/** Never throws because of what is in the folder. */
export function surveyPackage(directory: string): PackageSurvey {
  try {
    const { digest, files } = snapshotPackage(directory);
    return {
      digest,
      unread: [],
      files: [...files].map(([path, { bytes, executable }]) => ({
        path,
        bytes,
        mode: executable ? EXECUTABLE : REGULAR,
      })),
    };
  } catch (thrown) {
    if (!isRepertoireError(thrown)) throw thrown;
    return new Survey(directory).run();
  }
}

/** One file as a package of its own. */
export function surveyFile(folder: string, name: string): PackageSurvey {
  const survey = new Survey(folder);
  survey.take(name);
  const [file] = survey.files;
  if (!file || survey.unread.length > 0) return survey;
  const mark = fileMark({ bytes: file.bytes, executable: file.mode === EXECUTABLE });
  return { files: [file], unread: [], digest: packageDigest({ [name]: mark }) };
}

class Survey {
  readonly files: SurveyedFile[] = [];
  readonly unread: UnreadFile[] = [];
  private readonly root: string;
  private folders = 0;
  private entries = 0;
  private bytes = 0;

  constructor(directory: string) {
    this.root =
      unlessMissing(() => realpathSync(directory), ["ENOENT", "ENOTDIR", "ELOOP", "EACCES"]) ?? directory;
  }

  run(): PackageSurvey {
    for (const { path } of walkPackage(this.root, (folder) => this.entriesIn(folder))) {
      this.entries += 1;
      if (this.entries > PACKAGE_LIMITS.files) {
        this.unread.push({ path: "", reason: `more than ${PACKAGE_LIMITS.files} files` });
        break;
      }
      this.take(path);
    }
    return this;
  }

  take(path: string): void {
    const full = join(this.root, path);
    try {
      const stats = lstatSync(full);
      if (stats.isSymbolicLink()) this.takeLink(path);
      else if (!stats.isFile()) this.files.push({ path, bytes: new Uint8Array(), mode: stats.mode });
      else if (this.bytes + stats.size > PACKAGE_LIMITS.bytes)
        this.unread.push({ path, reason: `too large: ${stats.size} bytes` });
      else {
        const { bytes, executable } = readRegularFile(this.root, path);
        this.bytes += bytes.length;
        this.files.push({ path, bytes, mode: executable ? EXECUTABLE : REGULAR });
      }
    } catch (thrown) {
      this.unread.push({ path, reason: reasonOf(thrown) });
    }
  }

  /** A link inside the package is not followed: its target is read by its own path. */
  private takeLink(path: string): void {
    const target = realpathSync(join(this.root, path));
    if (!isBelow(this.root, target)) this.files.push({ path, bytes: new Uint8Array(), mode: 0o120777 });
  }

  private entriesIn(folder: string): Dirent[] {
    const entries: Dirent[] = [];
    const path = folder.slice(this.root.length + 1).replace(/[\\/]$/, "");
    this.folders += 1;
    if (this.folders > PACKAGE_LIMITS.folders) {
      this.unread.push({ path, reason: `more than ${PACKAGE_LIMITS.folders} folders` });
      return [];
    }
    try {
      const open = opendirSync(folder);
      try {
        for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
          if (entries.push(entry) > PACKAGE_LIMITS.files) break;
        }
      } finally {
        open.closeSync();
      }
    } catch (thrown) {
      this.unread.push({ path, reason: reasonOf(thrown) });
    }
    return entries;
  }
}

function reasonOf(thrown: unknown): string {
  if (codeOf(thrown) === "ENOENT") return "a link that leads nowhere";
  return isRepertoireError(thrown) ? "it cannot be read" : `it cannot be read (${codeOf(thrown)})`;
}
