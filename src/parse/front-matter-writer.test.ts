import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { writeFrontMatter } from "./front-matter-writer.ts";
import { readYaml, type YamlMap } from "./yaml.ts";

const read = (text: string) => {
  const result = readYaml(text.replace(/^---\n|---\n$/g, ""));
  return result.ok ? result.value : result;
};

describe("front matter that is written", () => {
  it("reads back as what was meant, whatever the texts are", () => {
    const value = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => !/[\0-\x08\x0b-\x1f\x7f-\x9f\ufeff]/.test(text));
    const map = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,9}$/), value, {
      minKeys: 1,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(map, map, (before, after) => {
        const wanted: YamlMap = { name: "x", description: "d", metadata: after };
        expect(read(writeFrontMatter(wanted))).toEqual(wanted);
        const old = stringify({ name: "x", metadata: before });
        expect(read(writeFrontMatter(wanted, old))).toEqual(wanted);
      }),
    );
  });

  it("quotes text that another reader would take for something else", () => {
    const text = writeFrontMatter({
      a: "true",
      b: "1.10",
      c: "null",
      d: "2026-01-01",
      e: "yes",
      f: "a: b",
      g: "# x",
    });
    for (const line of text.split("\n").slice(1, -2)) expect(line).toMatch(/^[a-g]: ["']/);
  });

  it("keeps the lines that need no change, comments included", () => {
    const before =
      'name: x\n# why\ndescription: >\n  folded\n  text\nmetadata:\n    version: "1.10" # as text\n    old: gone\n';
    const wanted = { name: "x", description: "folded text\n", metadata: { version: "1.10", pinned: "true" } };
    expect(writeFrontMatter(wanted, before)).toBe(
      '---\nname: x\n# why\ndescription: >\n  folded\n  text\nmetadata:\n    version: "1.10" # as text\n    pinned: "true"\n---\n',
    );
  });

  it("keeps the comments above a key whose value changes, and those below the last key", () => {
    const before = "name: x\n\n# who\nlicense: A\nmetadata:\n  # why\n  pinned: no\n  # end\n# last\n";
    expect(writeFrontMatter({ name: "x", license: "B", metadata: { pinned: "yes" } }, before)).toBe(
      '---\nname: x\n\n# who\nlicense: B\nmetadata:\n  # why\n  pinned: "yes"\n  # end\n# last\n---\n',
    );
  });

  it("writes only the keys in brackets anew, and keeps the other lines", () => {
    const before = "# mine\nname: 'x'\ntags: [a, b]\nother: # here\n  - c\n";
    expect(writeFrontMatter({ name: "x", tags: ["a", "b"], other: ["c"] }, before)).toBe(
      "---\n# mine\nname: 'x'\ntags:\n  - a\n  - b\nother: # here\n  - c\n---\n",
    );
  });

  it("has no brackets and no null, which the spec's validator does not read", () => {
    expect(writeFrontMatter({ list: ["a", "b"], empty: [], nothing: null, map: {} }, "list: [a, b]\n")).toBe(
      '---\nlist:\n  - a\n  - b\nempty: ""\nnothing: ""\nmap: ""\n---\n',
    );
  });
});
