import fc from "fast-check";
import { expect, test } from "vitest";
import { cosine, Int8Matrix, quantize, quantizeOne } from "./vectors.ts";

function noise(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = Math.imul(state, 0x5bd1e995) + 0x3c6ef372;
    return ((state >>> 8) & 0xffff) / 0x8000 - 1;
  };
}

function randomMatrix(rows: number, dims: number, withKernel: boolean) {
  const next = noise(rows * 31 + dims);
  const fill = (values: Int8Array) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.round(next() * 127);
  };
  return Int8Matrix.fill(rows, dims, fill, withKernel);
}

test("the kernel and plain code give the same dot products, for any shape", () => {
  for (const dims of [16, 48, 256, 384]) {
    for (const rows of [1, 2, 7, 600]) {
      const fast = randomMatrix(rows, dims, true);
      const plain = randomMatrix(rows, dims, false);
      const query = Int8Array.from({ length: dims }, noise(dims)).map((_, i) => ((i * 37) % 255) - 127);
      expect(fast.accelerated).toBe(true);
      expect([...fast.dots(query)]).toEqual([...plain.dots(query)]);
    }
  }
});

test("the kernel and plain code find the same close rows", () => {
  const [fast, plain] = [true, false].map((withKernel) => {
    const next = noise(5);
    return Int8Matrix.fill(
      700,
      64,
      (values, scales) => {
        for (let i = 0; i < values.length; i++) values[i] = Math.round(next() * 127);
        for (let i = 0; i < scales.length; i++) scales[i] = i % 50 === 0 ? 0 : Math.abs(next()) / 500;
      },
      withKernel,
    );
  }) as [Int8Matrix, Int8Matrix];
  const query = Int8Array.from({ length: 64 }, (_, i) => ((i * 37) % 255) - 127);
  const products = fast.dots(query);
  plain.dots(query);
  for (const least of [-1e9, -20, 0, 5, 60, 1e9]) {
    const expected = [...products.keys()].filter((row) => products[row]! * fast.scales[row]! * 0.7 >= least);
    for (const matrix of [fast, plain]) {
      const found: number[] = [];
      for (let row = matrix.nextReaching(0, 0.7, least); row < 700; )
        row = matrix.nextReaching(found[found.push(row) - 1]! + 1, 0.7, least);
      expect(found).toEqual(expected);
    }
  }
});

test("the extremes of a byte do not overflow", () => {
  for (const sign of [-127, 127]) {
    const matrix = Int8Matrix.fill(3, 1024, (values) => values.fill(sign), true);
    expect([...matrix.dots(new Int8Array(1024).fill(127))]).toEqual(new Array(3).fill(sign * 127 * 1024));
  }
});

test("a width the kernel cannot hold is answered by plain code", () => {
  const matrix = Int8Matrix.fill(2, 10, (values) => values.set([1, 2, 3], 10), true);
  expect(matrix.accelerated).toBe(false);
  expect([...matrix.dots(new Int8Array(10).fill(2))]).toEqual([0, 12]);
});

test("a quantised vector stays within a degree of the vector it came from", () => {
  const component = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(component, { minLength: 64, maxLength: 64 }), (vector) => {
      fc.pre(vector.some((x) => Math.abs(x) > 1e-3));
      const { values, scales } = quantizeOne(vector);
      let dot = 0;
      let squares = 0;
      vector.forEach((x, i) => {
        dot += x * values[i]! * scales[0]!;
        squares += x * x;
      });
      expect(dot / Math.sqrt(squares)).toBeGreaterThan(Math.cos(Math.PI / 180));
    }),
  );
});

test("cosine is 1 with itself, -1 with its negative, 0 with nothing", () => {
  const vector = [0.2, -0.5, 0.1, 0.9];
  const rows = quantize([vector, vector.map((x) => -x), [0, 0, 0, 0]], 4);
  const query = quantizeOne(vector);
  expect(cosine(query, rows, 0)).toBeCloseTo(1, 6);
  expect(cosine(query, rows, 1)).toBeCloseTo(-1, 6);
  expect(cosine(query, rows, 2)).toBe(0);
});

test("numbers that are no numbers make a vector that is near nothing", () => {
  expect(quantizeOne([Number.NaN, Number.POSITIVE_INFINITY, 1, 2]).scales[0]).toBe(0);
});
