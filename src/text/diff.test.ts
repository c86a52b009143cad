import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "./diff.ts";

const numbered = (word: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join("");

describe("unifiedDiff", () => {
  it("turns any text into any other", async () => {
    const text = fc
      .tuple(
        fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 }),
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
      )
      .map(([lines, lineEnd, last]) => lines.join(lineEnd) + (last ? lineEnd : ""));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const patch = await unifiedDiff(before, after);
        expect(patch === "").toBe(before === after);
        if (patch !== "")
          expect(applyPatch(before, `${patch}\n`, { autoConvertLineEndings: false })).toBe(after);
      }),
    );
  });

  it("shows each change with its context and line numbers", async () => {
    const before = numbered("line", 20);
    const after = before.replace("line 3\n", "third\n").replace("line 18\n", "");
    expect(await unifiedDiff(before, after)).toMatchInlineSnapshot(`
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

  it.each([
    ["with equal ends", numbered("same\r\u2028", 9).replaceAll("\n", "\r\n"), numbered("end", 9)],
    ["with nothing in common", "", ""],
    ["without a last line break", "", "end"],
  ])("replaces all lines of texts that differ too much, %s", async (_, head, tail) => {
    const before = head + numbered("old", 30_000) + tail;
    const after = head + numbered("new", 40_000) + tail;
    const patch = await unifiedDiff(before, after);
    expect(patch.match(/^@@/gm)).toHaveLength(1);
    expect(patch.match(/^[-+]/gm)).toHaveLength(70_000);
    expect(patch.split("\n").length).toBeLessThan(70_010);
    expect(applyPatch(before, `${patch}\n`, { autoConvertLineEndings: false })).toBe(after);
  });

  it("shows a large file that is added or removed", async () => {
    const text = numbered("line", 30_000);
    expect(applyPatch("", `${await unifiedDiff("", text)}\n`)).toBe(text);
    expect(applyPatch(text, `${await unifiedDiff(text, "")}\n`)).toBe("");
  });
});
