// Owns reading one file of a package without being led astray: no link is followed, nothing but a regular file is
// read, never more than is allowed. Does not own which files there are: `package.ts` does.

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { RepertoireError } from "../model/errors.ts";
import { PACKAGE_LIMITS } from "./limits.ts";
import { unreadable } from "./listing.ts";

export interface RegularFile {
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** Opened without blocking, so that a FIFO put in its place cannot hang us. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `root` is a real path, and so must be the way from it to the file. */
export function readRegularFile(root: string, from: string): RegularFile {
  const path = join(root, from);
  let file: number;
  try {
    file = openSync(path, FLAGS);
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || realpathSync(path) !== path) {
      throw new RepertoireError(
        "package-changed",
        `${path} is no longer a file of the package: it was replaced while it was read. Try again, and look at what changes it.`,
        from,
      );
    }
    return { bytes: readAll(file, path, stats.size), executable: (stats.mode & 0o111) !== 0 };
  } finally {
    closeSync(file);
  }
}

function readAll(file: number, path: string, size: number): Buffer {
  if (size > PACKAGE_LIMITS.bytes) throw unreadable(path, { code: "EFBIG" });
  // One byte more than it should have, so that a file that grows is noticed.
  const bytes = Buffer.allocUnsafe(size + 1);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(file, bytes, filled, bytes.length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  if (filled !== size) throw unreadable(path, undefined);
  return bytes.subarray(0, size);
}
