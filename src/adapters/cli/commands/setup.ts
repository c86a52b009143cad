// `repertoire setup HOST`: shows the changes to a host's configuration and makes them; --undo reverts them.

import { resolve } from "node:path";
import { unifiedDiff } from "../../../text/diff.ts";
import { HOST_TABLE, SETUP_HOSTS, type SetupHost } from "../../hooks/setup/hosts.ts";
import { applySetup, applyUndo, type FileChange, planSetup, planUndo } from "../../hooks/setup/setup.ts";
import { EXIT, type Register } from "../command.ts";
import type { Io } from "../io.ts";
import { accepting } from "../options.ts";

export const registerSetup: Register = (program, action) => {
  program
    .command("setup")
    .argument("<host>", SETUP_HOSTS.join(", "), accepting(SETUP_HOSTS))
    .description("connect a host to Repertoire: its hooks and its MCP server; shows what it writes")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--undo", "undo what setup wrote")
    .action(
      action(async ({ io, open }, host: SetupHost, options: { dryRun?: boolean; undo?: boolean }) => {
        const { home, dir } = open().config;
        const places = { home: resolve(home), dir: resolve(dir) };
        const changes = options.undo ? planUndo(host, places) : planSetup(host, places);
        if (!io.json) for (const change of changes) await showChange(io, change);
        if (!options.dryRun && changes.length > 0)
          (options.undo ? applyUndo : applySetup)(host, places, changes);
        const files = changes.map(({ path }) => path);
        io.answer(
          { host, undo: options.undo === true, written: options.dryRun ? [] : files, changes },
          () => {
            if (files.length === 0)
              io.line(`${host} is ${options.undo ? "not" : "already"} set up; nothing to do.`);
            else if (options.dryRun) io.line("Nothing was written (--dry-run).");
            else if (options.undo) io.line(`${host}: undone.`);
            else io.line(`${host} is set up. ${HOST_TABLE[host].next} Undo: repertoire setup ${host} --undo`);
          },
        );
        return EXIT.ok;
      }),
    );
};

async function showChange(io: Io, { path, before, after }: FileChange): Promise<void> {
  const what = before === undefined ? "new" : after === undefined ? "removed" : "changed";
  io.line(io.colour.bold(`${path} (${what})`));
  io.line(await unifiedDiff(before ?? "", after ?? ""));
}
