// The table of docs/guides/scale.md is what the simulation computes.

import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

it("the table of the guide is the one that the simulation prints", () => {
  const script = new URL("../../bench/scale/simulate.mjs", import.meta.url).pathname;
  const printed = execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect(printed.trim().split("\n")).toHaveLength(2 + 3 * 3);
});
