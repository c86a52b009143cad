import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { IndexDocument } from "./build.ts";
import type { SearchResult } from "./query.ts";
import { DEFAULT_PARAMS, inverseDocumentFrequency, occurrenceWeight } from "./scoring.ts";
import { type IndexOptions, SearchIndex } from "./search-index.ts";
import { quantize, quantizeOne } from "./vectors.ts";

function buildIndex(upsert: Iterable<IndexDocument>, options?: IndexOptions): SearchIndex {
  const index = new SearchIndex(options);
  index.update({ upsert });
  return index;
}

const WORDS = ["git", "merge", "docker", "test", "deploy", "table", "chart", "mail", "parse", "skill"];

const word = fc.constantFrom(...WORDS);
const field = fc.array(word, { maxLength: 8 });
const documents = fc.uniqueArray(
  fc.record({
    key: fc.stringMatching(/^[a-z]{1,3}$/),
    digest: fc.stringMatching(/^[0-9a-f]{4}$/),
    fields: fc.array(field, { minLength: 5, maxLength: 5 }),
  }),
  { selector: (d) => d.key, maxLength: 30 },
);
const query = fc.array(word, { minLength: 1, maxLength: 12 });

/** The formula, written independently, applied to every document. */
function bruteForce(docs: readonly IndexDocument[], terms: readonly string[]) {
  const { fields, k1 } = DEFAULT_PARAMS;
  const holds = (d: IndexDocument, term: string) => d.fields.some((f) => f.includes(term));
  const frequent = new Map(terms.map((term) => [term, docs.filter((d) => holds(d, term)).length]));
  const scored = docs.map((d) => {
    let score = 0;
    for (const term of new Set(terms)) {
      let x = 0;
      fields.forEach((params, f) => {
        const found = (d.fields[f] ?? []).filter((t) => t === term).length;
        for (let i = 0; i < found; i++) x += occurrenceWeight(params, d.fields[f]!.length);
      });
      if (x === 0) continue;
      const df = frequent.get(term)!;
      const frequency = terms.filter((t) => t === term).length;
      const weight = (1 + Math.log(frequency)) * inverseDocumentFrequency(df, docs.length);
      score += (weight * Math.max(1, Math.round((255 * x) / (k1 + x)))) / 255;
    }
    return { key: d.key, score };
  });
  return scored.filter((s) => s.score > 0).sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
}

function answer(index: SearchIndex, terms: readonly string[], limit = 10) {
  return index.search(terms, { limit }).hits.map(({ doc, score }) => ({ key: index.key(doc), score }));
}

test("the top documents are those of the formula applied to every document", () => {
  fc.assert(
    fc.property(documents, query, fc.integer({ min: 1, max: 12 }), (docs, terms, limit) => {
      const found = answer(buildIndex(docs), terms, limit);
      const expected = bruteForce(docs, terms);
      expect(found.length).toBe(Math.min(limit, expected.length));
      const scores = new Map(expected.map((e) => [e.key, e.score]));
      found.forEach(({ key, score }, rank) => {
        expect(score).toBeCloseTo(scores.get(key)!, 4);
        expect(score).toBeCloseTo(expected[rank]!.score, 4);
      });
    }),
  );
});

test("documents in any order give the same answer, ties included", () => {
  fc.assert(
    fc.property(documents, query, (docs, terms) => {
      const forwards = answer(buildIndex(docs), terms);
      expect(answer(buildIndex([...docs].reverse()), terms)).toEqual(forwards);
    }),
  );
});

test("any history of updates answers like a fresh build", () => {
  const step = fc.record({
    upsert: documents,
    remove: fc.array(fc.stringMatching(/^[a-z]{1,2}$/), { maxLength: 8 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), query, (steps, terms) => {
      const index = buildIndex([]);
      const expected = new Map<string, IndexDocument>();
      for (const { upsert, remove } of steps) {
        index.update({ upsert, remove });
        for (const key of remove) expected.delete(key);
        for (const d of upsert) expected.set(d.key, d);
      }
      const fresh = buildIndex(expected.values());
      expect(index.size).toBe(expected.size);
      expect(answer(index, terms)).toEqual(answer(fresh, terms));
      const frequencies = (of: SearchIndex) => of.search(WORDS, { limit: 1 }).terms;
      expect(frequencies(index)).toEqual(frequencies(fresh));
      const digests = index.documents().map((d) => [d.key, d.digest]);
      expect(new Map(digests as [string, string][])).toEqual(
        new Map([...expected].map(([k, d]) => [k, d.digest])),
      );
    }),
  );
});

/** Many documents, common and rare words: large enough that pruning and the budget come into play. */
function largeCorpus(size: number): IndexDocument[] {
  let state = 7;
  const below = (n: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  const zipf = () => `w${Math.floor(2000 ** (below(10_000) / 10_000)) - 1}`;
  return Array.from({ length: size }, (_, n) => ({
    key: `doc-${String(below(1_000_000)).padStart(6, "0")}-${n}`,
    digest: String(n),
    fields: [[zipf()], [zipf(), zipf(), zipf()], [], Array.from({ length: 40 }, zipf), []],
  }));
}

test("skipping what cannot matter changes no score and no rank", () => {
  const docs = largeCorpus(3000);
  const index = buildIndex(docs);
  for (const terms of [
    ["w900", "w0", "w1"],
    ["w0", "w1", "w2", "w3"],
    ["w700", "w30", "w5", "w0", "w1", "w2"],
  ]) {
    const expected = bruteForce(docs, terms).slice(0, 10);
    const found = answer(index, terms);
    found.forEach(({ key, score }, i) => {
      expect(score).toBeCloseTo(expected[i]!.score, 4);
      expect(key).toBe(expected[i]!.key);
    });
  }
});

test("beyond the posting budget scores stay whole, and the leaders stay the same", () => {
  const docs = largeCorpus(3000);
  const index = buildIndex(docs);
  const terms = ["w900", "w700", "w30", "w5", "w0", "w1", "w2"];
  const exact = index.search(terms, { limit: 5, postingBudget: Number.POSITIVE_INFINITY });
  const bounded = index.search(terms, { limit: 5, postingBudget: 500 });
  expect(bounded.hits[0]).toEqual(exact.hits[0]);
  const all = index.search(terms, { limit: 3000, postingBudget: Number.POSITIVE_INFINITY }).hits;
  const scores = new Map(all.map((h) => [h.doc, h.score]));
  for (const { doc, score } of bounded.hits) expect(score).toBe(scores.get(doc));
});

test("the budget's answer does not depend on how the index came about", () => {
  const docs = largeCorpus(3000);
  const whole = buildIndex(docs);
  const grown = buildIndex(docs.slice(0, 2000));
  for (let i = 2000; i < 3000; i += 250) grown.update({ upsert: docs.slice(i, i + 250) });
  const ask = (index: SearchIndex) =>
    index
      .search(["w900", "w30", "w5", "w0", "w1"], { limit: 20, postingBudget: 500 })
      .hits.map(({ doc, score }) => [index.key(doc), score]);
  expect(ask(grown)).toEqual(ask(whole));
});

test("a filtered index answers like an index of the allowed documents alone", () => {
  const docs = largeCorpus(500);
  const odd = docs.filter((_, i) => i % 2 === 1);
  const keys = new Set(odd.map(({ key }) => key));
  const filtered = buildIndex(docs).filter((key) => keys.has(key));
  const query = ["w0", "w5", "w900"];
  expect(answer(filtered, query)).toEqual(answer(buildIndex(odd), query));
  expect(filtered.size).toBe(odd.length);
  expect(filtered.find(docs[0]!.key)).toBeUndefined();
});

test("a score never exceeds the sum of the terms' weights, and unknown terms change no hit", () => {
  fc.assert(
    fc.property(documents, query, (docs, terms) => {
      const index = buildIndex(docs);
      const ceiling = (of: SearchResult) => of.terms.reduce((sum, { weight }) => sum + weight, 0);
      const found = index.search(terms, { limit: 5 });
      const { hits } = found;
      for (const { score } of hits) expect(score).toBeLessThanOrEqual(ceiling(found));
      const wider = index.search([...terms, "unheard-of"], { limit: 5 });
      expect(ceiling(wider)).toBeGreaterThan(ceiling(found));
      expect(wider.hits.map((h) => h.doc)).toEqual(hits.map((h) => h.doc));
    }),
  );
});

test("the caller's term weights replace the inverse document frequency", () => {
  const fields = (text: string) => [[], text.split(" "), [], [], []];
  const index = buildIndex([
    { key: "a", digest: "", fields: fields("git") },
    { key: "b", digest: "", fields: fields("merge") },
  ]);
  const termWeight = (term: string) => (term === "merge" ? 2 : 1);
  expect(answer(index, ["git", "merge"]).map((h) => h.key)).toEqual(["a", "b"]);
  expect(index.search(["git", "merge"], { limit: 1, termWeight }).hits.map((h) => index.key(h.doc))).toEqual([
    "b",
  ]);
});

test("payloads and digests come back as they were given and passages are found, after merges too", () => {
  const passages = quantize([Array.from({ length: 16 }, (_, i) => Math.sin(i * i))], 16);
  const make = (n: number): IndexDocument => ({
    key: `k${n}`,
    digest: `d${n}`,
    fields: [["name"]],
    payload: Uint8Array.from([n, n + 1, n + 2]),
    passages,
  });
  const index = buildIndex([make(1)], { dims: 16 });
  for (let n = 2; n < 12; n++) index.update({ upsert: [make(n)], remove: [`k${n - 2}`] });
  expect(index.size).toBe(2);
  const doc = index.find("k11")!;
  expect([...index.payload(doc)]).toEqual([11, 12, 13]);
  expect(index.documents().find((d) => d.doc === doc)).toEqual({ doc, key: "k11", digest: "d11" });
  expect(index.closestPassages(passages, [doc])[0]).toBeGreaterThan(0.9);
  expect(index.find("k3")).toBeUndefined();
});

test("small updates and one large update make the same index, with lists of any density", () => {
  const make = (n: number): IndexDocument => ({
    key: `k${String(n).padStart(4, "0")}`,
    digest: "",
    fields: [[`own${n}`], ["all", `third${n % 3}`], [], [`far${n % 900}`, `mid${n % 40}`], []],
  });
  const all = Array.from({ length: 2000 }, (_, n) => make(n));
  const whole = buildIndex(all);
  const grown = buildIndex([]);
  for (let from = 0; from < all.length; from += 64) grown.update({ upsert: all.slice(from, from + 64) });
  for (const terms of [["own1999"], ["all"], ["third2", "far1899", "mid7"], ["far5"]]) {
    expect(answer(grown, terms)).toEqual(answer(whole, terms));
    expect(grown.search(terms, { limit: 5 }).terms).toEqual(whole.search(terms, { limit: 5 }).terms);
  }
  grown.update({ remove: ["k0005", "k1999"] });
  expect(grown.search(["own1999", "far5", "all"], { limit: 5 }).terms.map(({ df }) => df)).toEqual([
    0, 2, 1998,
  ]);
});

test("the nearest vectors are found exactly, across updates, the removed left out", () => {
  const vectorOf = (n: number) =>
    quantizeOne(Array.from({ length: 16 }, (_, i) => Math.sin(n * 7 + i * (n % 13))));
  const make = (n: number): IndexDocument => ({ key: `k${n}`, digest: "", fields: [], vector: vectorOf(n) });
  const all = Array.from({ length: 700 }, (_, n) => make(n));
  const fresh = buildIndex(all.slice(5), { dims: 16 });
  const grown = buildIndex(all.slice(0, 600), { dims: 16 });
  grown.update({ upsert: all.slice(600), remove: ["k0", "k1", "k2", "k3", "k4"] });
  const ask = (index: SearchIndex) =>
    index.nearest(vectorOf(321), 10).map((h) => [index.key(h.doc), h.score]);
  expect(ask(fresh)[0]).toEqual(["k321", expect.closeTo(1, 6)]);
  expect(ask(grown)).toEqual(ask(fresh));
});

test("vectors of the wrong width are refused with the document's name", () => {
  const vector = quantizeOne([1, 2, 3]);
  expect(() => buildIndex([{ key: "odd", digest: "", fields: [], vector }], { dims: 4 })).toThrow(
    /"odd".*3.*4/,
  );
});

test("copies share their payload on disk, and each of them still has it", () => {
  const folder = mkdtempSync(join(tmpdir(), "search-copies-"));
  const payloadOf = (n: number) => Uint8Array.from({ length: 5000 }, (_, i) => (i * 31 + n * 7) & 255);
  const save = (name: string, payload: (n: number) => Uint8Array) => {
    const upsert = Array.from({ length: 40 }, (_, n) => ({
      key: `k${n}`,
      digest: "1",
      fields: [["word"]],
      payload: payload(n),
    }));
    const path = join(folder, name);
    buildIndex(upsert).save(path);
    return path;
  };
  try {
    const distinct = save("distinct", (n) => payloadOf(n));
    const copies = save("copies", (n) => payloadOf(n % 4));
    const payloads = statSync(distinct).size - statSync(copies).size;
    expect(payloads).toBeGreaterThanOrEqual(36 * 5000);
    const opened = SearchIndex.open(copies);
    if ("problem" in opened) throw new Error(opened.problem.code);
    for (let n = 0; n < 40; n++)
      expect(opened.index.payload(opened.index.find(`k${n}`)!)).toEqual(payloadOf(n % 4));
    opened.index.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
