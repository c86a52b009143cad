import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ByteSource } from "./bytes.ts";
import { compareHashes, hashTerm, type TermEntry, TermTable, TermTableWriter } from "./terms.ts";

/** Entries in hash order, lists and single postings. `high` is kept below `span`, so that small spans share high halves. */
function entriesOf(count: number, span: number): TermEntry[] {
  const found = new Map<string, TermEntry>();
  let where = 0;
  const hashes = Array.from({ length: count }, (_, n) => hashTerm(`term${n}`)).map(({ high, low }) => ({
    high: Math.floor((high / 2 ** 32) * span),
    low,
  }));
  for (const [n, { high, low }] of hashes.sort(compareHashes).entries()) {
    const impact = (n * 37) % 256;
    if (n % 3 === 0) {
      found.set(`${high} ${low}`, {
        high,
        low,
        count: 2 + ((n * 91) % 16_383),
        maxImpact: impact,
        where,
        asGaps: n % 2 === 0,
      });
      where += n % 5 === 0 ? 24_000 : 3;
    } else {
      const single = (impact << 16) | ((n * 13) % 16_384);
      found.set(`${high} ${low}`, { high, low, count: 1, maxImpact: impact, where: single, asGaps: false });
    }
  }
  return [...found.values()];
}

function tableOf(entries: readonly TermEntry[]): ByteSource {
  const writer = new TermTableWriter();
  for (const entry of entries) writer.push(entry);
  return writer.finish();
}

/** The same bytes as a file would give them. */
function notResident(source: ByteSource): ByteSource {
  return { ...source, resident: false, read: (offset, length) => source.read(offset, length).slice() };
}

describe("the term table", () => {
  // One page, some wide pages, many narrow pages, and pages that share a high half.
  const cases = [
    [1, 2 ** 32],
    [300, 2 ** 32],
    [20_000, 2 ** 32],
    [40_000, 2 ** 28],
    [20_000, 60],
  ] as const;

  test.each(cases)("of %i terms with high halves below %i gives back each entry, in order", (count, span) => {
    const entries = entriesOf(count, span);
    for (const source of [tableOf(entries), notResident(tableOf(entries))]) {
      const table = new TermTable(source);
      expect([...table.entries()]).toEqual(entries);
      expect(entries.map((entry) => table.lookup(entry))).toEqual(entries);
    }
  });

  test("finds no term that it does not have", () => {
    const entries = entriesOf(20_000, 2 ** 28);
    const table = new TermTable(tableOf(entries));
    const known = new Set(entries.map(({ high, low }) => `${high} ${low}`));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 255 }), (high, low) => {
        if (!known.has(`${high} ${low}`)) expect(table.lookup({ high, low })).toBeUndefined();
      }),
    );
    for (const { high, low } of entries.slice(0, 500))
      if (!known.has(`${high} ${(low + 1) & 255}`))
        expect(table.lookup({ high, low: (low + 1) & 255 })).toBeUndefined();
  });

  test("is empty without terms", () => {
    const table = new TermTable(tableOf([]));
    expect(table.lookup(hashTerm("any"))).toBeUndefined();
    expect([...table.entries()]).toEqual([]);
  });

  test("takes some nine bytes for a term if two of three are rare", () => {
    const entries = entriesOf(60_000, 2 ** 32);
    expect(tableOf(entries).length / entries.length).toBeLessThan(9.5);
  });
});
