// Asks a real server for /health again and again while it does its heaviest work, and prints how long the answers took.
// node bench/loop/run.mjs [--skills 10000] [--events 2000000] [--corpus SKILLS] [--only LOAD]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeHome } from "../changes/home.mjs";

const { values } = parseArgs({
  options: {
    skills: { type: "string", default: "1000" },
    events: { type: "string", default: "100000" },
    corpus: { type: "string" },
    only: { type: "string" },
  },
});
const skills = Number(values.skills);
const events = Number(values.events);
/** Between two questions, so that the questions themselves are no load. */
const PAUSE_MS = 10;
const LINES = 10_000;
const MONTH_MS = 29 * 24 * 60 * 60 * 1000;
/** What happens in a turn, in turns. */
const KINDS = ["recalled", "activated", "shown", "activated"];

const home = mkdtempSync(join(tmpdir(), "repertoire-loop-"));
const project = join(home, "project");
mkdirSync(project);
writeHome(home, { skills, versions: 2, corpus: values.corpus });
leave(events);

const bin = new URL("../../dist/bin.cjs", import.meta.url).pathname;
const env = { PATH: process.env.PATH, REPERTOIRE_HOME: home };
const server = spawn(process.execPath, [bin, "--json", "--dir", project, "serve", "--port", "0"], { env });
server.stderr.resume();
const { address, token } = await started(server);
const headers = {
  authorization: `Bearer ${readFileSync(token, "utf8").trim()}`,
  "content-type": "application/json",
};

/** What the server is made to do. Each ends when the work is done. */
const LOADS = {
  "index, new": ready,
  "index, again": () => job("/api/index"),
  inspect: () => get("/api/inspect"),
  check: () => get("/api/check"),
  list: () => get("/api/skills"),
  stats: () => get("/api/stats"),
  inbox: async () => {
    leave(Math.min(20_000, Math.ceil(events / 10)));
    await get("/api/journal?limit=1");
    await sleep(2_000);
  },
  dream: () => job("/api/dream", { force: true }),
  save: () => send("put", "/api/skills/greet-people", { content: "Greets people.\n\n1. Say hello.\n" }),
  undo: () => send("post", "/api/undo", {}),
  tidy: () => send("post", "/api/tidy", {}),
};

console.log(`${skills} skills, ${events} events; /health in ms\n`);
console.log("| while | answers | p50 | p99 | longest | took s |\n|---|---|---|---|---|---|");
for (const [name, load] of Object.entries(LOADS)) {
  if (values.only !== undefined && values.only !== name) continue;
  const begun = performance.now();
  let done = false;
  const work = load()
    .catch((error) => console.log(`${name}: ${error.cause?.message ?? error.message}`))
    .finally(() => {
      done = true;
    });
  const waits = [];
  do {
    const asked = performance.now();
    // A connection that the server did not get to look at in time is reset; that counts as the wait that it was.
    await fetch(`${address}/health`).then((answer) => answer.text(), String);
    waits.push(performance.now() - asked);
    await sleep(PAUSE_MS);
  } while (!done);
  await work;
  waits.sort((a, b) => a - b);
  const at = (share) => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))].toFixed(0);
  const took = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(
    `| ${name} | ${waits.length} | ${at(0.5)} | ${at(0.99)} | ${waits.at(-1).toFixed(0)} | ${took} |`,
  );
}
server.kill("SIGTERM");
const [code] = await once(server, "close");
console.log(`\nThe server ended with ${code}.`);
rmSync(home, { recursive: true, force: true });

/** Leaves events as hooks do. */
function leave(count) {
  const inbox = join(home, ".repertoire", "inbox");
  mkdirSync(inbox, { recursive: true });
  const day = new Date().toISOString().slice(0, 10);
  for (let from = 0; from < count; from += LINES) {
    const lines = Array.from({ length: Math.min(LINES, count - from) }, (_, n) => from + n).flatMap((n) => {
      // Over the month that a dream looks at.
      const at = Date.now() - Math.floor(((count - n) / count) * MONTH_MS);
      const session = `s${Math.floor(n / 20)}`;
      const turn = 1 + Math.floor((n % 20) / 4);
      const skill = `skill-${(n * 7) % skills}`;
      const event = { kind: KINDS[n % KINDS.length], at, session, turn, skill, digest: "d", details: {} };
      const text = `Please prepare report ${n % 977} about topic ${n % 313} for team ${n % 41}`;
      const said = { session, turn, role: "user", text, at };
      return n % 4 === 0
        ? [JSON.stringify({ said }), JSON.stringify({ event })]
        : [JSON.stringify({ event })];
    });
    appendFileSync(join(inbox, `${day}.jsonl`), `${lines.join("\n")}\n`);
  }
}

async function started(child) {
  for await (const line of createInterface(child.stdout)) if (line.startsWith("{")) return JSON.parse(line);
  throw new Error("The server did not start.");
}

async function ready() {
  while (!(await (await fetch(`${address}/health`)).json()).ready) await sleep(200);
}

async function get(path) {
  return asked(await fetch(address + path, { headers }));
}

async function send(method, path, body) {
  return asked(await fetch(address + path, { method, headers, body: JSON.stringify(body) }));
}

async function asked(response) {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`);
  return text === "" ? undefined : JSON.parse(text);
}

async function job(path, body = {}) {
  const { id } = await send("post", path, body);
  for (;;) {
    const { state } = await get(`/api/jobs/${id}`);
    if (state !== "running") return;
    await sleep(100);
  }
}
