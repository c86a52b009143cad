// Owns where the files of a store stand below its folder. One table, so that the hook and the database agree.

import { join } from "node:path";

/** The paths of a store that lives in `directory` (usually `~/.repertoire`). */
export function placesIn(directory: string) {
  return {
    database: join(directory, "repertoire.db"),
    lock: join(directory, "repertoire.lock.db"),
    rebuildLock: join(directory, "repertoire.rebuild.db"),
    sessions: join(directory, "sessions"),
    spool: join(directory, "inbox"),
    tallies: join(directory, "tallies.json"),
    versionLog: join(directory, "versions", "log.jsonl"),
    blobs: join(directory, "versions", "blobs"),
  } as const;
}
