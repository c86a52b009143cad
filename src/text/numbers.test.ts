import { expect, it } from "vitest";
import { grouped } from "./numbers.ts";

it.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [-1_234_567, "-1,234,567"],
  [12_345.6789, "12,345.6789"],
] as const)("%d is written as %s", (number, text) => {
  expect(grouped(number)).toBe(text);
});
