import { describe, expect, it } from "vitest";
import { canonicalText, maskedLetters } from "./canonical-text.ts";

describe("canonicalText", () => {
  it("replaces look-alike letters in words and keeps words of other scripts", () => {
    expect(canonicalText("pаypаl.сom")).toBe("paypal.com");
    expect(canonicalText("Этот навык")).toBe("Этот навык");
  });

  it("removes invisible characters and folds full-width letters", () => {
    expect(canonicalText("cu\u200brl\u2060 \u{e0041}x")).toBe("curl x");
    expect(canonicalText("ｃｕｒｌ")).toBe("curl");
  });

  it("joins spaced letters and collapses blanks", () => {
    expect(canonicalText("c u r l  -s \t\t x")).toBe("curl -s x");
    expect(canonicalText("a b c")).toBe("a b c");
  });

  it("is idempotent", () => {
    for (const text of ["ѕudо rm", "“x” — ‘y’", "i g n o r e  this", "ﬁle"])
      expect(canonicalText(canonicalText(text))).toBe(canonicalText(text));
  });
});

describe("maskedLetters", () => {
  it("distinguishes a disguised word from a word with an accent", () => {
    expect(maskedLetters("pаypal")).toEqual(["а"]);
    expect(maskedLetters("café")).toEqual([]);
    expect(maskedLetters("навык")).toEqual([]);
  });
});
