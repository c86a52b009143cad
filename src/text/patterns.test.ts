import { expect, test } from "vitest";
import { alternativesIn, inAlphabet, isPlain, lazyPattern } from "./patterns.ts";

test("isPlain accepts only ASCII text and white space", () => {
  expect(isPlain("")).toBe(true);
  expect(isPlain("fix_it: a\tb\r\nc ~")).toBe(true);
  for (const other of ["café", "\u0000", "日本", "a\u2019b", "\ud800"]) expect(isPlain(other)).toBe(false);
});

test("lazyPattern compiles once", () => {
  const pattern = lazyPattern("\\p{L}+", "u");
  expect(pattern()).toBe(pattern());
  expect("café 1".match(pattern())?.[0]).toBe("café");
});

test("inAlphabet chooses the pattern by the letters of the text", () => {
  const words = inAlphabet(({ letters }) => `[${letters}]+`, "g");
  expect("deja vu".match(words("deja vu"))).toEqual(["deja", "vu"]);
  expect("déjà vu".match(words("déjà vu"))).toEqual(["déjà", "vu"]);
});

test("both alphabets classify ASCII characters alike", () => {
  const signs = inAlphabet((alphabet) => `^[${alphabet.signs}]$`, "");
  const others = inAlphabet((alphabet) => `^[${alphabet.letters}${alphabet.digits}\\s]$`, "");
  const whole = /^[\p{P}\p{S}]$/u;
  for (let code = 32; code < 127; code++) {
    const char = String.fromCharCode(code);
    expect([char, signs(char).test(char)]).toEqual([char, whole.test(char)]);
    expect([char, others(char).test(char)]).toEqual([char, !whole.test(char)]);
  }
});

test("alternativesIn leaves out only what cannot match", () => {
  const source =
    "bugs?|does ?n[o']t work|(?:do|some (?:old|new)) tests?|(?:re)?write|good (?:day|night)|(?:may|can)(?! you)";
  const within = alternativesIn(source);
  expect(within("good night")).toBe("(?:re)?write|good (?:day|night)");
  const texts = [
    "a bug",
    "doesn't work",
    "dont work",
    "some old test",
    "do tests",
    "rewrite",
    "write",
    "may",
    "can you",
    "nothing",
    "",
  ];
  for (const text of texts) {
    const given = within(text);
    const found = given !== undefined && new RegExp(`^(?:${given})$`).test(text);
    expect(found, text).toBe(new RegExp(`^(?:${source})$`).test(text));
  }
});
