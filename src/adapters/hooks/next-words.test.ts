import { expect, it } from "vitest";
import { outcomeIn } from "./next-words.ts";

it.each([
  ["no, that is wrong", "failure"],
  ["you forgot the totals", "failure"],
  ["thanks, that is all", "success"],
  ["Perfect!", "success"],
  ["it works now", "success"],
  ["great, but the dates are missing", undefined],
  ["thanks. Now write a changelog for the next release, with a section for each of the packages", undefined],
  ["greatly simplify the parser", undefined],
  ["write a migration", undefined],
  ["no thanks", undefined],
])("%j says %s", (message, outcome) => {
  expect(outcomeIn(message)).toBe(outcome);
});
