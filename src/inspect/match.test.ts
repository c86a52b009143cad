import { describe, expect, it } from "vitest";
import { chain, either, pattern, sentence, together, unless } from "./match.ts";

describe("chain", () => {
  const fetchThenRun = chain(10, /curl/, /\| sh/);

  it("finds steps in order within the gap", () => {
    expect(fetchThenRun.find("x curl abc | sh")).toEqual({ start: 2, end: 15 });
    expect(fetchThenRun.find("| sh curl")).toBeUndefined();
    expect(fetchThenRun.find(`curl ${"a".repeat(20)} | sh`)).toBeUndefined();
  });

  it("takes the nearest earlier step", () => {
    expect(fetchThenRun.find(`curl ${"a".repeat(40)} curl x | sh`)).toEqual({ start: 46, end: 57 });
  });
});

it("sentence does not reach over the end of a sentence", () => {
  const matcher = sentence(40, /send/, /keys/);
  expect(matcher.find("send all keys")).toBeDefined();
  expect(matcher.find("send it. keys stay")).toBeUndefined();
});

it("either, together and unless combine", () => {
  expect(either(pattern(/a/), pattern(/b/)).find("xb")).toEqual({ start: 1, end: 2 });
  expect(together(pattern(/a/), pattern(/b/)).find("ba")).toEqual({ start: 1, end: 2 });
  expect(together(pattern(/a/), pattern(/b/)).find("a")).toBeUndefined();
  expect(unless(/test/, pattern(/a/)).find("a test")).toBeUndefined();
});

it("mayOccur is never wrong in the negative and remembers only the same text", () => {
  const matcher = chain(5, /a/, /b/);
  expect([matcher.mayOccur("ab"), matcher.mayOccur("a"), matcher.mayOccur("ab")]).toEqual([
    true,
    false,
    true,
  ]);
});
