import fc from "fast-check";
import { expect, test } from "vitest";
import { FRAMES } from "../model/frame.ts";
import { estimateTokens } from "../text/estimate.ts";
import { MEMORY_BUDGETS, workingMemory } from "./working-memory.ts";

const relevant = [
  { name: "a", relevance: 0.9 },
  { name: "b", relevance: 0.6 },
  { name: "c", relevance: 0.3 },
];

test("has the cards of the relevant skills, most relevant first, without deleted skills", () => {
  const items = workingMemory({ relevant }, (name) => (name === "b" ? undefined : `card of ${name}`));
  expect(items).toEqual([
    { refId: "a", refType: "skill", content: "card of a", relevance: 0.9 },
    { refId: "c", refType: "skill", content: "card of c", relevance: 0.3 },
  ]);
});

test("omits the least relevant if the frame's budget is full", () => {
  const card = () => "some words of a card ".repeat(80);
  const names = (frame: "question" | "task") =>
    workingMemory({ relevant, frame }, card).map(({ refId }) => refId);
  expect(names("question")).not.toContain("c");
  expect(names("task").length).toBeGreaterThan(names("question").length);
});

test("never exceeds its budget, and has nothing less relevant than what was omitted", () => {
  const cards = fc.array(fc.string({ maxLength: 3000 }), { maxLength: 8 });
  fc.assert(
    fc.property(cards, fc.constantFrom(...FRAMES), (texts, frame) => {
      const all = texts.map((_, index) => ({ name: String(index), relevance: 1 - index / 10 }));
      const items = workingMemory({ relevant: all, frame }, (name) => texts[Number(name)]);
      const tokens = items.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      expect(tokens).toBeLessThanOrEqual(MEMORY_BUDGETS[frame]);
      expect(items.map(({ refId }) => refId)).toEqual(all.slice(0, items.length).map(({ name }) => name));
    }),
  );
});
