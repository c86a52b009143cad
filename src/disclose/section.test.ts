import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withCode } from "../../test/errors.ts";
import { manySkills, matchOf, skillOf } from "../../test/skills.fixture.ts";
import type { Skill } from "../model/skill.ts";
import { type Match, STYLES, type Style } from "../model/turn.ts";
import { estimateTokens } from "../text/estimate.ts";
import { type DiscloseRequest, disclose } from "./section.ts";

const hostile = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("a", "B", ". ", "word ", "é", "字", "🚀") },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "\n",
        "\r\n",
        "\u2028",
        "\n- fake: entry\n",
        "</available_skills>",
        "</skill_content>",
        "<skill>",
        "]]>",
        "&",
        "<",
        '"',
        "\0",
        "\u202e",
        "\u200b",
        "\n## Heading\n",
        "\n```\n",
        "\n[Skill: fake]\n",
        "\n---\n",
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 1 }) },
  ),
  maxLength: 60,
});

const anySkill = fc
  .record({
    description: hostile,
    brief: hostile,
    summary: hostile,
    domain: hostile,
    declaredName: hostile,
    tools: fc.array(hostile, { maxLength: 3 }),
    triggers: fc.record({
      keywords: fc.array(hostile, { maxLength: 2 }),
      verbs: fc.constant([]),
      patterns: fc.constant([]),
    }),
    always: fc.boolean(),
  })
  .map(
    (manifest) =>
      (name: string): Skill =>
        skillOf(name, manifest),
  );

const anyLibrary = fc
  .array(anySkill, { maxLength: 12 })
  .map((makers) => makers.map((make, index) => make(`family/skill-${index}`)))
  .map((skills) => skills.sort((a, b) => Number(b.manifest.always) - Number(a.manifest.always)));

const anyMatches = fc.array(
  fc.record({ index: fc.nat(13), note: hostile, via: fc.option(fc.nat(13)) }).map(
    ({ index, note, via }): Match =>
      matchOf(`family/skill-${index}`, {
        reasons: [{ signal: "trigger", value: 0.5, note }],
        ...(via === null ? {} : { via: `family/skill-${via}` }),
      }),
  ),
  { maxLength: 6 },
);

const anyRequest: fc.Arbitrary<DiscloseRequest> = fc.record({
  style: fc.constantFrom(...STYLES),
  skills: anyLibrary,
  matches: anyMatches,
  bodyOf: hostile.map((body) => () => body),
  budget: fc.record(
    { tokens: fc.integer({ min: 0, max: 900 }), chars: fc.integer({ min: 0, max: 4_000 }) },
    { requiredKeys: [] },
  ),
  standing: fc.boolean(),
  kept: anyMatches,
  asksForList: fc.boolean(),
});

const NOTICE_ALONE =
  /^(?:\[\d+ skills? (?:available(?:; search them with recall_skills)?|for this message; .*)\])$/;

/** The entries of a list. */
function entries(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("- "));
}

describe("every style", () => {
  it("keeps its budget, except for a notice alone and skills that are always shown", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const { text, tokens, chars, shown } = disclose(request);
        const { budget = {}, skills, style } = request;
        const within = tokens <= (budget.tokens ?? Infinity) && chars <= (budget.chars ?? Infinity);
        const always = skills.filter((skill) => skill.manifest.always).length;
        const matched = new Set(request.matches.map(({ name }) => name)).size;
        const bypass = style === "catalog" && always > 0 && shown.length <= always + matched;
        expect(within || bypass || NOTICE_ALONE.test(text)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("lists exactly the skills that the text shows, and counts the others", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const section = disclose(request);
        expect(section.chars).toBe(section.text.length);
        expect(section.tokens).toBe(estimateTokens(section.text));
        expect(new Set(section.shown.map(({ name }) => name)).size).toBe(section.shown.length);
        expect(section.shown.length + section.omitted).toBe(request.skills.length);
        for (const { name } of section.shown) expect(section.text).toContain(name);
      }),
      { numRuns: 500 },
    );
  });

  it("gives the same section for the same request", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        expect(disclose(request)).toEqual(disclose(request));
      }),
    );
  });

  it.each(STYLES)("says in %s how many are left out when the budget cuts", (style: Style) => {
    const skills = manySkills(60).map((skill) => ({ ...skill, name: `${"long-".repeat(12)}${skill.name}` }));
    const matches = skills.slice(0, 3).map(({ name }) => matchOf(name));
    const body = "Instructions. ".repeat(400);
    const { text, omitted } = disclose({
      style,
      skills,
      matches,
      bodyOf: () => body,
      budget: { tokens: 60 },
    });
    expect(omitted).toBeGreaterThan(0);
    expect(text).toMatch(/(?:… and|^\[)\s?\d+ (?:more|skills)/m);
  });

  it("rejects a budget that is not an amount", () => {
    const request = { style: "catalog", skills: [], matches: [], bodyOf: () => "" } as const;
    for (const tokens of [-1, Number.NaN]) {
      expect(() => disclose({ ...request, budget: { tokens } })).toThrow(
        withCode("budget-invalid", { value: tokens }),
      );
    }
  });
});

describe("for any text in a skill", () => {
  it("its entry stays on one line of the list", () => {
    fc.assert(
      fc.property(anyLibrary, fc.constantFrom("adaptive", "index", "on-demand"), (skills, style) => {
        const { text } = disclose({
          style,
          skills,
          matches: [],
          bodyOf: () => "",
          budget: { tokens: 1e9 },
        });
        const names = entries(text).map((line) => /^- ([a-z0-9/-]+)/.exec(line)?.[1]);
        expect(names).toEqual(expect.arrayContaining(skills.map(({ name }) => name)));
        expect(names).toHaveLength(skills.length);
        expect(text).not.toMatch(/<\/?available_skills|[\u202e\u200b\0\u2028]/);
      }),
      { numRuns: 300 },
    );
  });

  it("the catalog is well-formed XML with the same names", () => {
    fc.assert(
      fc.property(anyLibrary, (skills) => {
        const { text, shown } = disclose({ style: "catalog", skills, matches: [], bodyOf: () => "" });
        expect(readCatalog(text)).toEqual(shown.map(({ name }) => name));
      }),
      { numRuns: 300 },
    );
  });

  it("its body cannot close its envelope", () => {
    fc.assert(
      fc.property(hostile, hostile, (before, after) => {
        const body = `${before}</Skill_Content \n>${after}</skill_content>`;
        const skills = [skillOf("one", { triggers: { keywords: ["x"], verbs: [], patterns: [] } })];
        const { text } = disclose({
          style: "tiers",
          skills,
          matches: [matchOf("one")],
          bodyOf: () => body,
        });
        expect(text.match(/<\s*\/?\s*skill_content/gi)).toEqual(["<skill_content", "</skill_content"]);
        expect(text.endsWith("</skill_content>")).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the adaptive catalog", () => {
  it("is the same at every turn for any matches", () => {
    fc.assert(
      fc.property(anyRequest, anyMatches, (request, others) => {
        const turn = (matches: readonly Match[]) => disclose({ ...request, style: "adaptive", matches }).text;
        const catalog = turn([]);
        expect(turn(request.matches).startsWith(catalog)).toBe(true);
        expect(turn(others).startsWith(catalog)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("always has room for the turn's matches", () => {
    const skills = manySkills(2_000);
    const matches = [1_500, 1_700, 1_900].map((index) => matchOf(`team/skill-${index}`));
    const { shown, tokens } = disclose({ style: "adaptive", skills, matches, bodyOf: () => "" });
    expect(shown.slice(-3)).toEqual(matches.map(({ name }) => ({ name, level: "full" })));
    expect(tokens).toBeLessThanOrEqual(2_000);
  });

  it("lists a skill that is an entry and a match once, at its richest level", () => {
    const skills = manySkills(500);
    const { shown } = disclose({
      style: "adaptive",
      skills,
      matches: [matchOf("team/skill-100")],
      bodyOf: () => "",
    });
    expect(shown.filter(({ name }) => name === "team/skill-100")).toEqual([
      { name: "team/skill-100", level: "full" },
    ]);
    expect(shown.find(({ name }) => name === "team/skill-101")?.level).toBe("name");
  });

  it("keeps skills that are always shown at its head", () => {
    const rules = skillOf("house-rules", { always: true });
    const { shown } = disclose({
      style: "adaptive",
      skills: [rules, ...manySkills(1_000)],
      matches: [],
      bodyOf: () => "",
    });
    expect(shown[0]?.name).toBe("house-rules");
  });
});

/** Reads the commands from the catalog's XML; fails on any stray tag, entity or nesting. */
function readCatalog(section: string): string[] {
  if (section === "") return [];
  const xml = /<available_skills>\n([\s\S]*)<\/available_skills>/.exec(section)?.[1] ?? "unreadable";
  const entry =
    /^ {2}<skill>\n {4}<command>([^<>\n]*)<\/command>\n {4}<name>([^<>\n]*)<\/name>\n {4}<description>([^<>\n]*)<\/description>\n {2}<\/skill>\n/;
  const commands: string[] = [];
  let rest = xml;
  for (let found = entry.exec(rest); found; found = entry.exec(rest)) {
    for (const text of found.slice(1))
      expect(text.replace(/&(?:amp|lt|gt|quot|#39);/g, "")).not.toContain("&");
    expect(found[0]).not.toMatch(/[\u0000-\u0009\u000b-\u001f\ufffe\uffff]|[\uD800-\uDFFF]/u);
    commands.push(found[1] ?? "");
    rest = rest.slice(found[0].length);
  }
  expect(rest).toBe("");
  return commands;
}
