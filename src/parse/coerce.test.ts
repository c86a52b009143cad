import { describe, expect, it } from "vitest";
import { toFlag, toList, toText } from "./coerce.ts";

describe("toFlag", () => {
  it.each([
    ["true", true],
    ["Yes", true],
    [" on ", true],
    ["1", true],
    ["false", false],
    ["NO", false],
    ["off", false],
    ["0", false],
  ])("reads %j", (text, flag) => {
    expect(toFlag(text)).toBe(flag);
  });

  it("does not guess", () => {
    for (const value of ["", "maybe", null, [], ["true"]]) expect(toFlag(value)).toBeUndefined();
  });
});

describe("toText", () => {
  it("takes null words for nothing and joins lists", () => {
    expect([null, "~", "null", "  "].map((value) => toText(value, "text"))).toEqual(["", "", "", ""]);
    expect(toText(["a", "b"], "text")).toBe("a; b");
    expect(toText({ a: "b" }, "text")).toBeUndefined();
  });

  it("gives a hint its brackets back", () => {
    expect(toText(["issue-number"], "hint")).toBe("[issue-number]");
  });
});

describe("toList", () => {
  it("splits words at commas and spaces, brackets kept whole", () => {
    expect(toList("Read, Write Bash(git add:*, git commit:*)  Grep", "words")).toEqual([
      "Read",
      "Write",
      "Bash(git add:*, git commit:*)",
      "Grep",
    ]);
  });

  it("splits phrases at commas and lines only", () => {
    expect(toList("web search, look up\nfind online", "phrases")).toEqual([
      "web search",
      "look up",
      "find online",
    ]);
    expect(toList("src/**/*.{ts,tsx}, docs/*", "phrases")).toEqual(["src/**/*.{ts,tsx}", "docs/*"]);
  });

  it("keeps a pattern with commas whole", () => {
    expect(toList("a{1,3}, b", "lines")).toEqual(["a{1,3}, b"]);
    expect(toList(["x, y", "z"], "lines")).toEqual(["x, y", "z"]);
  });

  it("drops blanks and repeats, and an unclosed bracket ends with its line", () => {
    expect(toList(["a", " a ", "", null], "words")).toEqual(["a"]);
    expect(toList("f(x, y\nz, w", "phrases")).toEqual(["f(x, y", "z", "w"]);
  });

  it("reads text that still has its brackets", () => {
    expect(toList("[a, b c]", "phrases")).toEqual(["a", "b c"]);
  });

  it("takes names out of maps and phrases out of pairs", () => {
    expect(
      toList([{ name: "A", prompt: "p" }, { compare: "two files" }, { a: "1", b: "2" }], "phrases"),
    ).toEqual(["A", "compare: two files"]);
    expect(toList({ a: "b" }, "words")).toBeUndefined();
  });
});
