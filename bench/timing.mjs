// Measures fairly on a noisy machine: the contestants take turns, and ratios come from one run.

import { spawnSync } from "node:child_process";

/** Runs each contestant `rounds` times, alternating; returns the median milliseconds of each, by default those on the clock. */
export async function race(contestants, rounds, measure = onTheClock) {
  const times = new Map(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(contestants)) times.get(name).push(await measure(work));
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
}

async function onTheClock(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/**
 * Milliseconds of processor time (user and system, all threads) that a process takes, as bash counts them; its output goes
 * into pipes, as a host would take it. Other processes disturb this far less than the time on the clock.
 */
export function processorTime(command, input = "", env = process.env) {
  const { output, status } = spawnSync("bash", ["-c", MEASURE, "bash", ...command], {
    input,
    env,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${command.join(" ")} failed: ${output[2]}`);
  const [user, system] = String(output[3]).trim().split(" ").map(Number);
  return (user + system) * 1000;
}

const MEASURE = `TIMEFORMAT="%3U %3S"; exec 4>&2; { time "$@" 2>&4; } 2>&3`;

/** The ratio of the medians of two lists that were measured in turns, and the interval that holds 95% of its bootstraps. */
export function ratioOf(ours, theirs, samples = 2_000) {
  const ratios = Array.from({ length: samples }, () => {
    const rounds = ours.map(() => Math.floor(Math.random() * ours.length));
    return median(rounds.map((round) => ours[round])) / median(rounds.map((round) => theirs[round]));
  }).sort((a, b) => a - b);
  const at = (part) => ratios[Math.floor(part * samples)];
  return { ratio: median(ours) / median(theirs), low: at(0.025), high: at(0.975) };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export function printRatio(what, ours, theirs, bar) {
  const ratio = ours / theirs;
  const verdict = bar === undefined ? "" : ratio <= bar ? `  (bar ${bar}: met)` : `  (bar ${bar}: MISSED)`;
  console.log(
    `${what.padEnd(64)} ${ours.toFixed(1).padStart(8)} ms / ${theirs.toFixed(1).padStart(8)} ms = ${ratio.toFixed(2)}x${verdict}`,
  );
}
