// Measures of a ranking: hit rate, recall, reciprocal rank, discounted gain, percentiles.

export interface RankingScore {
  readonly hit1: number;
  readonly recall3: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
  readonly ndcg10: number;
}

/** Scores a ranking: `found[i]` is the number of the gold item at rank i, or undefined; `golds` is their count. */
export function scoreRanking(found: readonly (number | undefined)[], golds: number): RankingScore {
  const recallAt = (k: number) =>
    new Set(found.slice(0, k).filter((gold) => gold !== undefined)).size / Math.max(1, golds);
  const first = found.findIndex((gold) => gold !== undefined);
  return {
    hit1: first === 0 ? 1 : 0,
    recall3: recallAt(3),
    recall5: recallAt(5),
    recall10: recallAt(10),
    mrr: first < 0 ? 0 : 1 / (first + 1),
    ndcg10: discountedGain(found.slice(0, 10), golds),
  };
}

function discountedGain(found: readonly (number | undefined)[], golds: number): number {
  const seen = new Set<number>();
  let gain = 0;
  found.forEach((gold, place) => {
    if (gold === undefined || seen.has(gold)) return;
    seen.add(gold);
    gain += 1 / Math.log2(place + 2);
  });
  let best = 0;
  for (let place = 0; place < Math.min(golds, 10); place++) best += 1 / Math.log2(place + 2);
  return best > 0 ? gain / best : 0;
}

export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** The value below which the fraction `share` of the numbers lies. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
