import { describe, expect, it } from "vitest";
import { LIMITS } from "./limits.ts";
import { readYaml } from "./yaml.ts";

const value = (text: string) => {
  const result = readYaml(text);
  return result.ok ? result.value : `${result.code}:${result.line}`;
};

describe("a YAML value", () => {
  it.each([
    ["a: 1.10\nb: no\nc: 2024-01-01\nd: 0x1F", { a: "1.10", b: "no", c: "2024-01-01", d: "0x1F" }],
    ["a: null\nb: ~\nc:\nd: ''", { a: "null", b: "~", c: null, d: "" }],
    ["<<: {a: b}\nc: d", { "<<": { a: "b" }, c: "d" }],
    ["a: 'it''s'\nb: \"x\\ty\"\nc: |\n  &x *y\n", { a: "it's", b: "x\ty", c: "&x *y\n" }],
    ["a: [b, {c: d}]", { a: ["b", { c: "d" }] }],
    ["", null],
    ["# only a comment", null],
    ["a: \ud83c\udf89 \u00e9", { a: "\ud83c\udf89 \u00e9" }],
  ])("stays text: %j", (text, wanted) => {
    expect(value(text)).toEqual(wanted);
  });

  it.each([
    ["a: \"one\ntwo\"\nb: 'three\n\nfour'", { a: "one two", b: "three\nfour" }],
    ['m: {\n"a": 1,\n\t"b": ["c\nd"]\n}\ne: f', { m: { a: "1", b: ["c d"] }, e: "f" }],
    ["l:\n  - [\n  a,\n  b\n  ]", { l: [["a", "b"]] }],
  ])("may go on over lines that are not indented: %j", (text, wanted) => {
    expect(value(text)).toEqual(wanted);
  });
});

describe("a YAML text that is refused", () => {
  it.each([
    ["x: 1\na: *b", "yaml-anchor:2"],
    ["x: 1\na: &b c", "yaml-anchor:2"],
    ["a: [b, *c]", "yaml-anchor:1"],
    ["a: !b c", "yaml-tag:1"],
    ["a: b: c\nd: *e", "yaml-invalid:1"],
    ["x: 1\na: 2\nx: 3", "yaml-duplicate-key:3"],
    ["x: 1\na: 'it''", "yaml-invalid:2"],
    ['a: "b', "yaml-invalid:1"],
    ["a: [b", "yaml-invalid:1"],
    ["x: 1\n: b", "yaml-invalid:2"],
    ["a: {{ b }}", "yaml-invalid:1"],
    ["a: b\n...\nc: d", "yaml-invalid:3"],
    ["%YAML 1.2\n", "yaml-invalid:2"],
    ["x: 1\na: b\u0007", "yaml-invalid:2"],
    ["a: \ud800", "yaml-invalid:1"],
    ["\ta: b", "yaml-invalid:1"],
  ])("has the code and the line of its first fault: %j", (text, wanted) => {
    expect(value(text)).toBe(wanted);
  });

  it("is too deep or has too many values", () => {
    expect(value(`a: ${"[".repeat(LIMITS.depth + 2)}`)).toBe("yaml-too-deep:1");
    expect(value(`a:\n  ${"- ".repeat(20_000)}b`)).toBe("yaml-too-deep:2");
    expect(value(`a: [${"b,".repeat(LIMITS.nodes)}]`)).toBe("yaml-too-many-nodes:1");
    expect(value(`a: [${"'b',".repeat(LIMITS.nodes)}]`)).toBe("yaml-too-many-nodes:1");
  });

  it("has its value, with the last one, if only a key appears twice", () => {
    expect(readYaml("a: b\na: c")).toMatchObject({ code: "yaml-duplicate-key", value: { a: "c" } });
    expect(readYaml("a: b\na: c\nd: e: f").value).toBeUndefined();
  });
});
