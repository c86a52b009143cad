import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonVisibly, lineVisibly, visibly } from "./terminal.ts";

describe("visibly", () => {
  it.each([
    ["\u001b[2J", "\\u{1b}[2J"],
    ["\u001b]52;c;eA==\u0007", "\\u{1b}]52;c;eA==\\u{7}"],
    ["\u009b31m", "\\u{9b}31m"],
    ["a\rb", "a\\u{d}b"],
    ["\u202eabc\u2069", "\\u{202e}abc\\u{2069}"],
    ["\u{E0041}\u{E0100}\u200b\u2060\ufeff\u00ad", "\\u{e0041}\\u{e0100}\\u{200b}\\u{2060}\\u{feff}\\u{ad}"],
    ["half \ud83d pair", "half \\u{d83d} pair"],
    ["v1\ufe0f a\u200db", "v1\\u{fe0f} a\\u{200d}b"],
    ["\u2764\ufe0f\ufe01", "\u2764\ufe0f\\u{fe01}"],
  ])("shows %j as %s", (text, shown) => {
    expect(visibly(text)).toBe(shown);
  });

  it.each([
    "plain\n\ttext",
    "发送邮件",
    "Grüße – naïve",
    "\u2764\ufe0f \u{1F469}\u200D\u{1F4BB} \u{1F469}\u{1F3FD}\u200D\u{1F4BB} 1\ufe0f\u20e3",
    "می\u200cخواهم",
    "क्\u200dष",
  ])("leaves %j as it is", (text) => {
    expect(visibly(text)).toBe(text);
  });

  it("lets no control character, separator or half of a pair through, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visibly(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\p{Cs}\p{Bidi_Control}]/u);
        expect(lineVisibly(text)).not.toContain("\n");
      }),
    );
  });
});

it("jsonVisibly keeps the meaning of every JSON text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = jsonVisibly(JSON.stringify({ text, [text]: 1 }));
      expect(shown).not.toMatch(/[\x7f-\x9f\u2028\u202e\p{Cs}]/u);
      expect(JSON.parse(shown)).toEqual({ text, [text]: 1 });
    }),
  );
});
