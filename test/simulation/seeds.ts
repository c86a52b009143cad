// Runs one seed. As a program, with the first seed and how many as arguments, it runs them in a row and prints what fails.

import { pathToFileURL } from "node:url";
import { Random } from "./random.ts";
import { World } from "./world.ts";

const STEPS = 12;

/** What went wrong, with the story that led to it. */
export async function runSeed(seed: number): Promise<string | undefined> {
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

const [, program = "", first, count] = process.argv;
if (import.meta.url === pathToFileURL(program).href) {
  for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
    const failure = await runSeed(seed);
    if (failure) console.log(failure);
  }
}
