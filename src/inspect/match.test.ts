import { describe, expect, it } from "vitest";
import { allOf, anyOf, chain, type Matcher, pattern, sentence, unless } from "./match.ts";
import { Places } from "./places.ts";

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

describe("among", () => {
  const texts = ["curl it", "then | sh", "curl | sh", "no"];
  const among = (matcher: Matcher) => matcher.among(new Places(texts, new Set(matcher.watched)));

  it("names the texts that may match: all steps of a chain, any of several, all of several", () => {
    expect(among(pattern(/curl/))).toEqual([0, 2]);
    expect(among(chain(9, /curl/, /\| sh/))).toEqual([2]);
    expect(among(anyOf(pattern(/curl/), pattern(/\| sh/)))).toEqual([0, 1, 2]);
    expect(among(allOf(pattern(/curl/), pattern(/\| sh/)))).toEqual([2]);
  });

  it("excludes nothing by an expression without literals", () => {
    expect(among(pattern(/[a-z]/))).toBeUndefined();
    expect(among(anyOf(pattern(/curl/), pattern(/[a-z]/)))).toBeUndefined();
    expect(among(chain(9, /curl/, /[a-z]/))).toEqual([0, 2]);
  });
});
