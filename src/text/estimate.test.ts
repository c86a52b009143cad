import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens, tokenUnits } from "./estimate.ts";

describe("token estimate", () => {
  it("counts about a token for four characters of prose", () => {
    const prose = "the quick brown fox jumps over the lazy dog and runs back into the forest ".repeat(20);
    expect(prose.length / estimateTokens(prose)).toBeCloseTo(4, 1);
  });

  it("counts a token or a little more for each ideograph, kana and syllable", () => {
    for (const text of ["发送电子邮件给团队成员", "メールを送信する", "이메일을보내다"]) {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(text.length);
      expect(estimateTokens(text)).toBeLessThanOrEqual(Math.ceil(text.length * 1.25));
    }
  });

  it("counts digits, marks, accents and emoji as dearer than letters", () => {
    for (const dear of ["12345678", "{}[]<>!?", "äöüéèñçß", "привет!!", "🚀🚀🚀🚀"]) {
      expect(estimateTokens(dear)).toBeGreaterThan(estimateTokens("abcdefgh"));
    }
  });

  it("costs nothing for nothing and adds up exactly when texts are joined", () => {
    expect(estimateTokens("")).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        expect(tokenUnits(a + b)).toBe(tokenUnits(a) + tokenUnits(b));
      }),
    );
  });
});
