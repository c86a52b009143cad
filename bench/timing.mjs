// Measures fairly on a noisy machine: the contestants take turns, and ratios come from one run.

/** Runs each contestant `rounds` times, alternating; returns the median milliseconds of each. */
export async function race(contestants, rounds) {
  const times = new Map(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(contestants)) {
      const started = performance.now();
      await work();
      times.get(name).push(performance.now() - started);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
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
