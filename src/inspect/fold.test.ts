import { describe, expect, it } from "vitest";
import { fold, maskedLetters } from "./fold.ts";

describe("fold", () => {
  it("replaces look-alike letters inside words and leaves real words of other scripts alone", () => {
    expect(fold("pаypаl.сom")).toBe("paypal.com");
    expect(fold("Этот навык")).toBe("Этот навык");
  });

  it("drops invisible characters and widens nothing", () => {
    expect(fold("cu\u200brl\u2060 \u{e0041}x")).toBe("curl x");
    expect(fold("ｃｕｒｌ")).toBe("curl");
  });

  it("joins spaced letters and squeezes blanks", () => {
    expect(fold("c u r l  -s \t\t x")).toBe("curl -s x");
    expect(fold("a b c")).toBe("a b c");
  });

  it("is the same when applied twice", () => {
    for (const text of ["ѕudо rm", "“x” — ‘y’", "i g n o r e  this", "ﬁle"])
      expect(fold(fold(text))).toBe(fold(text));
  });
});

describe("maskedLetters", () => {
  it("tells a disguised word from a word with an accent", () => {
    expect(maskedLetters("pаypal")).toEqual(["а"]);
    expect(maskedLetters("café")).toEqual([]);
    expect(maskedLetters("навык")).toEqual([]);
  });
});
