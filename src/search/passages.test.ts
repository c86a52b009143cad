import { expect, test, vi } from "vitest";
import { closestOf, encodeRows, rowBytes } from "./passages.ts";
import { cosine, quantize, quantizeOne } from "./vectors.ts";

function noise(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = Math.imul(state, 0x5bd1e995) + 0x3c6ef372;
    return ((state >>> 8) & 0xffff) / 0x8000 - 1;
  };
}

/** Most of the length is in the first dimensions, as in embeddings that are sorted by variance. */
function skewedRows(count: number, dims: number, next: () => number) {
  const row = () => Array.from({ length: dims }, (_, i) => next() / (1 + i / 8));
  return quantize(Array.from({ length: count }, row), dims);
}

test.each([256, 384, 100])("cosines of rows of %i dimensions are found to within a tenth", (dims) => {
  const next = noise(dims);
  const query = skewedRows(1, dims, next);
  const groups = [3, 0, 24, 1, 700, 1500, 2].map((count) => skewedRows(count, dims, next));
  const found = closestOf(query, groups.map(encodeRows));
  groups.forEach((group, g) => {
    const cosines = Array.from(group.scales, (_, row) => cosine(query, group, row));
    expect(Math.abs(found[g]! - Math.max(0, ...cosines))).toBeLessThan(0.1);
  });
});

test("the kernel and plain code give the same cosines", async () => {
  const next = noise(9);
  const query = skewedRows(1, 256, next);
  const groups = [5, 0, 1100, 1].map((count) => encodeRows(skewedRows(count, 256, next)));
  const fast = closestOf(query, groups);
  vi.resetModules();
  vi.stubGlobal("WebAssembly", undefined);
  try {
    const plain = await import("./passages.ts");
    expect([...plain.closestOf(query, groups)]).toEqual([...fast]);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("a row is closest to itself", () => {
  const rows = skewedRows(40, 256, noise(9));
  const groups = Array.from({ length: 40 }, (_, row) =>
    encodeRows({
      dims: 256,
      values: rows.values.subarray(row * 256, (row + 1) * 256),
      scales: rows.scales.subarray(row, row + 1),
    }),
  );
  const query = { dims: 256, values: rows.values.slice(7 * 256, 8 * 256), scales: rows.scales.slice(7, 8) };
  const found = closestOf(query, groups);
  expect(found.indexOf(Math.max(...found))).toBe(7);
  expect(found[7]).toBeGreaterThan(0.95);
});

test("rows of zeros take no room and are close to nothing", () => {
  const rows = quantize([new Float32Array(16), Float32Array.from({ length: 16 }, (_, i) => i)], 16);
  const codes = encodeRows(rows);
  expect(codes).toHaveLength(rowBytes(16));
  expect(closestOf(quantizeOne(new Float32Array(16)), [codes])[0]).toBe(0);
});
