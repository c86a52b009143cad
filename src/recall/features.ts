// Owns a message made ready to be looked for in evidence: its terms by hash, their worth, its pairs of neighbours.
// Does not own the looking (features-measurer.ts), how measures are weighed (rank.ts) nor reading the message
// (features-message.ts).

import { termHash } from "./evidence-reader.ts";
import type { ReadMessage } from "./features-message.ts";

export { Measurer } from "./features-measurer.ts";

/** A message made ready to be looked for in evidence. */
export interface Probe {
  /** The most skills that have one of its terms: the more there are, the less one chance match means. */
  readonly reach: number;
  readonly terms: readonly string[];
  readonly weights: Float64Array;
  /** The message names the term only to turn it down. */
  readonly refused: readonly boolean[];
  /** The term stands where the message turns something down, perhaps elsewhere too. */
  readonly inRefusal: readonly boolean[];
  /** How telling each term is in this library, in nats, however often the message says it. */
  readonly rarities: Float64Array;
  /** Sum of all weights: what a skill with every word of the message would reach. */
  readonly mass: number;
  /** Distinct hashes of the terms, ascending, and the number of the term behind each. */
  readonly hashes: Int32Array;
  readonly numbers: Int32Array;
  /** Neighbours in the message, as numbers of their terms. */
  readonly pairFirst: Int32Array;
  readonly pairSecond: Int32Array;
  readonly pairWeights: Float64Array;
  readonly pairMass: number;
}

export interface ProbeInput {
  message: ReadMessage;
  /** What each of `message.terms` is worth, in their order. */
  weights: ArrayLike<number>;
  reach: number;
}

export function createProbe({ message, weights, reach }: ProbeInput): Probe {
  const count = message.terms.length;
  const own = Float64Array.from(weights);
  const pairs = new Set<number>();
  const pairFirst: number[] = [];
  const pairSecond: number[] = [];
  const pairWeights: number[] = [];
  for (let i = 1; i < message.order.length; i++) {
    const first = message.order[i - 1]!;
    const second = message.order[i]!;
    const key = first * count + second;
    if (first < 0 || second < 0 || first === second || pairs.has(key)) continue;
    pairs.add(key);
    pairFirst.push(first);
    pairSecond.push(second);
    pairWeights.push(Math.sqrt(own[first]! * own[second]!));
  }
  return {
    reach,
    terms: message.terms,
    weights: own,
    rarities: own.map((weight, i) => weight / message.factors[i]!),
    refused: message.refused,
    inRefusal: message.inRefusal,
    mass: sum(own),
    ...inHashOrder(message.terms),
    pairFirst: Int32Array.from(pairFirst),
    pairSecond: Int32Array.from(pairSecond),
    pairWeights: Float64Array.from(pairWeights),
    pairMass: sum(pairWeights),
  };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Of two terms with one hash the earlier stands for both. */
function inHashOrder(terms: readonly string[]): Pick<Probe, "hashes" | "numbers"> {
  const numbers = new Map<number, number>();
  terms.forEach((term, number) => {
    const hash = termHash(term);
    if (!numbers.has(hash)) numbers.set(hash, number);
  });
  const hashes = Int32Array.from(numbers.keys()).sort();
  return { hashes, numbers: hashes.map((hash) => numbers.get(hash)!) };
}
