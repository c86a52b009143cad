// Tests that the output of a program is kept even if this process is busy.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SCRIPT_LIMITS } from "./limits.ts";
import { runProcess } from "./process.ts";

/** Blocks this process. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("output printed before the end is kept even if this process was too busy to read it", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "repertoire-process-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const abort = new AbortController();
  const running = runProcess({
    command: "/bin/sh",
    args: ["-c", "echo said; echo also >&2; : > said; sleep 60"],
    cwd,
    env: { PATH: process.env.PATH ?? "" },
    timeoutMs: 60_000,
    outputBytes: 1_000,
    signal: abort.signal,
  });
  while (!existsSync(join(cwd, "said"))) block(5);
  abort.abort();
  block(SCRIPT_LIMITS.drainMs + 50);
  expect(await running).toMatchObject({ how: "aborted", stdout: "said\n", stderr: "also\n" });
});
