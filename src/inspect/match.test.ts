import { describe, expect, it } from "vitest";
import { allOf, anyOf, chain, pattern, sentence, unless } from "./match.ts";

describe("chain", () => {
  const fetchThenRun = chain(10, /curl/, /\| sh/);

  it("finds steps in order within the gap", () => {
    expect(fetchThenRun.find("x curl abc | sh")).toEqual({ start: 2, end: 15 });
    expect(fetchThenRun.find("| sh curl")).toBeUndefined();
    expect(fetchThenRun.find(`curl ${"a".repeat(20)} | sh`)).toBeUndefined();
  });

  it("uses the nearest earlier step", () => {
    expect(fetchThenRun.find(`curl ${"a".repeat(40)} curl x | sh`)).toEqual({ start: 46, end: 57 });
  });
});

it("sentence does not match across the end of a sentence", () => {
  const matcher = sentence(40, /send/, /keys/);
  expect(matcher.find("send all keys")).toBeDefined();
  expect(matcher.find("send it. keys stay")).toBeUndefined();
});

it("anyOf, allOf and unless combine matchers", () => {
  expect(anyOf(pattern(/a/), pattern(/b/)).find("xb")).toEqual({ start: 1, end: 2 });
  expect(allOf(pattern(/a/), pattern(/b/)).find("ba")).toEqual({ start: 1, end: 2 });
  expect(allOf(pattern(/a/), pattern(/b/)).find("a")).toBeUndefined();
  expect(unless(/test/, pattern(/a/)).find("a test")).toBeUndefined();
});

it("mayOccur has no false negatives and caches only the last text", () => {
  const matcher = chain(5, /a/, /b/);
  expect([matcher.mayOccur("ab"), matcher.mayOccur("a"), matcher.mayOccur("ab")]).toEqual([
    true,
    false,
    true,
  ]);
});

it("mayOccur sees the start and the end of each of several joined texts", () => {
  expect(pattern(/^sudo /).mayOccur("ls\nsudo rm")).toBe(true);
  expect(pattern(/now$/).mayOccur("go now\nls")).toBe(true);
  expect(pattern(/run(?!$)/).mayOccur("run\nls")).toBe(true);
});
