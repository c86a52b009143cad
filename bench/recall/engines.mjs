// Owns the three contestants behind one interface: build from batches, search for the best hundred, tell their memory.

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { randomOf } from "./corpus.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const LIMIT = 100;
const DIMS = 256;
const FIELDS = ["name", "description", "headings", "text", "code"];
const WEIGHTS = { name: 12, description: 6, headings: 2, text: 1, code: 0.5 };
const PAYLOAD_BYTES = 1500;
const PASSAGES = 4;
export const CANDIDATES = { lexical: LIMIT, near: 40, payloads: 80 };

/** The source as one module, so that what is measured is what is in the tree. */
export async function bundleIndex(folder) {
  const file = join(folder, "index-bundle.mjs");
  await build({
    stdin: {
      contents: `export * from "./search/search.ts"; export * from "./text/tokens.ts";`,
      resolveDir: join(here, "../../src"),
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: file,
    logLevel: "error",
  });
  return file;
}

/** Vectors cost their embedder, not the index: any numbers serve. */
function invented({ quantize }, n) {
  const random = randomOf(n + 77);
  const row = () => Float32Array.from({ length: DIMS }, () => random(2001) - 1000);
  return { vector: quantize([row()], DIMS), passages: quantize(Array.from({ length: PASSAGES }, row), DIMS) };
}

export async function ours() {
  const folder = mkdtempSync(join(tmpdir(), "bench-recall-"));
  const bundle = await bundleIndex(folder);
  const module = await import(bundle);
  const { SearchIndex, tokenize, quantizeOne } = module;
  const options = { embedder: "bench", dims: DIMS };
  const path = join(folder, "index");
  let index;
  const query = (n) => quantizeOne(Float32Array.from({ length: DIMS }, (_, i) => Math.sin(n + i * i)));
  const indexed = (document) => ({
    ...document.extra,
    key: document.key,
    digest: document.key,
    fields: FIELDS.map((field) => tokenize(document[field])),
  });
  return {
    path,
    bundle,
    /** What comes with a document from elsewhere. */
    extra: (n) => ({ ...invented(module, n), payload: new Uint8Array(PAYLOAD_BYTES).fill(n) }),
    build(batches) {
      function* documents() {
        for (const batch of batches) yield* batch.map(indexed);
      }
      index = new SearchIndex(options);
      index.update({ upsert: documents() });
    },
    save() {
      const problem = index.save(path);
      if (problem) throw new Error(problem.message);
    },
    unload() {
      index.close();
      index = undefined;
    },
    /** As a long-lived process has it: terms and postings in memory, blobs on disk. */
    reopen() {
      const opened = SearchIndex.open(path, options);
      if (opened.problem) throw new Error(opened.problem.message);
      index = opened.index;
      index.load();
    },
    search: (message) => index.search(tokenize(message), { limit: LIMIT }).hits.length,
    nearest: (n) => index.nearest(query(n), CANDIDATES.near),
    /** Everything recall asks of the index for one message. */
    candidates(message, n) {
      const { hits } = index.search(tokenize(message), { limit: LIMIT });
      const near = index.nearest(query(n), CANDIDATES.near);
      const docs = [...hits, ...near].slice(0, CANDIDATES.payloads).map(({ doc }) => doc);
      for (const doc of docs) {
        index.key(doc);
        index.payload(doc);
      }
      index.closestPassages(query(n), docs);
    },
    update: (document) => index.update({ upsert: [indexed(document)] }),
    close() {
      index.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export function minisearch(peers) {
  const MiniSearch = createRequire(join(peers, "package.json"))("minisearch");
  const index = new MiniSearch({
    idField: "key",
    fields: FIELDS,
    searchOptions: { boost: WEIGHTS, combineWith: "OR" },
  });
  return {
    build(batches) {
      for (const batch of batches) index.addAll(batch);
    },
    search: (message) => index.search(message).slice(0, LIMIT).length,
    close() {},
  };
}

export function fts5(peers) {
  const Database = createRequire(join(peers, "package.json"))("libsql");
  const db = new Database(":memory:");
  db.exec(
    `create virtual table skills using fts5(key unindexed, ${FIELDS.join(", ")}, tokenize = 'porter unicode61')`,
  );
  const insert = db.prepare(`insert into skills values (?, ${FIELDS.map(() => "?").join(", ")})`);
  const weights = ["0", ...FIELDS.map((field) => WEIGHTS[field])].join(", ");
  let select;
  return {
    build(batches) {
      for (const batch of batches) {
        db.exec("begin");
        for (const document of batch) insert.run(document.key, ...FIELDS.map((field) => document[field]));
        db.exec("commit");
      }
      select = db.prepare(
        `select key from skills where skills match ? order by bm25(skills, ${weights}) limit ${LIMIT}`,
      );
    },
    search(message) {
      const words = new Set(message.toLowerCase().match(/[\p{L}\p{N}]+/gu));
      return select.all([...words].map((word) => `"${word}"`).join(" OR ")).length;
    },
    bytes: () =>
      db.prepare("pragma page_count").get().page_count * db.prepare("pragma page_size").get().page_size,
    close: () => db.close(),
  };
}
