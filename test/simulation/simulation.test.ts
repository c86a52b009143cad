// Changes of skills on a disk that fails, forgets and loses its power: what was acknowledged is there, what failed is not,
// and everything else is whole or absent. A failing seed tells how to repeat it.
//
//   npm run simulate        10,000 seeds, in several processes
//   REPERTOIRE_SEED=17      this one only

import { expect, test } from "vitest";
import { runSeed } from "./seeds.ts";

const SEEDS = 300;
const ONLY = process.env.REPERTOIRE_SEED;

test(
  `${SEEDS} simulated machines lose nothing`,
  async () => {
    const failures: string[] = [];
    const first = ONLY === undefined ? 0 : Number(ONLY);
    const last = ONLY === undefined ? SEEDS : first + 1;
    for (let seed = first; seed < last && failures.length < 5; seed++) {
      const failure = await runSeed(seed);
      if (failure) failures.push(failure);
    }
    expect(failures).toEqual([]);
  },
  60_000 + SEEDS * 2_000,
);
