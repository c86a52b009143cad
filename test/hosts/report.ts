// Prints the table of the hosts after all files of tests, and keeps it if the run was asked to.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printed, readSeen, writeRows } from "./table.ts";

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-hosts-"));
  process.env.REPERTOIRE_SEEN = join(folder, "seen.json");
  return () => {
    process.stdout.write(`\n${printed(readSeen())}\n`);
    if (process.env.REPERTOIRE_RECORD === "1") writeRows(readSeen());
    rmSync(folder, { recursive: true });
  };
}
