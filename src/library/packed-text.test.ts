import { describe, expect, it } from "vitest";
import { learnStrings, PackedText } from "./packed-text.ts";

function learned(texts: readonly string[]): string[] {
  const steps = learnStrings(texts);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Texts of a few words each, the same in every run. */
const TEXTS = Array.from({ length: 400 }, (_, n) => {
  const words = ["analyse", "reports", "spreadsheet", "use when", "\\u00e4", '"description":', "42"];
  return Array.from({ length: 30 }, (_, i) => words[(n * 31 + i * i * 7) % words.length]).join(" ");
});

describe("packed texts", () => {
  it("are the same when they are unpacked, also those that nothing was learned from", () => {
    const packing = new PackedText(learned(TEXTS.slice(0, 50)));
    const strange = ["", "x", "\u0000\u007f", "Zebra~", "description", ...TEXTS];
    for (const text of strange) expect(packing.unpack(packing.pack(text))).toBe(text);
  });

  it("are much shorter if they are like those that were learned from", () => {
    const packing = new PackedText(learned(TEXTS.slice(0, 50)));
    const bytes = TEXTS.reduce((sum, text) => sum + packing.pack(text).length, 0);
    const characters = TEXTS.reduce((sum, text) => sum + text.length, 0);
    expect(bytes).toBeLessThan(characters / 3);
  });

  it("are as they were without strings", () => {
    const packing = new PackedText([]);
    expect(Buffer.from(packing.pack(TEXTS[0]!)).toString()).toBe(TEXTS[0]);
    expect(packing.unpack(packing.pack(TEXTS[0]!))).toBe(TEXTS[0]);
  });

  it("learn the same strings from the same texts", () => {
    expect(learned(TEXTS)).toEqual(learned(TEXTS));
  });
});
