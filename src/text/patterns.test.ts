import { expect, test } from "vitest";
import { inAlphabet, isPlain, lazyPattern } from "./patterns.ts";

test("plain text is ASCII with its blanks, nothing else", () => {
  expect(isPlain("")).toBe(true);
  expect(isPlain("fix_it: a\tb\r\nc ~")).toBe(true);
  for (const other of ["café", "\u0000", "日本", "a\u2019b", "\ud800"]) expect(isPlain(other)).toBe(false);
});

test("a lazy pattern is made once", () => {
  const pattern = lazyPattern("\\p{L}+", "u");
  expect(pattern()).toBe(pattern());
  expect("café 1".match(pattern())?.[0]).toBe("café");
});

test("a text gets the pattern that knows its letters", () => {
  const words = inAlphabet(({ letters }) => `[${letters}]+`, "g");
  expect("deja vu".match(words("deja vu"))).toEqual(["deja", "vu"]);
  expect("déjà vu".match(words("déjà vu"))).toEqual(["déjà", "vu"]);
});

test("both alphabets know the same signs of plain text", () => {
  const signs = inAlphabet((alphabet) => `^[${alphabet.signs}]$`, "");
  const others = inAlphabet((alphabet) => `^[${alphabet.letters}${alphabet.digits}\\s]$`, "");
  const whole = /^[\p{P}\p{S}]$/u;
  for (let code = 32; code < 127; code++) {
    const char = String.fromCharCode(code);
    expect([char, signs(char).test(char)]).toEqual([char, whole.test(char)]);
    expect([char, others(char).test(char)]).toEqual([char, !whole.test(char)]);
  }
});
