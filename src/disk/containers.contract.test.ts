// Whether the temporary files of a container are left alone by another one that shares the folder. Needs Linux and root.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { DISK, sweepAbandoned, sweepLeftovers } from "./disk.ts";

/** Runs a program as a container would: in a process space of its own, where it is number 1. */
function inContainer(args: readonly string[]) {
  const unshare = ["--pid", "--fork", "--mount-proc", process.execPath, ...args];
  return spawnSync("unshare", unshare, { encoding: "utf8" });
}

const canUnshare = process.platform === "linux" && inContainer(["-e", "0"]).status === 0;

test.skipIf(!canUnshare)(
  "the file that a container is writing is not taken for one of a killed process",
  () => {
    const root = mkdtempSync(join(tmpdir(), "repertoire-containers-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const { outputFiles } = buildSync({
      stdin: {
        contents: `
        import { DISK, stageFile } from "./durable.ts";
        process.stdout.write(stageFile(DISK, process.argv[2], Buffer.from("theirs")));
      `,
        resolveDir: import.meta.dirname,
        loader: "ts",
      },
      bundle: true,
      write: false,
      platform: "node",
      format: "esm",
    });
    const program = join(root, "program.mjs");
    writeFileSync(program, outputFiles[0]!.contents);
    // Its number, 1, is that of a running process here as well; those that follow are not.
    const { stdout, stderr } = inContainer([
      "-e",
      `process.exit(require("child_process").spawnSync(process.execPath, ${JSON.stringify([program, join(root, "state.json")])}, { stdio: "inherit" }).status)`,
    ]);
    expect(stderr).toBe("");
    expect(basename(stdout)).toMatch(/^\.state\.json\..*\.repertoire-tmp$/);
    sweepAbandoned(DISK, root);
    expect(sweepLeftovers(DISK, root)).toBe(0);
    expect(readdirSync(root)).toContain(basename(stdout));
  },
);
