// Owns measuring the whole recall of the built package over a library on disk: first index, warm answers, memory, and
// the command line as a new process. Prints one line of JSON: node --expose-gc whole.mjs '{"size":1000}'
//
// A message's time is its best of all rounds, so that a busy machine shows little; a fixed loop tells how fast this
// machine is, to be held against another's.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeLibrary } from "../library.mjs";
import { median } from "../timing.mjs";
import { openCorpus } from "./corpus.mjs";

const { size, corpus: dir, rounds } = JSON.parse(process.argv[2]);
const MESSAGES = 40;
const COLD_RUNS = 15;
const bin = new URL("../../dist/bin.cjs", import.meta.url).pathname;
const { openRepertoire } = await import("../../dist/index.js");

const folder = mkdtempSync(join(tmpdir(), "bench-recall-"));
const [project, home] = [join(folder, "project"), join(folder, "home")];
const corpus = openCorpus(dir);
const messages = { short: corpus.messages("short", MESSAGES), long: corpus.messages("long", MESSAGES) };

async function processorMs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Three million dependent multiplications, in milliseconds. */
function fixedLoop() {
  let [x, best] = [1, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 9; round++) {
    const begin = performance.now();
    for (let i = 0; i < 3e6; i++) x = (Math.imul(x, 31) + i) | 0;
    best = Math.min(best, performance.now() - begin);
  }
  return x === 0 ? 0 : best;
}

function memory() {
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function latency(engine, asked) {
  const best = asked.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, message] of asked.entries()) {
      const begin = performance.now();
      await engine.turns.recall({ message });
      best[i] = Math.min(best[i], performance.now() - begin);
    }
  }
  best.sort((a, b) => a - b);
  return { p50: median(best), p95: best[Math.floor(best.length * 0.95)] };
}

function cold() {
  const flags = ["--dir", project, "--home", home];
  const run = (args) => {
    const begin = performance.now();
    spawnSync(process.execPath, args, { stdio: "ignore" });
    return performance.now() - begin;
  };
  // The command line's index holds the package's own skills too: made here, not measured.
  run([bin, ...flags, "index"]);
  const bare = [];
  const whole = [];
  for (let i = 0; i < COLD_RUNS; i++) {
    bare.push(run(["-e", "0"]));
    whole.push(run([bin, ...flags, "recall", messages.short[i % MESSAGES]]));
  }
  return { bareMs: median(bare), wholeMs: median(whole) };
}

try {
  writeLibrary(join(project, "skills"), size, dir);
  const open = () => openRepertoire({ dir: project, home, values: { "sources.bundled": false } });
  const indexMs = await processorMs(() => open().turns.recall({ message: messages.short[0] }));
  const before = memory();
  const engine = open();
  const result = { size, indexMs };
  for (const kind of ["short", "long"]) result[kind] = await latency(engine, messages[kind]);
  result.bytesPerSkill = (memory() - before) / size;
  result.loopMs = fixedLoop();
  result.cold = cold();
  console.log(JSON.stringify(result));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
