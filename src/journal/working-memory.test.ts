import fc from "fast-check";
import { expect, test } from "vitest";
import { FRAMES } from "../model/frame.ts";
import { estimateTokens } from "../text/estimate.ts";
import type { MemoryItem } from "./session.ts";
import { turnKey } from "./turn-key.ts";
import { MEMORY_BUDGETS, remember } from "./working-memory.ts";

const card = (refId: string, relevance: number, words = 20): MemoryItem => ({
  refId,
  refType: "skill",
  content: "some words of a card ".repeat(words / 5),
  relevance,
});

test("a turn's cards come in, most relevant first", () => {
  const { items } = remember([], [card("a", 0.3), card("b", 0.9)], "task");
  expect(items.map(({ refId }) => refId)).toEqual(["b", "a"]);
});

test("what is recalled again is fresh, and what is not fades", () => {
  const { items } = remember([card("a", 0.8), card("b", 0.8)], [card("b", 0.5)], "task");
  expect(items.map(({ refId, relevance }) => [refId, relevance.toFixed(2)])).toEqual([
    ["a", "0.56"],
    ["b", "0.50"],
  ]);
});

test("the least relevant leave when the frame's budget is full", () => {
  const cards = [card("a", 0.9, 400), card("b", 0.6, 400), card("c", 0.3, 400)];
  const kept = remember([], cards, "question");
  expect(kept.items.map(({ refId }) => refId)).not.toContain("c");
  expect(kept.evicted.at(-1)?.refId).toBe("c");
  expect(remember([], cards, "task").items.length).toBeGreaterThan(kept.items.length);
});

test("memory never exceeds its budget, and nothing kept is less relevant than what left", () => {
  const item = fc.record({
    refId: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    refType: fc.constant("skill"),
    content: fc.string({ maxLength: 3000 }),
    relevance: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const items = fc.array(item, { maxLength: 8 });
  fc.assert(
    fc.property(items, items, fc.constantFrom(...FRAMES), (before, incoming, frame) => {
      const after = remember(before, incoming, frame);
      const tokens = after.items.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      expect(tokens).toBeLessThanOrEqual(MEMORY_BUDGETS[frame]);
      const least = Math.min(...after.items.map(({ relevance }) => relevance));
      for (const { relevance } of after.evicted) expect(relevance).toBeLessThanOrEqual(least);
    }),
  );
});

test("a message is named by the host's id, else by its place and text", () => {
  expect(turnKey({ id: "m-1", text: "hello" })).toBe(turnKey({ id: "m-1", text: "other" }));
  expect(turnKey({ position: 1, text: "go on" })).not.toBe(turnKey({ position: 2, text: "go on" }));
  expect(turnKey({ position: 1, text: "go on" })).not.toBe(turnKey({ position: 1, text: "go in" }));
});
