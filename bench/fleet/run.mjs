// Measures a fleet on PostgreSQL against processes on one SQLite home, in the same run:
// node bench/fleet/run.mjs [SKILLS] [--skills 10000] [--nodes 4] [--seconds 10] [--saves 40]

import { fork } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../../scripts/postgres.mjs";
import { writeLibrary } from "../library.mjs";
import { openCorpus } from "../recall/corpus.mjs";
import { printRatio } from "../timing.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    skills: { type: "string", default: "10000" },
    nodes: { type: "string", default: "4" },
    seconds: { type: "string", default: "10" },
    saves: { type: "string", default: "40" },
  },
});
const [count, nodes, seconds, saves] = ["skills", "nodes", "seconds", "saves"].map((key) =>
  Number(values[key]),
);
/** Recall may be this much slower than on SQLite; a save is seen elsewhere within this time. */
const BARS = { recall: 1.1, visibleMs: 1_000 };
const WRITES_PER_SECOND = 100;
const INGESTED = 20_000;

const root = mkdtempSync(join(tmpdir(), "repertoire-fleet-"));
const server = await startPostgres({ durable: true });
const database = await server.createDatabase();
const children = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

/** A process with a home of its own or a shared one. */
function node(home, shared) {
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, REPERTOIRE_HOME: home, REPERTOIRE_BUNDLED: "false" };
  const child = fork(new URL("./node.mjs", import.meta.url), {
    env: shared ? { ...env, REPERTOIRE_DATABASE_URL: database } : env,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.add(child);
  let asked = 0;
  const waiting = new Map();
  child.on("message", ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    if (error) reject(new Error(error));
    else resolve(result);
  });
  return (work, input) =>
    new Promise((resolve, reject) => {
      waiting.set(++asked, { resolve, reject });
      child.send({ id: asked, work, input });
    });
}

const p = (times, part) => [...times].sort((a, b) => a - b)[Math.floor(times.length * part)];
const row = (what, value) => console.log(`${what.padEnd(64)} ${value}`);

const corpus = openCorpus(positionals[0]);
const messages = Array.from({ length: 400 }, (_, at) =>
  corpus.document((at * 17) % count).description.slice(0, 120),
);

// The same skills on both sides: in a home folder, and pushed from there.
const alone = join(root, "alone");
const skills = join(alone, ".repertoire", "skills");
writeLibrary(skills, count, positionals[0]);

const sqlite = Array.from({ length: nodes }, () => node(alone, false));
const sqliteCold = (await sqlite[0]("open", { message: messages[0] })).ms;
for (const each of sqlite.slice(1)) await each("open", { message: messages[0] });

const { openRepertoire } = await import("../../dist/index.js");
const pushing = join(root, "pushing");
cpSync(skills, join(pushing, "work"), { recursive: true });
const pusher = openRepertoire({
  dir: pushing,
  home: pushing,
  encoder: "off",
  env: { PATH: process.env.PATH, REPERTOIRE_DATABASE_URL: database, REPERTOIRE_BUNDLED: "false" },
});
const pushStarted = performance.now();
await pusher.exchange.run({ way: "push", folder: join(pushing, "work") });
const pushMs = performance.now() - pushStarted;
await pusher.close();
row(`push, ${count} skills`, `${(count / (pushMs / 1000)).toFixed(0)} skills/s`);

const fleet = Array.from({ length: nodes }, (_, at) => node(join(root, `node-${at}`), true));
const first = (await fleet[0]("open", { message: messages[0] })).ms;
await fleet[0]("shareIndex");
const [added, joined] = [[], []];
for (const each of fleet.slice(1)) {
  const { ms, processorMs } = await each("open", { message: messages[0] });
  added.push(ms);
  joined.push(processorMs);
}
row("first answer: SQLite home without an index", `${(sqliteCold / 1000).toFixed(1)} s`);
row("first answer: first node of a fleet", `${(first / 1000).toFixed(1)} s`);
printRatio("first answer of an added node / of the first node", p(added, 0.5), first);

/** All nodes recall at once while another process writes events. */
async function load(recalling, writer) {
  const ms = seconds * 1000;
  const writing = writer("write", { perSecond: WRITES_PER_SECOND, ms });
  const results = await Promise.all(recalling.map((each) => each("recalls", { messages, ms })));
  await writing;
  const times = results.flatMap((result) => result.times);
  const processorMs = p(
    results.map((result) => result.processorMs),
    0.5,
  );
  return { perSecond: times.length / seconds, p50: p(times, 0.5), p99: p(times, 0.99), processorMs };
}

const sqliteWriter = node(alone, false);
const fleetWriter = node(join(root, "writer"), true);
await sqliteWriter("open", { message: messages[0] });
await fleetWriter("open", { message: messages[0] });
const rounds = { sqlite: [], fleet: [] };
for (let round = 0; round < 3; round++) {
  rounds.sqlite.push(await load(sqlite, sqliteWriter));
  rounds.fleet.push(await load(fleet, fleetWriter));
}
const of = (side, figure) =>
  p(
    rounds[side].map((round) => round[figure]),
    0.5,
  );
row(
  `recalls/s of ${nodes} nodes, ${WRITES_PER_SECOND} events/s written`,
  `${of("fleet", "perSecond").toFixed(0)} (SQLite ${of("sqlite", "perSecond").toFixed(0)})`,
);
printRatio("recall p50", of("fleet", "p50"), of("sqlite", "p50"), BARS.recall);
printRatio(
  "recall, processor time of the node",
  of("fleet", "processorMs"),
  of("sqlite", "processorMs"),
  BARS.recall,
);
printRatio("recall p99", of("fleet", "p99"), of("sqlite", "p99"));
const one = await load(fleet.slice(0, 1), fleetWriter);
printRatio(`recall p50 with ${nodes} nodes / with one`, of("fleet", "p50"), one.p50);

/** Processor time of the whole server, in milliseconds; Linux alone tells it. */
function serverMs() {
  const ticks = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ");
        const isOurs = Number(pid) === server.pid() || Number(fields[1]) === server.pid();
        return isOurs ? fields.slice(11, Number(pid) === server.pid() ? 15 : 13).map(Number) : [];
      } catch {
        return [];
      }
    });
  return ticks.reduce((sum, tick) => sum + tick, 0) * 10;
}

/** What a work costs the server, and the second node. */
async function costs(work) {
  const before = { server: serverMs(), node: await fleet[1]("processorMs") };
  await work();
  return { server: serverMs() - before.server, node: (await fleet[1]("processorMs")) - before.node };
}

const visible = [];
const saving = await costs(async () => {
  for (let at = 0; at < saves; at++) {
    const word = `zebrafinch${at}`;
    const name = `watch-${word}`;
    const seen = fleet[1]("seen", { message: `watch the ${word}`, name });
    const saved = await fleet[0]("save", {
      name,
      content: `Watches the ${word}. Use when a ${word} sings.\n\n1. Look.\n`,
    });
    visible.push(Math.max(0, (await seen).at - saved.at));
  }
});
const worst = p(visible, 0.99);
row("save on one node to recall on another, p50", `${p(visible, 0.5).toFixed(0)} ms`);
row("  p99", `${worst.toFixed(0)} ms  (bar ${BARS.visibleMs}: ${worst < BARS.visibleMs ? "met" : "MISSED"})`);

const sqliteIngest = (await sqliteWriter("ingest", { events: INGESTED, atOnce: 1000 })).ms;
let fleetIngest = 0;
const large = await costs(async () => {
  fleetIngest = (await fleetWriter("ingest", { events: INGESTED, atOnce: 1000 })).ms;
});
const small = await costs(() => fleetWriter("ingest", { events: 2_000, atOnce: 20 }));
row("ingestion", `${(INGESTED / (fleetIngest / 1000)).toFixed(0)} events/s`);
printRatio(`ingestion of ${INGESTED} events`, fleetIngest, sqliteIngest);

const eventMs = large.server / INGESTED;
row("unit costs, processor ms", "");
row("  recall, node", of("fleet", "processorMs").toFixed(2));
row("  a skill of a new node that takes an index over, node", (p(joined, 0.5) / count).toFixed(2));
row(`  a save, database, ${nodes + 1} nodes read it`, (saving.server / saves).toFixed(1));
row("  a changed skill with the recalls that look for it, node", (saving.node / saves).toFixed(1));
row("  an event in a batch of 1,000, database", eventMs.toFixed(3));
row("  a batch of 20 events without its events, database", (small.server / 100 - 20 * eventMs).toFixed(2));

await Promise.all([...sqlite, ...fleet, sqliteWriter, fleetWriter].map((each) => each("close")));
await server.stop();
