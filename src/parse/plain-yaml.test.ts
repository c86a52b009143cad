// The quick reader may give up; if it answers, it must agree with the full reader.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainYaml } from "./plain-yaml.ts";
import { readYaml } from "./yaml.ts";

function agrees(text: string): boolean {
  const plain = readPlainYaml(text);
  if (plain === undefined) return false;
  const full = readYaml(text);
  // An empty document is an empty front matter.
  expect({ text, value: plain }).toEqual({ text, value: full.ok ? (full.value ?? {}) : full });
  return true;
}

const PIECES = [
  "a",
  "b1",
  "name",
  "key",
  ":",
  ": ",
  " ",
  "  ",
  "\n",
  "\n  ",
  "\n\n",
  "\n    ",
  "- ",
  "\n- ",
  "\n  - ",
  "'",
  "''",
  '"',
  "#",
  " #",
  "[",
  "]",
  ", ",
  "|",
  ">",
  "|-",
  ">-",
  "{",
  "}",
  "&x",
  "*x",
  "!",
  "@",
  "\\",
  "\t",
  "---",
  "é",
  "日本",
  "\u00a0",
  "🎉",
  "~",
  "?",
  "? ",
  "%",
  "_proto_",
  "__proto__",
];

describe("the quick YAML reader", () => {
  it("reads the plain forms", () => {
    for (const text of [
      "name: a\ndescription: Some words, e.g. these.",
      "a: 'it''s'\nb: \"x: y # z\"\nc:\n",
      "tags: [a, b c, d.e]\nempty: []\nlist:\n- a\n- b\nafter: x",
      "list:\n  - 'a: b'\n  - c\nmeta:\n  version: 1.10\n  deep:\n    er: yes",
      "d: >\n  one\n  two\ne: |-\n  x\n  y\nf: on and\n  on",
      "d: 'one\n\n  two\n  three\n\n  '\ne: f",
      "",
    ]) {
      expect(agrees(text), text).toBe(true);
    }
  });

  it("leaves everything else to the full reader", () => {
    for (const text of [
      "a: b: c",
      "a: &x y",
      "a: *x",
      "a: !!str x",
      "a: b # c",
      "a: 1\na: 2",
      "a:\tb",
      "a: {b: c}",
      "- a",
      'a: "\\n"',
      "a: >\n  one\n\n  two",
      "\ud800: x",
    ]) {
      expect(readPlainYaml(text), text).toBeUndefined();
    }
  });

  it("leaves a block that ends in blanks to the full reader, which keeps them", () => {
    expect(readPlainYaml("a: >\n  one\n    ")).toBeUndefined();
  });

  it("agrees with the full reader on any text made of YAML's signs", () => {
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (body) => void agrees(body)),
      { numRuns: 5_000 },
    );
    fc.assert(
      fc.property(text, (body) => void agrees(`key: ${body}`)),
      { numRuns: 5_000 },
    );
    fc.assert(
      fc.property(text, (body) => void agrees(`name: a\nlist:\n  - ${body}\nkey: 'b`)),
      { numRuns: 3_000 },
    );
  });
});
