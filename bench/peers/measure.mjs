// Owns: starting child processes, timing them, and ending those that take too long. Knows no peer's API.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROBE = fileURLToPath(new URL("./probe.mjs", import.meta.url));

const LIMITS = {
  // A process over 1,000 skills: far above the slowest peer, so that only a hang meets it.
  processMs: 120_000,
  // One edge case holds two small skills: a load takes milliseconds, ten seconds is a hang.
  edgeCaseMs: 10_000,
  // Enough for every peer's own start; an alias bomb that is really expanded meets it soon.
  edgeHeapMb: 1024,
};

// Loads after the first in one process: enough for a median once the rounds are put together.
const WARM_LOADS = 3;

const environment = (home) => ({ ...process.env, HOME: home, NO_COLOR: "1" });

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Wall time of a whole process, from start to exit. */
export function coldProcess({ adapter, project, home }) {
  const ownHome = adapter.freshHome ? mkdtempSync(join(home, "cold-")) : home;
  const request = JSON.stringify({ mode: "cold", adapter: adapter.name, project, home: ownHome });
  const args = adapter.coldCommand?.({ project, home: ownHome }) ?? [PROBE, request];
  return timeProcess({ args, home: ownHome });
}

export function timeProcess({ args, home }) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: environment(home),
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
    timeout: LIMITS.processMs,
  });
  const ms = performance.now() - start;
  return status === 0 ? { ms } : { problem: firstError(String(stderr)) || `ended with status ${status}` };
}

/** Loads again and again inside one process; resolves to the probe's answer or a problem. */
export function warmProcess({ adapter, project, home }) {
  const request = JSON.stringify({ mode: "warm", adapter: adapter.name, project, home, runs: WARM_LOADS });
  const { status, stderr, output } = spawnSync(process.execPath, [PROBE, request], {
    env: environment(home),
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
    timeout: LIMITS.processMs,
    encoding: "utf8",
  });
  return status === 0
    ? JSON.parse(output[3])
    : { problem: firstError(stderr) || `ended with status ${status}` };
}

/** Every edge case in one child, which is started anew after a case that crashed or hung it. */
export async function edgeProcesses({ adapter, project, home, ids }) {
  const results = {};
  let waiting = ids;
  while (waiting.length > 0) {
    const { finished, stoppedAt, outcome } = await edgeChild({ adapter, project, home, ids: waiting });
    Object.assign(results, finished);
    if (outcome === undefined) break;
    if (stoppedAt === undefined) return { problem: `could not start: ${outcome}` };
    results[stoppedAt] = { outcome, said: false };
    waiting = waiting.slice(waiting.indexOf(stoppedAt) + 1);
  }
  return { results };
}

function edgeChild({ adapter, project, home, ids }) {
  const request = JSON.stringify({ mode: "edge", adapter: adapter.name, project, home, ids });
  const child = spawn(process.execPath, [`--max-old-space-size=${LIMITS.edgeHeapMb}`, PROBE, request], {
    env: environment(home),
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const finished = {};
  let stoppedAt;
  let hung = false;
  let timer;
  const watch = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      hung = true;
      child.kill("SIGKILL");
    }, ms);
  };
  watch(LIMITS.processMs);
  createInterface({ input: child.stdio[3] }).on("line", (line) => {
    const { started, finished: id, ...result } = JSON.parse(line);
    watch(LIMITS.edgeCaseMs);
    if (started !== undefined) stoppedAt = started;
    if (id === undefined) return;
    finished[id] = result;
    stoppedAt = undefined;
  });
  return new Promise((resolve) => {
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve({ finished, stoppedAt, outcome: status === 0 ? undefined : hung ? "hung" : "crashed" });
    });
  });
}

function firstError(text) {
  const line = text.split("\n").find((candidate) => /error/i.test(candidate));
  return (line ?? "").trim().slice(0, 200);
}
