import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { startOf } from "./process-start.ts";

const HERE = process.platform;
/** `ps` answers on Linux too, in the words of macOS. */
const PLATFORMS = spawnSync("ps", ["-p", "1"]).error ? [HERE] : [HERE, "darwin" as const];

it.each(PLATFORMS)("on %s the start of a process is the same each time", (platform) => {
  const started = startOf(process.pid, platform);
  expect(started).toMatch(/\d/);
  expect(startOf(process.pid, platform)).toBe(started);
});

it.each(PLATFORMS)("on %s a process that is gone has none", async (platform) => {
  const child = spawn(process.execPath, ["-e", "0"]);
  const { pid } = child;
  await once(child, "exit");
  expect(startOf(pid!, platform)).toBeUndefined();
});

it("is unknown if the system's program is missing", () => {
  if (HERE !== "win32") expect(startOf(process.pid, "win32")).toBeUndefined();
});
