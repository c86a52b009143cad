import { describe, expect, test } from "vitest";
import { bodyFields, bodySections, descriptionClauses } from "./sections.ts";

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ");

describe("bodyFields", () => {
  test("separates headings, prose and fenced code", () => {
    const fields = bodyFields("# Title #\n\nSome text.\n\n```bash\n# not a heading\nrun it\n```\nMore.");
    expect(fields.headings).toBe("Title");
    expect(fields.code).toBe("# not a heading\nrun it");
    expect(fields.prose).toContain("Some text.");
    expect(fields.prose).toContain("More.");
  });

  test("treats the rest as code after a fence that is never closed", () => {
    expect(bodyFields("~~~\none\n# two").code).toBe("one\n# two");
  });

  test("does not close a fence with a shorter one", () => {
    expect(bodyFields("````\n```\ninner\n```\n````\nafter").prose).toBe("after");
  });

  test("accepts CRLF line ends", () => {
    expect(bodyFields("# A\r\ntext\r\n").headings).toBe("A");
  });
});

describe("bodySections", () => {
  test("keeps a title and its first lines together", () => {
    const sections = bodySections(`# Title\nshort\n## Part\n${words(60)}`);
    expect(sections).toHaveLength(1);
    expect(sections[0]!.heading).toBe("Title");
  });

  test("cuts at a heading after enough words", () => {
    const sections = bodySections(`# One\n${words(50)}\n# Two\n${words(50)}`);
    expect(sections.map((s) => s.heading)).toEqual(["One", "Two"]);
  });

  test("cuts a long section", () => {
    const body = Array.from({ length: 20 }, () => words(40)).join("\n");
    expect(bodySections(body).length).toBeGreaterThan(2);
  });

  test("separates what the skill is not for, even if it is short", () => {
    const sections = bodySections("# Skill\nhelps\n## When not to use\nfor cooking\n## Steps\nfirst");
    expect(sections.map((s) => [s.heading, s.notFor])).toEqual([
      ["Skill", false],
      ["When not to use", true],
      ["Steps", false],
    ]);
  });

  test("returns an empty list for an empty body", () => {
    expect(bodySections("\n\n")).toEqual([]);
  });
});

describe("descriptionClauses", () => {
  test("separates what a skill is for from what it is not for", () => {
    const { positive, negative } = descriptionClauses(
      "Fills PDF forms. Use when a form has fields. Do not use for scanned paper.",
    );
    expect(positive).toBe("Fills PDF forms. Use when a form has fields.");
    expect(negative).toContain("scanned paper");
  });

  test("treats a referral to another skill as something that the skill is not for", () => {
    const { positive, negative } = descriptionClauses(
      "Calibrates videos. For live streams, use rtsp-tool instead.",
    );
    expect(positive).toBe("Calibrates videos.");
    expect(negative).toContain("live streams");
  });

  test("keeps a description without exclusions whole", () => {
    expect(descriptionClauses("Use when the user wants a chart.")).toEqual({
      positive: "Use when the user wants a chart.",
      negative: "",
    });
  });
});
