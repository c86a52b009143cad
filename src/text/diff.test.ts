import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines, unifiedDiff } from "./diff.ts";

const side = (lines: ReturnType<typeof diffLines>, without: "-" | "+") =>
  lines.filter(({ sign }) => sign !== without).map(({ text }) => text);

describe("a difference of lines", () => {
  it("holds both texts, whatever they are", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const found = diffLines(
          before.map((line) => `${line}\n`).join(""),
          after.map((line) => `${line}\n`).join(""),
        );
        expect(side(found, "+")).toEqual(before);
        expect(side(found, "-")).toEqual(after);
      }),
    );
  });

  it("shows each change with its surroundings and its place", () => {
    const before = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join("");
    const after = before.replace("line 3\n", "third\n").replace("line 18\n", "");
    expect(unifiedDiff(before, after)).toMatchInlineSnapshot(`
      "@@ -1,6 +1,6 @@
       line 1
       line 2
      -line 3
      +third
       line 4
       line 5
       line 6
      @@ -15,6 +15,5 @@
       line 15
       line 16
       line 17
      -line 18
       line 19
       line 20"
    `);
  });

  it("is empty where nothing differs", () => {
    expect(unifiedDiff("a\nb\n", "a\nb\n")).toBe("");
  });
});
