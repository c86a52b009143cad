// Prints the table of the hosts after all files of tests, and keeps it if the run was asked to.

import { forgetSeen, printed, readSeen, writeRows } from "./table.ts";

export default function setup(): () => void {
  forgetSeen();
  return () => {
    process.stdout.write(`\n${printed(readSeen())}\n`);
    if (process.env.REPERTOIRE_RECORD === "1") writeRows(readSeen());
  };
}
