import { expect, it } from "vitest";
import { Places, watchFor } from "./places.ts";

const find = (expression: RegExp, texts: readonly string[]): readonly number[] | undefined => {
  watchFor(expression);
  return new Places(texts, new Set([expression])).of(expression);
};

it("finds a literal at the start, in the middle, at the end and behind its own beginning", () => {
  expect(find(/curlx/, ["curlx a", "a curlx a", "a curlx", "curcurlx", "curl x"])).toEqual([0, 1, 2, 3]);
});

it("finds a literal that is inside another one", () => {
  watchFor(/abcdefgh/);
  expect(find(/cdef/, ["abcdefgh", "abcdefg", "cde"])).toEqual([0, 1]);
});

it("finds a short word only where it begins and ends", () => {
  expect(find(/\bnc\b/, ["nc -e", "sync", "func", "(nc)", "nc_x"])).toEqual([0, 3]);
});

it("tells letters outside ASCII apart, and finds them beside others", () => {
  expect(find(/指令/, ["忽略指令", "指甲", "x 指令 y", "令指"])).toEqual([0, 2]);
});

it("names every text for an expression that needs no literal", () => {
  expect(find(/[a-z]{3}/, ["a"])).toBeUndefined();
});
