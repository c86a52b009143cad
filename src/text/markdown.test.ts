import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, closeFence, cutPoints, firstH2Section, firstSentence, headings, opening } from "./markdown.ts";

const anyMarkdown = fc
  .array(
    fc.constantFrom("# A", "## B", "text. More!", "```", "~~~~", "---", "- item", "", "  ", "\r", "#", "é。"),
  )
  .map((lines) => lines.join("\n"));

describe("headings", () => {
  it("finds ATX and setext headings and ignores what only looks like one", () => {
    const text =
      "# One #\n\nTwo\n---\n\n```sh\n# not\n```\n\n- item\n---\n\n#no\n\n### Three ##\nplain\n\n---\n";
    expect(headings(text).map(({ level, text }) => [level, text])).toEqual([
      [1, "One"],
      [2, "Two"],
      [3, "Three"],
    ]);
  });

  it("ends a fenced block only with a fence of the same kind and at least the same length", () => {
    const text = "````md\n```\n## inside\n~~~~\n````\n## outside";
    expect(headings(text).map((heading) => heading.text)).toEqual(["outside"]);
  });
});

describe("the first H2 section", () => {
  it("includes deeper headings and ends before the next H1 or H2", () => {
    const text = "# T\n\nintro\n\n## Use\n\nalways\n\n### Never\n\nno\n\n## Next\n\nx";
    expect(firstH2Section(text)).toBe("## Use\n\nalways\n\n### Never\n\nno");
    expect(opening(text)).toBe("intro");
  });

  it("is not a heading inside a code block", () => {
    expect(firstH2Section("```\n## no\n```\n")).toBeUndefined();
    expect(firstH2Section("## a\n```\n## no\n```\nend")).toBe("## a\n```\n## no\n```\nend");
  });

  it("accepts LF and CRLF line ends", () => {
    expect(firstH2Section("# T\r\n## Use\r\none\r\n## Next\r\n")).toBe("## Use\none");
  });
});

describe("cutPoints", () => {
  it("are the ends of sentences and lines outside code blocks", () => {
    const text = "One. Two?\n```\na. b\n```\nThree";
    expect(cutPoints(text).map((point) => text.slice(0, point))).toEqual([
      "One.",
      "One. Two?",
      "One. Two?\n```\na. b\n```",
      text,
    ]);
  });

  it("never leave a code block open that the text closes", () => {
    fc.assert(
      fc.property(anyMarkdown, (text) => {
        const whole = closeFence(text);
        expect(closeFence(whole)).toBe(whole);
        for (const point of cutPoints(whole)) {
          const part = whole.slice(0, point);
          expect(closeFence(part)).toBe(part);
        }
      }),
    );
  });
});

describe("the first sentence", () => {
  it.each([
    ["Reads files. Writes none.", "Reads files."],
    ["Works with e.g. spreadsheets. And more.", "Works with e.g. spreadsheets."],
    ["处理文件。然后发送。", "处理文件。"],
    ["Uses Node.js 20 on\nevery machine", "Uses Node.js 20 on every machine"],
    ["", ""],
  ])("of %j is %j", (text, sentence) => {
    expect(firstSentence(text, 80)).toBe(sentence);
  });

  it("is cut between words, with an ellipsis, if it is too long", () => {
    expect(firstSentence("alpha beta gamma delta epsilon. Next.", 20)).toBe("alpha beta gamma…");
  });

  it("never exceeds the length or splits a surrogate pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        for (const short of [firstSentence(text, max), clip(text, max)]) {
          expect(short.length).toBeLessThanOrEqual(max);
          expect(short).not.toMatch(/[\uD800-\uDFFF]/u);
        }
      }),
    );
  });
});

it("stays linear on long runs of marks, blanks and line feeds", () => {
  const size = 250_000;
  for (const run of ["\n", "#", " ", "-", "`", ".", "## "]) {
    const text = `## a ${run.repeat(size)} b\n${run.repeat(size)}x`;
    expect(headings(text).length).toBeGreaterThan(0);
    expect(firstH2Section(text)).toBeDefined();
    expect(cutPoints(text).length).toBeGreaterThan(0);
    expect(firstSentence(text, 80).length).toBeLessThanOrEqual(80);
  }
});
