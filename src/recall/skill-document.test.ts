import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skillOf } from "../../test/skills.fixture.ts";
import { bodySections, descriptionClauses } from "../text/sections.ts";
import { decodeEvidence } from "./evidence-reader.ts";
import { DOCUMENT, documentDigest, headText, sectionTexts, toDocument } from "./skill-document.ts";

const document = (skill = skillOf("some-skill"), body = "# Title\n\nText.\n") =>
  toDocument({
    skill,
    sections: bodySections(body),
    clauses: descriptionClauses(skill.manifest.description),
    vectors: { head: undefined, sections: [] },
    background: () => undefined,
  });

describe("a document", () => {
  test("has evidence, whatever the skill's texts are, and not the skill itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (description, body) => {
        const { payload: evidence } = document(
          skillOf("some-skill", { description, license: "a-license" }),
          body,
        );
        expect(decodeEvidence(evidence!).name.length).toBeGreaterThan(0);
        expect(Buffer.from(evidence!).includes("a-license")).toBe(false);
      }),
    );
  });

  test("has another digest when the content differs, and the same at another place", () => {
    const skill = skillOf("some-skill");
    expect(documentDigest({ ...skill, path: "/other/SKILL.md" })).toBe(documentDigest(skill));
    expect(documentDigest({ ...skill, digest: "f".repeat(64) })).not.toBe(documentDigest(skill));
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
    expect(sectionTexts(bodySections(body))).toHaveLength(DOCUMENT.sections);
    expect(sectionTexts(bodySections(""))).toEqual([]);
  });
});
