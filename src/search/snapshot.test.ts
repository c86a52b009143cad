import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IndexDocument } from "./build.ts";
import { checksum } from "./checksum.ts";
import { DEFAULT_PARAMS } from "./scoring.ts";
import { type IndexOptions, SearchIndex } from "./search-index.ts";
import { quantize, quantizeOne } from "./vectors.ts";

const DIMS = 16;
const OPTIONS = { embedder: "waves", dims: DIMS };
const QUERY = ["word3", "word7", "common", "absent"];

function buildIndex(upsert: Iterable<IndexDocument>, options?: IndexOptions): SearchIndex {
  const index = new SearchIndex(options);
  index.update({ upsert });
  return index;
}

function vectorOf(n: number) {
  return Array.from({ length: DIMS }, (_, i) => Math.sin(n * 3 + i * ((n % 7) + 1)));
}

function make(n: number): IndexDocument {
  return {
    key: `skill-${n}`,
    digest: `digest-${n}`,
    marks: [`odd ${n % 2}`],
    fields: [[`name${n}`], [`word${n % 10}`, "common"], [], [`text${n % 3}`, `word${n % 4}`], []],
    payload: new TextEncoder().encode(`payload of ${n} `.repeat(n % 40)),
    vector: quantizeOne(vectorOf(n)),
    passages: quantize([vectorOf(n + 1), vectorOf(n + 2)], DIMS),
  };
}

/** Everything a caller can learn from the index, by key. */
function everything(index: SearchIndex) {
  const { hits, terms } = index.search(QUERY, { limit: 20 });
  return {
    size: index.size,
    terms,
    hits: hits.map(({ doc, score }) => [
      index.key(doc),
      score,
      [...index.payload(doc)],
      index.closestPassages(quantizeOne(vectorOf(3)), [doc])[0],
    ]),
    near: index.nearest(quantizeOne(vectorOf(5)), 5).map(({ doc, score }) => [index.key(doc), score]),
    documents: index
      .documents()
      .map(({ key, digest }) => [key, digest])
      .sort(),
    odd: index
      .marked("odd 1")
      .map((doc) => index.key(doc))
      .sort(),
    unmarked: index.marked("odd 2"),
    found: ["skill-1", "skill-9", "nobody"].map((key) => index.find(key) !== undefined),
  };
}

function reopen(path: string): SearchIndex {
  const opened = SearchIndex.open(path, OPTIONS);
  if ("problem" in opened) throw new Error(opened.problem.message);
  return opened.index;
}

let folder: string;
let path: string;
const documents = Array.from({ length: 120 }, (_, n) => make(n));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "snapshot-"));
  path = join(folder, "whole.idx");
  expect(buildIndex(documents, OPTIONS).save(path, "as of now")).toBeUndefined();
});

afterAll(() => rmSync(folder, { recursive: true }));

test("a reopened index answers as the one that was saved, lazily and loaded alike", () => {
  const expected = everything(buildIndex(documents, OPTIONS));
  const index = reopen(path);
  expect(index.stamp).toBe("as of now");
  expect(everything(index)).toEqual(expected);
  index.load();
  expect(everything(index)).toEqual(expected);
  index.close();
});

test("the first query reads the vectors piece by piece and later ones keep them, with the same answers", () => {
  const dims = 32;
  const vectorAt = (n: number) => Array.from({ length: dims }, (_, i) => Math.sin(n * 7 + i * (1 + (n % 5))));
  const many = Array.from({ length: 5000 }, (_, n) => ({
    key: `skill-${n}`,
    digest: String(n),
    fields: [["word"]],
    vector: quantizeOne(vectorAt(n)),
  }));
  const options = { embedder: "test", dims };
  const own = join(folder, "many.idx");
  const whole = buildIndex(many, options);
  whole.save(own);
  const answer = (index: SearchIndex, n: number) => {
    const query = quantizeOne(vectorAt(n));
    const near = index.nearest(query, 20).map(({ doc, score }) => [index.key(doc), score]);
    return { near, similarity: index.similarity(query, index.find("skill-4321")!) };
  };
  const opened = SearchIndex.open(own, options);
  if ("problem" in opened) throw new Error(opened.problem.message);
  for (const n of [17, 17, 4000, 17]) expect(answer(opened.index, n)).toEqual(answer(whole, n));
  opened.index.close();
  // Damage in the last vectors shows in the first query, too.
  const bytes = readFileSync(own);
  const last = Buffer.from(Int8Array.from(quantizeOne(vectorAt(999)).values).buffer);
  bytes[bytes.indexOf(last)]! ^= 1;
  writeFileSync(own, bytes);
  const damaged = SearchIndex.open(own, options);
  if ("problem" in damaged) throw new Error(damaged.problem.message);
  expect(damaged.index.nearest(quantizeOne(vectorAt(17)), 5)).toEqual([]);
  expect(damaged.index.damage).toBeDefined();
  damaged.index.close();
});

test("an index goes on answering after it was saved", () => {
  const index = buildIndex(documents, OPTIONS);
  const before = everything(index);
  index.save(join(folder, "goes-on.idx"));
  expect(everything(index)).toEqual(before);
  index.close();
});

test("the same documents in any order make the same file", () => {
  const other = join(folder, "other.idx");
  buildIndex([...documents].reverse(), OPTIONS).save(other, "as of now");
  expect(readFileSync(other).equals(readFileSync(path))).toBe(true);
});

test("a few changes are saved beside the whole, and found again", () => {
  const own = join(folder, "changed.idx");
  copyFileSync(path, own);
  const index = reopen(own);
  const replaced = { ...make(7), digest: "newer", fields: [["name7"], ["word3"], [], [], []] };
  index.update({ upsert: [make(500), replaced], remove: ["skill-9"] });
  index.save(own, "later");
  expect(existsSync(`${own}.delta`)).toBe(true);
  expect(readFileSync(own).equals(readFileSync(path))).toBe(true);
  const current = [
    ...documents.filter((d) => d.key !== "skill-9" && d.key !== "skill-7"),
    make(500),
    replaced,
  ];
  const again = reopen(own);
  expect(again.stamp).toBe("later");
  expect(everything(again)).toEqual(everything(buildIndex(current, OPTIONS)));
  again.close();
  index.close();
});

test("many changes are saved as a new whole", () => {
  const own = join(folder, "many.idx");
  copyFileSync(path, own);
  const index = reopen(own);
  index.update({ upsert: [make(500)] });
  index.save(own);
  const added = Array.from({ length: 60 }, (_, n) => make(600 + n));
  index.update({ upsert: added });
  index.save(own);
  expect(existsSync(`${own}.delta`)).toBe(false);
  expect(everything(reopen(own))).toEqual(
    everything(buildIndex([...documents, make(500), ...added], OPTIONS)),
  );
});

test("changes to a whole that was replaced meanwhile are ignored", () => {
  const own = join(folder, "overtaken.idx");
  copyFileSync(path, own);
  const slow = reopen(own);
  slow.update({ upsert: [make(500)] });
  const fast = documents.slice(0, 50);
  buildIndex(fast, OPTIONS).save(own, "fast");
  slow.save(own, "slow");
  const index = reopen(own);
  expect(index.stamp).toBe("fast");
  expect(everything(index)).toEqual(everything(buildIndex(fast, OPTIONS)));
});

test("a reader keeps its answers while another process replaces the file", () => {
  const own = join(folder, "replaced.idx");
  copyFileSync(path, own);
  const reader = reopen(own);
  buildIndex(documents.slice(0, 10), OPTIONS).save(own);
  expect(everything(reader)).toEqual(everything(buildIndex(documents, OPTIONS)));
});

test("saving leaves no temporary file, and a failed save says what to do", () => {
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  const problem = buildIndex(documents, OPTIONS).save(join(folder, "no", "such", "folder.idx"));
  expect(problem).toMatchObject({ code: "index-unwritable", message: expect.stringContaining("folder.idx") });
});

test("a save removes the temporary files of dead writers, and no file that may still be written", () => {
  const own = mkdtempSync(join(folder, "temporary-"));
  const target = join(own, "recall.index");
  const long = new Date(Date.now() - 3_600_000);
  for (const name of ["recall.index.1-0.tmp", "other.index.1-0.tmp"]) {
    writeFileSync(join(own, name), "half");
    utimesSync(join(own, name), long, long);
  }
  writeFileSync(join(own, "recall.index.2-0.tmp"), "half");
  expect(buildIndex(documents, OPTIONS).save(target)).toBeUndefined();
  expect(readdirSync(own).sort()).toEqual(["other.index.1-0.tmp", "recall.index", "recall.index.2-0.tmp"]);
  expect("index" in SearchIndex.open(target, OPTIONS)).toBe(true);
});

test("an absent, foreign or differently made index is refused with its reason", () => {
  const foreign = join(folder, "foreign.idx");
  writeFileSync(foreign, "PNG is not an index, however long it may be: ".repeat(10));
  const codeOf = (file: string, options = {}) => {
    const opened = SearchIndex.open(file, { ...OPTIONS, ...options });
    return "problem" in opened ? opened.problem.code : "opened";
  };
  expect(codeOf(join(folder, "absent.idx"))).toBe("index-missing");
  expect(codeOf(folder)).toBe("index-damaged");
  expect(codeOf(foreign)).toBe("index-damaged");
  expect(codeOf(path, { embedder: "other" })).toBe("index-mismatch");
  expect(codeOf(path, { params: { ...DEFAULT_PARAMS, k1: 2 } })).toBe("index-mismatch");
  expect(codeOf(path)).toBe("opened");
});

test("an index of another version is outdated, not damaged", () => {
  const file = join(folder, "outdated.idx");
  const bytes = readFileSync(path);
  bytes.writeUInt32LE(bytes.readUInt32LE(8) - 1, 8);
  bytes.writeUInt32LE(checksum(bytes.subarray(0, 44)), 44);
  writeFileSync(file, bytes);
  expect(SearchIndex.open(file, OPTIONS)).toMatchObject({ problem: { code: "index-outdated" } });
});

/** Either refused or damaged and said so, or right in every answer. */
function rightOrRefused(file: string, expected: unknown, load: boolean): boolean {
  const opened = SearchIndex.open(file, OPTIONS);
  if ("problem" in opened) return true;
  const { index } = opened;
  if (load) index.load();
  const answers = everything(index);
  if (index.damage === undefined) expect(answers).toEqual(expected);
  index.close();
  return index.damage !== undefined;
}

test("a changed byte anywhere is noticed or does no harm", () => {
  const bytes = readFileSync(path);
  const file = join(folder, "flipped.idx");
  const expected = everything(reopen(path));
  let refused = 0;
  fc.assert(
    fc.property(
      fc.nat(bytes.length - 1),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      (at, flip, load) => {
        const changed = Buffer.from(bytes);
        changed[at] = bytes[at]! ^ flip;
        writeFileSync(file, changed);
        if (rightOrRefused(file, expected, load)) refused++;
      },
    ),
    { numRuns: 300 },
  );
  expect(refused).toBeGreaterThan(100);
});

test("each byte of the header and the table is watched over", () => {
  const bytes = readFileSync(path);
  const file = join(folder, "header.idx");
  for (let at = 0; at < bytes.length; at += at < 48 ? 1 : 997) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 0x10;
    writeFileSync(file, changed);
    const opened = SearchIndex.open(file, OPTIONS);
    if (at < 48) expect("problem" in opened).toBe(true);
    if ("index" in opened) opened.index.close();
  }
});

test("a file cut short anywhere is refused", () => {
  const file = join(folder, "cut.idx");
  const { length } = readFileSync(path);
  fc.assert(
    fc.property(fc.nat(length - 1), (keep) => {
      copyFileSync(path, file);
      truncateSync(file, keep);
      expect("problem" in SearchIndex.open(file, OPTIONS)).toBe(true);
    }),
  );
});

test("any bytes at all are refused without an exception", () => {
  const file = join(folder, "noise.idx");
  const head = readFileSync(path).subarray(0, 16);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (noise, withHead) => {
      writeFileSync(file, withHead ? Buffer.concat([head, noise]) : noise);
      expect("problem" in SearchIndex.open(file, OPTIONS)).toBe(true);
    }),
  );
});

test("damage that appears after opening empties the answers and is reported once for all", () => {
  const file = join(folder, "later.idx");
  copyFileSync(path, file);
  const index = reopen(file);
  const bytes = readFileSync(path);
  writeFileSync(file, bytes.fill(0xff, 48, bytes.length));
  expect(index.search(QUERY, { limit: 5 }).hits).toEqual([]);
  expect(index.damage).toMatchObject({ code: "index-damaged", message: expect.stringContaining("Rebuild") });
  expect(index.documents()).toEqual([]);
  expect(index.save(file)).toMatchObject({ code: "index-damaged" });
});

/** More than one segment holds. */
const MANY = Array.from({ length: 16_400 }, (_, n): IndexDocument => {
  return { key: `skill-${n}`, digest: "1", fields: [[`word${n % 50}`], ["common"]] };
});

test("an index that waits on disk while it is built answers and is saved as one in memory", () => {
  const spilled = mkdtempSync(join(folder, "spilled-"));
  const file = join(spilled, "large.idx");
  const inMemory = buildIndex(MANY);
  const onDisk = buildIndex(MANY, { path: file });
  const ask = (index: SearchIndex) => index.search(["word7", "common"], { limit: 400 });
  expect(ask(onDisk)).toEqual(ask(inMemory));
  expect(readdirSync(spilled)).toEqual([]);
  expect(onDisk.save(file)).toBeUndefined();
  expect(ask(onDisk)).toEqual(ask(inMemory));
  expect(inMemory.save(join(spilled, "memory.idx"))).toBeUndefined();
  expect(readFileSync(file).equals(readFileSync(join(spilled, "memory.idx")))).toBe(true);
  onDisk.close();
});

test("an index whose folder cannot be written is built in memory", () => {
  const index = buildIndex(MANY, { path: join(folder, "missing", "large.idx") });
  expect(index.search(["word7"], { limit: 400 }).hits.length).toBe(328);
  expect(index.damage).toBeUndefined();
});
