// Writes activations as JSON lines beside the journal, one file per session, for programs that read usage files.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../disk/disk.ts";
import type { RecordUse } from "./reader.ts";

/** Records as `record` does, and appends each activation in a session to `<folder>/<session>.jsonl`. */
export function withUsageFiles(folder: string, record: RecordUse, now: () => number): RecordUse {
  return async (actor, skill, happened) => {
    await record(actor, skill, happened);
    const { session } = actor;
    if (session === undefined || happened.kind !== "activated") return;
    const timestamp = new Date(now()).toISOString();
    makeFolder(folder);
    const line = JSON.stringify({ skillName: skill.name, sessionId: session, timestamp });
    appendFileSync(join(folder, `${encodeURIComponent(session).replaceAll(".", "%2E")}.jsonl`), `${line}\n`);
  };
}
