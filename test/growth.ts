// Measures how the cost of a piece of work grows with its input, in processor time, so that the machine's speed and load
// do not count.

/** Below this the clock says more about itself than about the work. */
const FLOOR_MS = 1;
const ROUNDS = 3;

/** More than any linear work shows, less than quadratic work does. */
export const LINEAR = 10;

/**
 * How many times more processor time the work takes with 4n than with n: about 1 when it is constant, 4 when it is linear,
 * 16 when it is quadratic. `prepare` makes the input, which is not measured, and returns the work.
 *
 *     expect(await growth((n) => () => chooseFrame("a ".repeat(n)), 50_000)).toBeLessThan(LINEAR);
 */
export async function growth(prepare: (n: number) => () => unknown, n: number): Promise<number> {
  const [small, large] = [prepare(n), prepare(4 * n)];
  await small();
  return (await cost(large)) / Math.max(await cost(small), FLOOR_MS);
}

/** Milliseconds of processor time; the best of a few rounds, because a round may pay for a garbage collection. */
async function cost(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
