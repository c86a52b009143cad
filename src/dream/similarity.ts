// Measures how alike texts are: by their words, weighed by rarity among the given texts, and by meaning.

import { tokenize } from "../text/tokens.ts";

/** A text as a bag of weighed words of length 1. */
export type Bag = ReadonlyMap<string, number>;

/** One bag per text; a word that every text has weighs little. */
export function bagsOf(texts: readonly string[]): Bag[] {
  const words = texts.map((text) => new Set(tokenize(text, { partsOnly: true })));
  const spread = new Map<string, number>();
  for (const set of words) for (const word of set) spread.set(word, (spread.get(word) ?? 0) + 1);
  return words.map((set) => {
    const weights = [...set].map((word) => [word, Math.log(1 + texts.length / spread.get(word)!)] as const);
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
    return new Map(weights.map(([word, weight]) => [word, weight / length]));
  });
}

export function bagLikeness(a: Bag, b: Bag): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [word, weight] of small) sum += weight * (large.get(word) ?? 0);
  return sum;
}

/** Every pair that is at least so alike. Adds up word by word, because most pairs share next to nothing. */
export function similarPairs(bags: readonly Bag[], least: number): { a: number; b: number; value: number }[] {
  const found: { a: number; b: number; value: number }[] = [];
  const holders = new Map<string, { rows: number[]; weights: number[] }>();
  const sums = new Float64Array(bags.length);
  for (const [row, bag] of bags.entries()) {
    sums.fill(0);
    for (const [word, weight] of bag) {
      const earlier = holders.get(word) ?? { rows: [], weights: [] };
      const { rows, weights } = earlier;
      for (let at = 0; at < rows.length; at++) sums[rows[at]!]! += weight * weights[at]!;
      rows.push(row);
      weights.push(weight);
      holders.set(word, earlier);
    }
    for (let other = 0; other < row; other++)
      if (sums[other]! >= least) found.push({ a: other, b: row, value: sums[other]! });
  }
  return found;
}

/** 0 when one of them is unknown. */
export function nearness(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b || a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Groups whose members are alike on average, so that a chain of neighbours does not become one group. */
export function clusters<T>(items: readonly T[], alike: (a: T, b: T) => number, least: number): T[][] {
  const groups: T[][] = [];
  for (const item of items) {
    let best: { group: T[]; value: number } | undefined;
    for (const group of groups) {
      const value = group.reduce((sum, other) => sum + alike(item, other), 0) / group.length;
      if (value >= least && value > (best?.value ?? 0)) best = { group, value };
    }
    if (best) best.group.push(item);
    else groups.push([item]);
  }
  return groups;
}
