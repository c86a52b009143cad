import { describe, expect, it } from "vitest";
import { FLAG_FIELDS, LIST_FIELDS, TEXT_FIELDS } from "./dialects.ts";
import { diagnosticTable, frontMatterTable, parseSkill } from "./parse.ts";

const file = (yaml: string, body = "Do it.\n") => `---\n${yaml}\n---\n\n${body}`;
const manifest = (yaml: string) => parseSkill(file(yaml), "x/SKILL.md").skill?.manifest;

describe("a parsed skill", () => {
  it("has a body without leading blank lines and the line where it starts", () => {
    const { skill } = parseSkill("---\ndescription: d\n---\n\n\n  indented\n\nend  \n", "x/SKILL.md");
    expect(skill).toMatchObject({ body: "  indented\n\nend  \n", bodyLine: 6 });
  });

  it("has lists that are empty and flags at their defaults when nothing is said", () => {
    expect(manifest("description: Does things.")).toEqual({
      description: "Does things.",
      brief: "Does things.",
      frames: [],
      triggers: { keywords: [], verbs: [], patterns: [] },
      tags: [],
      tools: [],
      allowedTools: [],
      requires: { env: [], bins: [], anyBins: [] },
      toolsets: [],
      scripts: [],
      seeAlso: [],
      knowledge: [],
      paths: [],
      always: false,
      defaultEnabled: true,
      userOnly: false,
      userInvocable: true,
      metadata: {},
      unknown: {},
    });
  });

  it("keeps unknown keys and metadata as they were written, without prototypes", () => {
    const read = manifest("description: d\nauthor: {name: A, __proto__: B}\nmetadata:\n  a:\n    - b");
    expect(read?.unknown).toEqual({
      author: Object.assign(Object.create(null), { name: "A", ["__proto__"]: "B" }),
    });
    expect(Object.getPrototypeOf(read?.unknown.author)).toBeNull();
    expect(read?.metadata).toEqual({ a: ["b"] });
  });

  it("reads text and bytes alike", () => {
    const text = file("name: x\ndescription: Größe – 日本");
    expect(parseSkill(Buffer.from(text), "x/SKILL.md")).toEqual(parseSkill(text, "x/SKILL.md"));
  });

  it("is user-only as soon as one key says so", () => {
    expect(
      manifest("description: d\ndisable-model-invocation: false\nsven:\n  user_invocable_only: true")
        ?.userOnly,
    ).toBe(true);
    expect(
      manifest("description: d\ndisable-model-invocation: true\nsven:\n  user_invocable_only: false")
        ?.userOnly,
    ).toBe(true);
  });

  it("unites requirements of all places", () => {
    const yaml =
      "description: d\nrequires: [A]\nsven: {requires_env: [B]}\nmetadata: {openclaw: {requires: {env: [C, A]}}}";
    expect(manifest(yaml)?.requires.env).toEqual(["A", "B", "C"]);
  });
});

describe("a finding", () => {
  it("names the line of the file", () => {
    const lines = (text: string) =>
      parseSkill(text, "x/SKILL.md", { profile: "strict" }).diagnostics.map(
        ({ code, line }) => `${code}:${line}`,
      );
    expect(lines("---\nname: x\nlicense: MIT\ndescription: a: b\n---\nBody")).toEqual([
      "yaml-unquoted-colon:4",
    ]);
    expect(lines("\n\n---\nname: x\ndescription: d\nextra: 1\n---\nBody")).toEqual([
      "leading-blank-lines:1",
      "field-unexpected:6",
    ]);
    expect(lines("---\nname: Y\ndescription: d\n---\nBody")).toEqual(["name-uppercase:2", "name-mismatch:2"]);
    expect(lines("---\nname: x\nstray\ndescription: d\n---\nBody")).toEqual([
      "yaml-invalid:3",
      "front-matter-bare:2",
    ]);
  });

  it("is one of the table, with a next step", () => {
    for (const { code, fix } of diagnosticTable())
      expect(`${code}: ${fix}`).toMatch(/^[a-z0-9-]+: [A-Z].*\.$/);
  });
});

describe("a source that requires descriptions", () => {
  it("skips a skill that has none", () => {
    const text = file("name: x", "A paragraph.\n");
    expect(parseSkill(text, "x/SKILL.md").skill?.manifest.description).toBe("A paragraph.");
    const { skill, diagnostics } = parseSkill(text, "x/SKILL.md", { requireDescription: true });
    expect(skill).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "description-missing", severity: "error" }]);
  });
});

describe("a source that requires names", () => {
  it("skips a skill that has none, and says so once in either profile", () => {
    const text = file("description: d", "Do it.\n");
    expect(parseSkill(text, "x/SKILL.md").skill).toBeDefined();
    for (const profile of ["lenient", "strict"] as const) {
      const { skill, diagnostics } = parseSkill(text, "x/SKILL.md", { requireName: true, profile });
      expect(skill).toBeUndefined();
      expect(diagnostics).toMatchObject([{ code: "name-missing", severity: "error" }]);
    }
  });
});

describe("the strict profile", () => {
  it("warns of brackets, which the reference validator's YAML does not know", () => {
    const { skill, diagnostics } = parseSkill(
      file("name: x\ndescription: d\nallowed-tools: [Read]"),
      "x/SKILL.md",
      { profile: "strict" },
    );
    expect(skill).toBeDefined();
    expect(diagnostics).toMatchObject([{ code: "yaml-flow-style", severity: "warning", line: 4 }]);
  });

  it("does not compare the name when the path has no folder", () => {
    expect(
      parseSkill(file("name: x\ndescription: d"), "SKILL.md", { profile: "strict" }).diagnostics,
    ).toEqual([]);
  });
});

describe("the front-matter table", () => {
  it("fills every field of the manifest and documents each key in one sentence", () => {
    const filled = new Set(frontMatterTable().map(({ field }) => field));
    for (const field of [...TEXT_FIELDS, ...LIST_FIELDS, ...FLAG_FIELDS]) expect(filled).toContain(field);
    for (const { key, doc } of frontMatterTable()) expect(`${key}: ${doc}`).toMatch(/: [A-Za-z].*\.$/);
  });

  it("has each key once a place", () => {
    const keys = frontMatterTable().flatMap(({ key, also = [], places }) =>
      places.flatMap((place) => [key, ...also].map((word) => `${place} ${word}`)),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});
