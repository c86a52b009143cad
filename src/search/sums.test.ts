import { expect, test, vi } from "vitest";
import { SearchIndex } from "./search-index.ts";

/** Documents with common and rare terms, so that lists are stored as gaps, as numbers, and alone. */
function libraryOf(Index: typeof SearchIndex): SearchIndex {
  const index = new Index();
  const terms = (n: number) => [
    "all",
    `mod${n % 3}`,
    `mod${n % 700}`,
    `only${n}`,
    ...(n > 4000 ? ["late"] : []),
  ];
  const upsert = Array.from({ length: 5000 }, (_, n) => ({
    key: `k${n}`,
    digest: "1",
    fields: [terms(n), Array.from({ length: n % 7 }, () => "all")],
  }));
  index.update({ upsert });
  return index;
}

const QUERIES = [["all"], ["mod1", "late"], ["only4711", "mod2", "all"], ["mod699", "only3"], ["none"]];

test("the kernel and plain code give the same hits", async () => {
  const fast = libraryOf(SearchIndex);
  vi.resetModules();
  vi.stubGlobal("WebAssembly", undefined);
  try {
    const { SearchIndex: Plain } = await import("./search-index.ts");
    const plain = libraryOf(Plain);
    for (const query of QUERIES)
      for (const limit of [0, 1, 100])
        expect(plain.search(query, { limit })).toEqual(fast.search(query, { limit }));
  } finally {
    vi.unstubAllGlobals();
  }
  expect(fast.search(["only4711"], { limit: 5 }).hits).toHaveLength(1);
  expect(fast.search(["late"], { limit: 2000 }).hits).toHaveLength(999);
});
