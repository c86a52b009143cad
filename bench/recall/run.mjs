// Owns the recall benchmark: our index and the whole recall of the built package against minisearch and SQLite FTS5, on
// the same documents and messages, in one run.
//
//   npm run build && npm install --prefix bench/recall
//   node bench/recall/run.mjs [DIR] [--sizes 1000,10000,100000] [--peer-sizes 1000,10000] [--whole-sizes 1000,10000]
//
// DIR (or --corpus DIR) is a folder of <id>/SKILL.md; without it skills are invented. Sizes beyond the corpus are grown from it.
// --peers takes the folder where the peers are installed; by default this one. --json prints the raw figures.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: "string" },
    sizes: { type: "string", default: "1000,10000,100000" },
    "peer-sizes": { type: "string", default: "1000,10000" },
    "whole-sizes": { type: "string", default: "1000,10000" },
    peers: { type: "string", default: here },
    rounds: { type: "string", default: "5" },
    json: { type: "boolean", default: false },
  },
});
const peers = resolve(options.peers);
const numbers = (text) => text.split(",").filter(Boolean).map(Number);
const sizes = numbers(options.sizes);
const peerSizes = numbers(options["peer-sizes"]);
const wholeSizes = numbers(options["whole-sizes"]);
const corpus = options.corpus ?? positionals[0];

function measure(engine, size) {
  const job = { engine, size, peers, rounds: engine === "ours" ? Number(options.rounds) : 2 };
  return inItsOwnProcess("worker.mjs", job);
}

function inItsOwnProcess(script, job) {
  const given = JSON.stringify({ ...job, ...(corpus && { corpus: resolve(corpus) }) });
  const flags = ["--expose-gc", "--max-old-space-size=12000"];
  const output = execFileSync(process.execPath, [...flags, join(here, script), given], {
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 24,
  });
  return JSON.parse(output);
}

const ms = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
const pair = ({ p50, p95 }) => `${ms(p50)} / ${ms(p95)}`;
const times = (theirs, mine) => `${(theirs / mine).toFixed(1)}x`;

function printPeers(size, mine, theirs) {
  console.log(
    `\n## ${size} skills\n\n| | ours | ${theirs.map((t) => t.engine).join(" | ")} |\n|---|---|${"---|".repeat(theirs.length)}`,
  );
  const row = (title, own, others) => console.log(`| ${title} | ${own} | ${others.join(" | ")} |`);
  for (const kind of ["short", "long"]) {
    const words = kind === "short" ? "10 words" : "200 words";
    const others = theirs.map((t) => `${pair(t[kind])} (${times(t[kind].p50, mine[kind].p50)})`);
    row(`search, ${words}: p50 / p95 ms`, pair(mine[kind]), others);
  }
  row(
    "build, s",
    (mine.buildMs / 1000).toFixed(2),
    theirs.map((t) => `${(t.buildMs / 1000).toFixed(2)} (${times(t.buildMs, mine.buildMs)})`),
  );
  row(
    "memory a skill, bytes",
    mine.bytesPerSkill.toFixed(0),
    theirs.map((t) => t.bytesPerSkill.toFixed(0)),
  );
}

function printOurs(mine) {
  console.log(`\n| what | ${mine.map((m) => m.size).join(" | ")} |\n|---|${"---|".repeat(mine.length)}`);
  const row = (title, value) => console.log(`| ${title} | ${mine.map(value).join(" | ")} |`);
  row("search, 10 words: p50 / p95 ms", (m) => pair(m.short));
  row("search, 200 words: p50 / p95 ms", (m) => pair(m.long));
  row("nearest 40 of 256 dimensions: p50 / p95 ms", (m) => pair(m.nearest));
  row("candidates (search, nearest, 80 payloads), 10 words", (m) => pair(m.shortCandidates));
  row("candidates, 200 words", (m) => pair(m.longCandidates));
  row("build, s", (m) => (m.buildMs / 1000).toFixed(2));
  row("save, ms", (m) => ms(m.saveMs));
  row("one document changed, ms", (m) => ms(m.updateMs));
  row("memory a skill, bytes", (m) => m.bytesPerSkill.toFixed(0));
  row("a new process with one recall, ms (bare node)", (m) => `${ms(m.cold.wholeMs)} (${ms(m.cold.bareMs)})`);
  row("- of it open / search / nearest / payloads", (m) =>
    ["open", "search", "nearest", "payloads"].map((step) => m.cold.inside[step].toFixed(1)).join(" / "),
  );
}

function printWhole(whole, peersAt) {
  console.log(`\n## The whole recall\n\n| what | ${whole.map((w) => w.size).join(" | ")} |`);
  console.log(`|---|${"---|".repeat(whole.length)}`);
  const row = (title, value) => console.log(`| ${title} | ${whole.map(value).join(" | ")} |`);
  for (const kind of ["short", "long"]) {
    const words = kind === "short" ? "10 words" : "200 words";
    row(`recall, ${words}: p50 / p95 ms`, (w) => pair(w[kind]));
    for (const name of ["minisearch", "fts5"]) {
      row(`- times faster than ${name}'s search alone`, (w) => {
        const peer = peersAt(w.size).find(({ engine }) => engine === name);
        return peer === undefined ? "" : times(peer[kind].p50, w[kind].p50);
      });
    }
  }
  row("first index from files, s", (w) => (w.indexMs / 1000).toFixed(1));
  row("memory a skill, bytes, with vectors", (w) => w.bytesPerSkill.toFixed(0));
  row("cold `recall` / `node -e 0`", (w) => times(w.cold.wholeMs, w.cold.bareMs));
  row("the fixed loop, ms", (w) => ms(w.loopMs));
}

const missing = ["minisearch", "libsql"].filter((name) => !existsSync(join(peers, "node_modules", name)));
if (missing.length > 0) {
  console.error(
    `Measured without peers, not installed: ${missing.join(", ")} (npm install --prefix bench/recall)`,
  );
}
const compared = missing.length === 0 ? peerSizes : [];

const results = [];
for (const size of sizes) {
  const mine = measure("ours", size);
  const theirs = compared.includes(size) ? ["minisearch", "fts5"].map((engine) => measure(engine, size)) : [];
  results.push(mine, ...theirs);
  if (theirs.length > 0 && !options.json) printPeers(size, mine, theirs);
}
const whole = wholeSizes.map((size) =>
  inItsOwnProcess("whole.mjs", { size, rounds: Number(options.rounds) }),
);
if (options.json) console.log(JSON.stringify({ results, whole }, null, 1));
else {
  printOurs(results.filter((r) => r.engine === "ours"));
  printWhole(whole, (size) => results.filter((r) => r.size === size && r.engine !== "ours"));
}
