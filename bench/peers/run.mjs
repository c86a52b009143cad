// Owns: the run: arguments, installing the peers when absent, the order of measurements, the sums per loader.
// node bench/peers/run.mjs [--corpus DIR] [--runs N] [--only NAME,NAME] [--json]

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { adapters } from "./adapters/all.mjs";
import { skillsDirOf, writeEdgeCase, writeTimingCorpus } from "./corpus.mjs";
import { edgeCases } from "./edge-cases.mjs";
import { coldProcess, edgeProcesses, median, timeProcess, warmProcess } from "./measure.mjs";
import { renderReport } from "./report.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const { values: flags } = parseArgs({
  options: {
    corpus: { type: "string" },
    runs: { type: "string", default: "5" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const runs = Number(flags.runs);
const wanted = flags.only?.split(",").map((name) => name.trim());
const chosen = adapters.filter(
  (adapter) => wanted === undefined || wanted.some((name) => adapter.name.startsWith(name)),
);
const progress = (text) => process.stderr.write(`${text}\n`);

if (!Number.isInteger(runs) || runs < 1) fail(`--runs takes a whole number from 1, not "${flags.runs}"`);
if (flags.corpus !== undefined && !existsSync(flags.corpus))
  fail(`--corpus: there is no folder "${flags.corpus}"`);
if (chosen.length === 0) fail(`--only: no such loader; there are: ${adapters.map((a) => a.name).join("; ")}`);
if (!existsSync(join(HERE, "node_modules"))) install();

const work = mkdtempSync(join(tmpdir(), "repertoire-peers-"));
try {
  const report = await measureAll();
  process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : renderReport(report));
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function measureAll() {
  const project = join(work, "timing");
  const size = writeTimingCorpus({ project, from: flags.corpus && resolve(flags.corpus) });
  for (const edge of edgeCases) writeEdgeCase({ project: join(work, "edges", edge.id), edge });
  const rows = chosen.map((adapter) => ({ adapter, row: startRow(adapter) }));
  const floor = { name: "node: read the same files", coldMs: undefined, cold: [] };

  measureCold({ rows, floor, project });
  measureInProcess({ rows, project });
  for (const { adapter, row } of rows) if (!row.problem) await measureEdges({ adapter, row });

  const origin = flags.corpus === undefined ? "generated" : "from --corpus";
  return {
    corpus: `${size} skills (${origin}), median of ${runs} runs`,
    machine: `Node ${process.version}, ${cpus().length} cores`,
    rows: [...rows.map(({ row }) => row), floor].map(({ cold, ...row }) => row),
    cases: edgeCases.map(({ id, kind }) => ({ id, kind })),
  };
}

function startRow(adapter) {
  const packageFile = adapter.package && join(HERE, "node_modules", adapter.package, "package.json");
  const version =
    packageFile && existsSync(packageFile) && JSON.parse(readFileSync(packageFile, "utf8")).version;
  return {
    name: adapter.name,
    version: version || undefined,
    note: adapter.note,
    problem: adapter.missing?.(),
    cold: [],
  };
}

// Loaders take turns, so that a slow minute of the machine falls on all of them; round 0 only fills the disk cache.
function measureCold({ rows, floor, project }) {
  const read = `const fs=require("fs");for(const d of fs.readdirSync(process.argv[1]))fs.readFileSync(process.argv[1]+"/"+d+"/SKILL.md")`;
  for (let round = 0; round <= runs; round++) {
    progress(`cold processes, round ${round} of ${runs}`);
    const bare = timeProcess({ args: ["-e", read, skillsDirOf(project)], home: homeOf("floor") });
    if (round > 0) floor.cold.push(bare.ms);
    for (const { adapter, row } of rows) {
      if (row.problem) continue;
      const { ms, problem } = coldProcess({ adapter, project, home: homeOf(adapter.name) });
      if (problem) row.problem = problem;
      else if (round > 0) row.cold.push(ms);
    }
  }
  floor.coldMs = median(floor.cold);
  for (const { row } of rows) if (row.cold.length > 0) row.coldMs = median(row.cold);
  for (const row of [floor, ...rows.map((entry) => entry.row)]) {
    if (row.coldMs !== undefined) row.coldRatio = row.coldMs / floor.coldMs;
  }
}

// A first load happens once a process, so each round is a process of its own.
function measureInProcess({ rows, project }) {
  const samples = new Map(rows.map(({ row }) => [row, { first: [], warm: [] }]));
  for (let round = 1; round <= runs; round++) {
    progress(`in one process, round ${round} of ${runs}`);
    for (const { adapter, row } of rows) {
      if (row.problem) continue;
      const { problem, firstMs, warmMs, ...figures } = warmProcess({
        adapter,
        project,
        home: homeOf(adapter.name),
      });
      Object.assign(row, problem ? { problem } : figures);
      if (problem) continue;
      samples.get(row).first.push(firstMs);
      samples.get(row).warm.push(...warmMs);
    }
  }
  for (const [row, { first, warm }] of samples) {
    if (first.length > 0) Object.assign(row, { firstMs: median(first), warmMs: median(warm) });
  }
}

async function measureEdges({ adapter, row }) {
  progress(`edge cases: ${adapter.name}`);
  const { results, problem } = await edgeProcesses({
    adapter,
    project: join(work, "edges"),
    home: homeOf(`${adapter.name} edges`),
    ids: edgeCases.map((edge) => edge.id),
  });
  if (problem) row.problem = problem;
  else Object.assign(row, summarise(results));
}

function summarise(results) {
  const judged = edgeCases.map(({ id, kind }) => ({ id, kind, ...results[id] }));
  const of = (kind, test) => judged.filter((one) => one.kind === kind && test(one)).length;
  const any = (test) => judged.filter(test).length;
  return {
    edges: {
      usable: of("usable", () => true),
      usableLoaded: of("usable", (one) => one.outcome === "loaded"),
      silent: of("usable", (one) => one.outcome !== "loaded" && !one.said),
      hostile: of("hostile", () => true),
      hostileSurvived: of("hostile", (one) => one.outcome === "loaded" && !one.leak),
      crashed: any((one) => one.outcome === "crashed" || one.outcome === "threw"),
      hung: any((one) => one.outcome === "hung"),
      leaked: any((one) => one.leak),
    },
    outcomes: Object.fromEntries(judged.map((one) => [one.id, one.leak ? `leaked` : one.outcome])),
    details: Object.fromEntries(
      judged.filter((one) => one.leak || one.message).map((one) => [one.id, one.leak ?? one.message]),
    ),
  };
}

function homeOf(name) {
  const home = join(work, "homes", name.replace(/[^a-z]+/g, "-"));
  mkdirSync(home, { recursive: true });
  return home;
}

function install() {
  progress("installing the peers (once)");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: HERE,
    stdio: ["ignore", 2, 2],
  });
}

function fail(message) {
  progress(message);
  process.exit(2);
}
