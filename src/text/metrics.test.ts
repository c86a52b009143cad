import { describe, expect, test } from "vitest";
import { mean, percentile, scoreRanking } from "./metrics.ts";

const miss = undefined;

describe("scoreRanking", () => {
  test("is 1 in all measures if the only gold item comes first", () => {
    expect(scoreRanking([0, miss, miss], 1)).toEqual({
      hit1: 1,
      recall3: 1,
      recall5: 1,
      recall10: 1,
      mrr: 1,
      ndcg10: 1,
    });
  });

  test("is 0 in all measures if no gold item is found", () => {
    const nothing = { hit1: 0, recall3: 0, recall5: 0, recall10: 0, mrr: 0, ndcg10: 0 };
    expect(scoreRanking([miss, miss], 1)).toEqual(nothing);
    expect(scoreRanking([], 2)).toEqual(nothing);
    expect(scoreRanking([], 0)).toEqual(nothing);
  });

  test("decreases with the rank", () => {
    const fourth = scoreRanking([miss, miss, miss, 0], 1);
    expect(fourth).toMatchObject({ hit1: 0, recall3: 0, recall5: 1, recall10: 1, mrr: 0.25 });
    expect(fourth.ndcg10).toBeCloseTo(1 / Math.log2(5), 12);
    expect(scoreRanking([...Array(10).fill(miss), 0], 1)).toMatchObject({ recall10: 0, ndcg10: 0 });
  });

  test("needs all gold items for recall, any one for a hit", () => {
    const one = scoreRanking([1, miss, miss], 2);
    expect(one).toMatchObject({ hit1: 1, recall3: 0.5, mrr: 1 });
    expect(one.ndcg10).toBeCloseTo(1 / (1 + 1 / Math.log2(3)), 12);
    expect(scoreRanking([1, 0], 2).ndcg10).toBeCloseTo(1, 12);
  });

  test("counts copies of a gold item once", () => {
    expect(scoreRanking([0, 0, 0], 2)).toMatchObject({ recall3: 0.5 });
    expect(scoreRanking([0, 0], 1).ndcg10).toBe(1);
  });

  test("is at most 1 with more gold items than ranks", () => {
    const found = Array.from({ length: 10 }, (_, i) => i);
    expect(scoreRanking(found, 20).ndcg10).toBeCloseTo(1, 12);
    expect(scoreRanking(found, 20).recall10).toBe(0.5);
  });
});

test("mean of an empty list is 0", () => {
  expect(mean([])).toBe(0);
  expect(mean([1, 2, 6])).toBe(3);
});

test("percentile returns one of the numbers, in any order", () => {
  const numbers = [5, 1, 4, 2, 3];
  expect(percentile(numbers, 0.5)).toBe(3);
  expect(percentile(numbers, 0.95)).toBe(5);
  expect(percentile(numbers, 0)).toBe(1);
  expect(percentile(numbers, 1)).toBe(5);
  expect(percentile([], 0.5)).toBe(0);
  expect(numbers).toEqual([5, 1, 4, 2, 3]);
});
