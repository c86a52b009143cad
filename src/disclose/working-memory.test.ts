import fc from "fast-check";
import { expect, test } from "vitest";
import { matchOf, skillOf } from "../../test/skills.fixture.ts";
import { estimateTokens } from "../text/estimate.ts";
import { disclose } from "./section.ts";
import { workingMemory } from "./working-memory.ts";

const state = {
  recalled: [],
  relevant: [
    { name: "a", relevance: 0.9 },
    { name: "b", relevance: 0.6 },
    { name: "c", relevance: 0.3 },
  ],
};
const skills = ["a", "b", "c"].map((name) => skillOf(name));
const long = () => `## Use\n\n${"One more sentence about it. ".repeat(80)}`;

test("has the cards of the relevant skills, most relevant first, without deleted skills", () => {
  const items = workingMemory(state, { skills: [skills[2]!, skills[0]!], bodyOf: () => "Text." });
  expect(items).toMatchObject([
    { refId: "a", refType: "skill", relevance: 0.9 },
    { refId: "c", refType: "skill", relevance: 0.3 },
  ]);
  expect(items[0]?.content).toMatch(/^\[Skill: a\]/);
});

test("has the cards of a section, cut in the same places", () => {
  const scored = (name: string, score: number) => ({ ...matchOf(name), score });
  const matches = [scored("b", 0.6), scored("c", 0.3)];
  const kept = [scored("a", 0.9)];
  const section = disclose({ style: "cards", skills, matches, kept, bodyOf: long });
  const items = workingMemory({ ...state, recalled: ["b", "c"] }, { skills, bodyOf: long });
  expect(items.map(({ content }) => content).join("\n\n")).toBe(section.text);
  expect(items.map(({ refId }) => refId)).toEqual(["b", "a", "c"]);
});

test("has room for more cards in a larger budget", () => {
  const names = ["a", "b", "c", "d", "e"];
  const five = names.map((name) => skillOf(name));
  const relevant = names.map((name, index) => ({ name, relevance: 1 - index / 10 }));
  const inBudget = (tokens: number) =>
    workingMemory({ recalled: [], relevant }, { skills: five, bodyOf: long, budget: { tokens } });
  expect(inBudget(400)).toHaveLength(3);
  expect(inBudget(800)).toHaveLength(5);
});

test("never exceeds its budget, and has nothing less relevant than what was omitted", () => {
  const bodies = fc.array(fc.string({ maxLength: 3000 }), { maxLength: 8 });
  fc.assert(
    fc.property(bodies, fc.integer({ min: 0, max: 900 }), (texts, tokens) => {
      const relevant = texts.map((_, index) => ({ name: String(index), relevance: 1 - index / 10 }));
      const items = workingMemory(
        { recalled: [], relevant },
        {
          skills: relevant.map(({ name }) => skillOf(name)),
          bodyOf: ({ name }) => texts[Number(name)],
          budget: { tokens },
        },
      );
      const total = items.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      expect(total).toBeLessThanOrEqual(tokens);
      expect(items.map(({ refId }) => refId)).toEqual(
        relevant.slice(0, items.length).map(({ name }) => name),
      );
    }),
  );
});
