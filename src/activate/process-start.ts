// Finds when a process was started, which tells it from a later one with the same id: from /proc on Linux, from `ps` on
// macOS and BSD, from PowerShell on Windows.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { codeOf } from "../model/errors.ts";

/** Neither program takes longer unless the machine hangs; then the id alone counts. */
const TIMEOUT_MS = 5_000;

/** The same text each time for one process; undefined if the process is gone or the system does not say. */
export function startOf(pid: number, platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform === "linux") return fromProc(pid);
  const [program, ...args] =
    platform === "win32"
      ? ["powershell.exe", "-NoProfile", "-Command", `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`]
      : ["ps", "-o", "lstart=", "-p", String(pid)];
  try {
    const answer = execFileSync(program!, args, {
      encoding: "utf8",
      timeout: TIMEOUT_MS,
      stdio: ["ignore", "pipe", "ignore"],
      // The date must read the same for every caller.
      env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    });
    return answer.trim() || undefined;
  } catch {
    // The program is missing, refuses, or knows no such process.
    return undefined;
  }
}

/** In ticks since the machine was started: the 20th word after the name in parentheses. */
function fromProc(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    return status.slice(status.lastIndexOf(")") + 2).split(" ")[19];
  } catch (thrown) {
    if (codeOf(thrown) !== "") return undefined;
    throw thrown;
  }
}
