import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skillOf } from "../../test/skills.fixture.ts";
import {
  DOCUMENT,
  documentDigest,
  headText,
  sectionTexts,
  toDocument,
  unpackEvidence,
  unpackSkill,
} from "./skill-document.ts";

const document = (skill = skillOf("some-skill"), body = "# Title\n\nText.\n") =>
  toDocument({
    skill,
    size: 10,
    mtimeMs: 1.5,
    body,
    vectors: { head: undefined, sections: [] },
    background: () => undefined,
  });

describe("a document", () => {
  test("holds the skill itself, whatever its texts are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (description, body) => {
        const skill = skillOf("some-skill", { description });
        const { payload } = document(skill, body);
        expect(unpackSkill(payload!)).toEqual(JSON.parse(JSON.stringify({ skill, size: 10, mtimeMs: 1.5 })));
        expect(unpackEvidence(payload!).length).toBeGreaterThan(0);
      }),
    );
  });

  test("has another digest when content, place, size or time differ", () => {
    const skill = skillOf("some-skill");
    const digests = [
      { skill, size: 1, mtimeMs: 1 },
      { skill, size: 2, mtimeMs: 1 },
      { skill, size: 1, mtimeMs: 2 },
      { skill: { ...skill, path: "/other/SKILL.md" }, size: 1, mtimeMs: 1 },
      { skill: { ...skill, digest: "f".repeat(64) }, size: 1, mtimeMs: 1 },
    ].map(documentDigest);
    expect(new Set(digests).size).toBe(5);
  });

  test("has no vector without an embedder", () => {
    expect(document().vector).toBeUndefined();
  });
});

describe("the text that stands for a skill in meaning", () => {
  test("is its name in words and what it is for, not what it is not for", () => {
    const skill = skillOf("pdf_forms/fill-in", { description: "Fills forms. Do not use for scans." });
    expect(headText(skill)).toContain("pdf forms fill in.");
    expect(headText(skill)).toContain("Fills forms.");
    expect(headText(skill)).not.toContain("scans");
  });

  test("of its sections are at most as many as are kept", () => {
    const body = Array.from({ length: 100 }, (_, i) => `## Part ${i}\n\n${"word ".repeat(40)}\n`).join("\n");
    expect(sectionTexts(body)).toHaveLength(DOCUMENT.sections);
    expect(sectionTexts("")).toEqual([]);
  });
});
