// Whether a home that is used every day stops growing once everything in it has the age at which it goes.

import { expect, onTestFinished, test } from "vitest";
import { HomeInUse } from "./home-in-use.ts";

test("a home grows until everything that has an age is that old, and then by its versions alone", async () => {
  const keep = { events: 8, said: 4, sessions: 4 };
  const home = new HomeInUse({ agents: 2, messages: 6, saves: 1, keep });
  onTestFinished(() => home.close());
  const sizes: number[] = [];
  for (let day = 1; day <= 36; day++) {
    await home.spendDay();
    // A killed process leaves a file every day.
    expect(home.leftovers().length).toBeLessThanOrEqual(2);
    const { all, versions, databaseLog } = home.size();
    if (day % 12 === 0) sizes.push(all - versions - databaseLog);
  }
  const [first, second, third] = sizes as [number, number, number];
  expect(first).toBeGreaterThan(0.1);
  // Without an age it would grow by as much again.
  expect(second - first).toBeLessThan(first / 2);
  expect(third - second).toBeLessThan(first / 4);
}, 240_000);
