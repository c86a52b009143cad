import { expect, test } from "vitest";
import { firstOf } from "./lists.ts";

test("a list names as many as it may, and counts the others", () => {
  const names = ["a", "b", "c"];
  expect(firstOf(names, 3)).toBe("a, b, c");
  expect(firstOf(names, 2)).toBe("a, b, and 1 more");
  expect(firstOf([], 2)).toBe("");
});
