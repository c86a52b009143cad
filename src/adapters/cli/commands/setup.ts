// `repertoire setup HOST`: shows the changes to a host's configuration and makes them; --undo reverts them.

import { resolve } from "node:path";
import { unifiedDiff } from "../../../text/diff.ts";
import { HOST_TABLE, SETUP_HOSTS, type SetupHost } from "../../hooks/setup/hosts.ts";
import { applySetup, applyUndo, planSetup, planUndo } from "../../hooks/setup/setup.ts";
import { accepting, type Verb } from "../command.ts";

export const setupVerb: Verb = {
  use: "setup",
  about: "connect a host to Repertoire: its hooks and its MCP server; shows what it writes",
  arguments: [["<host>", SETUP_HOSTS.join(", "), accepting(SETUP_HOSTS)]],
  options: [
    ["--dry-run", "show what would be written, and write nothing"],
    ["--undo", "undo what setup wrote"],
  ],
  async run({ io, engine }, host: SetupHost, { dryRun, undo }: { dryRun?: boolean; undo?: boolean }) {
    const { home, dir } = engine.config;
    const places = { home: resolve(home), dir: resolve(dir) };
    const changes = undo ? planUndo(host, places) : planSetup(host, places);
    for (const { path, before, after } of io.json ? [] : changes) {
      const what = before === undefined ? "new" : after === undefined ? "removed" : "changed";
      io.line(io.colour.bold(`${path} (${what})`));
      io.line(await unifiedDiff(before ?? "", after ?? ""));
    }
    if (!dryRun && changes.length > 0) (undo ? applyUndo : applySetup)(host, places, changes);
    const files = changes.map(({ path }) => path);
    io.answer({ host, undo: undo === true, written: dryRun ? [] : files, changes }, () => {
      if (files.length === 0) io.line(`${host} is ${undo ? "not" : "already"} set up; nothing to do.`);
      else if (dryRun) io.line("Nothing was written (--dry-run).");
      else if (undo) io.line(`${host}: undone.`);
      else io.line(`${host} is set up. ${HOST_TABLE[host].next} Undo: repertoire setup ${host} --undo`);
    });
  },
};
