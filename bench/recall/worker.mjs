// Owns measuring one contestant at one size, in a process of its own. Prints one line of JSON.
// node --expose-gc worker.mjs '{"engine":"ours","size":1000}'

import { execFileSync } from "node:child_process";
import { openCorpus } from "./corpus.mjs";
import { fts5, minisearch, ours } from "./engines.mjs";

const { engine: name, size, corpus: dir, peers, rounds } = JSON.parse(process.argv[2]);
const BATCH = 500;
const MESSAGES = 20;
const corpus = openCorpus(dir);
const engine = name === "ours" ? await ours() : name === "minisearch" ? minisearch(peers) : fts5(peers);

function memory() {
  for (let i = 0; i < 4; i++) globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Making the documents is not what is measured. */
let making = 0;
function* batches() {
  for (let from = 0; from < size; from += BATCH) {
    const begin = performance.now();
    const batch = Array.from({ length: Math.min(BATCH, size - from) }, (_, i) => {
      const document = corpus.document(from + i);
      return engine.extra ? { ...document, extra: engine.extra(from + i) } : document;
    });
    making += performance.now() - begin;
    yield batch;
  }
}

function timed(work) {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

function percentiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p95: at(0.95) };
}

/** Of each message the best of its rounds after one to warm up, so that a busy machine shows little. */
function latency(messages, ask) {
  for (const [n, message] of messages.entries()) ask(message, n);
  const best = messages.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (const [n, message] of messages.entries())
      best[n] = Math.min(
        best[n],
        timed(() => ask(message, n)),
      );
  }
  return percentiles(best);
}

let before = memory();
const buildMs = timed(() => engine.build(batches())) - making;
const result = { engine: name, size, buildMs };
if (name === "ours") {
  result.saveMs = timed(() => engine.save());
  engine.unload();
  before = memory();
  engine.reopen();
}
const messages = { short: corpus.messages("short", MESSAGES), long: corpus.messages("long", MESSAGES) };
for (const kind of ["short", "long"]) result[kind] = latency(messages[kind], engine.search);
result.bytesPerSkill = engine.bytes ? engine.bytes() / size : (memory() - before) / size;
if (name === "ours") {
  result.nearest = latency(messages.short, (_, n) => engine.nearest(n));
  result.withVectors = (memory() - before) / size;
  for (const kind of ["short", "long"])
    result[`${kind}Candidates`] = latency(messages[kind], engine.candidates);
  const script = new URL("cold.mjs", import.meta.url).pathname;
  const run = (...args) => timed(() => execFileSync(process.execPath, args));
  const inner = () =>
    JSON.parse(execFileSync(process.execPath, [script, engine.bundle, engine.path, messages.short[0]]));
  const bare = [];
  const cold = [];
  const inside = [];
  for (let i = 0; i < 15; i++) {
    bare.push(run("-e", "0"));
    cold.push(run(script, engine.bundle, engine.path, messages.short[i % MESSAGES]));
    inside.push(inner());
  }
  result.cold = { bareMs: percentiles(bare).p50, wholeMs: percentiles(cold).p50, inside: inside.at(-1) };
  result.updateMs = latency(messages.short.slice(0, 20), (_, n) => engine.update(corpus.document(n * 7))).p50;
}
console.log(JSON.stringify(result));
engine.close();
