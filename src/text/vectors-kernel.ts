// Owns the product of a matrix of signed bytes with a vector, in SIMD instructions. Does not own vectors or ranking.
//
// In the function's memory: the query widened to 16 bits, then one 32-bit result a row, then the rows.

import { assembler, op } from "./vectors-assembly.ts";

export interface DotKernel {
  values: Int8Array;
  dots: Int32Array;
  /** The products of the first `rows` rows, all of them by default. */
  run(query: Int8Array, rows?: number): void;
}

const LANE_BYTES = 16;

/** For each row: the sum over its lanes of row times query, in two accumulators that do not wait for each other. */
function source() {
  const [query, row, result, count, dims] = [0, 1, 2, 3, 4] as const;
  const [q, end, even, odd] = [5, 6, 7, 8] as const;
  const { get, set, tee, constant, add, subtract, below, storeWord, loop, again, vector } = op;
  const zero = vector.words(0, 0, 0, 0);
  const accumulate = (sum: number, rowOffset: number, queryOffset: number) => [
    ...[...get(sum), ...get(row), ...vector.loadWidened(rowOffset), ...get(q), ...vector.load(queryOffset)],
    ...[...vector.multiplyAddPairs, ...vector.addWords, ...set(sum)],
  ];
  const advance = (local: number, by: number) => [...get(local), ...constant(by), ...add, ...set(local)];
  const sumOfWords = [0, 1, 2, 3].flatMap((lane) => [
    ...get(even),
    ...vector.word(lane),
    ...(lane > 0 ? add : []),
  ]);
  const body = loop(
    [...zero, ...set(even), ...zero, ...set(odd)],
    [...get(query), ...set(q)],
    [...get(row), ...get(dims), ...add, ...set(end)],
    loop(accumulate(even, 0, 0), accumulate(odd, 8, LANE_BYTES), advance(q, 2 * LANE_BYTES), [
      ...get(row),
      ...constant(LANE_BYTES),
      ...add,
      ...tee(row),
      ...get(end),
      ...below,
      ...again,
    ]),
    [...get(even), ...get(odd), ...vector.addWords, ...set(even)],
    [...get(result), ...sumOfWords, ...storeWord],
    advance(result, 4),
    [...get(count), ...constant(1), ...subtract, ...tee(count), ...again],
  );
  return { parameters: 5, integers: 2, vectors: 2, body };
}

const assemble = assembler(source);

/** A kernel with room for the rows in its own memory; undefined when this host or this shape cannot use one. */
export function dotKernel(rows: number, dims: number): DotKernel | undefined {
  if (rows === 0 || dims === 0 || dims % LANE_BYTES !== 0) return undefined;
  const dotsAt = dims * 2;
  const rowsAt = dotsAt + Math.ceil((rows * 4) / LANE_BYTES) * LANE_BYTES;
  const kernel = assemble(rowsAt + rows * dims);
  if (kernel === undefined) return undefined;
  const wideQuery = new Int16Array(kernel.buffer, 0, dims);
  return {
    values: new Int8Array(kernel.buffer, rowsAt, rows * dims),
    dots: new Int32Array(kernel.buffer, dotsAt, rows),
    run(query, first = rows) {
      if (first === 0) return;
      wideQuery.set(query.length === dims ? query : query.subarray(0, dims));
      kernel.run(0, rowsAt, dotsAt, first, dims);
    },
  };
}
