import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens, tokenUnits } from "./estimate.ts";

describe("estimateTokens", () => {
  it("counts about one token for four characters of prose", () => {
    const prose = "the quick brown fox jumps over the lazy dog and runs back into the forest ".repeat(20);
    expect(prose.length / estimateTokens(prose)).toBeCloseTo(4, 1);
  });

  it("counts one token or slightly more for each ideograph, kana and syllable", () => {
    for (const text of ["发送电子邮件给团队成员", "メールを送信する", "이메일을보내다"]) {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(text.length);
      expect(estimateTokens(text)).toBeLessThanOrEqual(Math.ceil(text.length * 1.25));
    }
  });

  it("counts more for digits, marks, accents and emoji than for letters", () => {
    for (const dear of ["12345678", "{}[]<>!?", "äöüéèñçß", "привет!!", "🚀🚀🚀🚀"]) {
      expect(estimateTokens(dear)).toBeGreaterThan(estimateTokens("abcdefgh"));
    }
  });

  it("is 0 for an empty text, and the units of joined texts add up exactly", () => {
    expect(estimateTokens("")).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        expect(tokenUnits(a + b)).toBe(tokenUnits(a) + tokenUnits(b));
      }),
    );
  });
});
