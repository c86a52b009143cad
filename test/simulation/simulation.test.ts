// Changes of skills on a disk that fails, forgets and loses its power: what was acknowledged is there, what failed is not,
// and everything else is whole or absent. A failing seed tells how to repeat it.
//
//   REPERTOIRE_SEEDS=10000  as many seeds (npm run simulate)
//   REPERTOIRE_SEED=17      this one only

import { expect, test } from "vitest";
import { Random } from "./random.ts";
import { World } from "./world.ts";

const SEEDS = Number(process.env.REPERTOIRE_SEEDS ?? 300);
const ONLY = process.env.REPERTOIRE_SEED;
const STEPS = 12;

async function run(seed: number): Promise<string | undefined> {
  const world = new World(new Random(seed));
  try {
    for (let step = 0; step < STEPS; step++) await world.step();
    return undefined;
  } catch (error) {
    return `seed ${seed}: ${(error as Error).stack}\n  ${world.story.join("\n  ")}`;
  } finally {
    world.dispose();
  }
}

test(
  `${SEEDS} simulated machines lose nothing`,
  async () => {
    const failures: string[] = [];
    const first = ONLY === undefined ? 0 : Number(ONLY);
    const last = ONLY === undefined ? SEEDS : first + 1;
    for (let seed = first; seed < last && failures.length < 5; seed++) {
      const failure = await run(seed);
      if (failure) failures.push(failure);
    }
    expect(failures).toEqual([]);
  },
  60_000 + SEEDS * 2_000,
);
