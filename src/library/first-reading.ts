// Lets one process read a library that was never read: a host starts its hooks and its servers at once, and those that come
// second take over what the first one has read.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  DISK,
  isRunning,
  makeFolder,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  removeQuietly,
  UNREADABLE,
  unlessMissing,
} from "../disk/disk.ts";
import { codeOf } from "../model/errors.ts";
import { pause } from "./slices.ts";

/** Another process has so long: a host waits a minute for a hook, which then has to read by itself. */
const OTHERS_MS = 40_000;
const LOOK_MS = 50;

interface FirstReading {
  /** Where the snapshot is kept; undefined = nowhere, so nobody can take anything over. */
  readonly path: string | undefined;
  readonly isRead: () => boolean;
}

/** Waits for another process that reads this library for the first time. Returns what to call after reading. */
export async function firstReading({ path, isRead }: FirstReading): Promise<() => void> {
  const done = () => {};
  if (path === undefined) return done;
  const mark = `${path}.reading`;
  while (!isRead()) {
    const claimed = claim(mark);
    if (claimed === "ours") return () => removeQuietly(DISK, mark);
    if (claimed === "nobody's") return done;
    if (isAbandoned(mark)) {
      removeQuietly(DISK, mark);
      return claim(mark) === "ours" ? () => removeQuietly(DISK, mark) : done;
    }
    await pause(LOOK_MS);
  }
  return done;
}

/** Nobody's, if the folder cannot be written. */
function claim(mark: string): "ours" | "another's" | "nobody's" {
  try {
    makeFolder(dirname(mark), PRIVATE_FOLDER);
    writeFileSync(mark, String(process.pid), { flag: "wx", mode: PRIVATE_FILE });
    return "ours";
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
    return codeOf(thrown) === "EEXIST" ? "another's" : "nobody's";
  }
}

function isAbandoned(mark: string): boolean {
  const since = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  if (since === undefined) return false;
  const maker = Number(unlessMissing(() => readFileSync(mark, "utf8"), UNREADABLE));
  // An empty mark was made a moment ago.
  return Date.now() - since > OTHERS_MS || (maker > 0 && !isRunning(maker));
}
