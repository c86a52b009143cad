// Owns two questions: how many events a second can be appended, by one and by four processes, and whether a turn gets
// slower when the journal is long. Usage: run.mjs [EVENTS], one million by default.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { writeLibrary } from "../library.mjs";
import { printRatio, race } from "../timing.mjs";
import { bundleStore, eventsOfTurn, SKILLS, skillAt } from "./bundle.mjs";

/** Turns of a session. */
const TURNS = 20;
const LONG = Number(process.argv[2] ?? 1_000_000);
const clock = { now: () => new Date() };
const { folder, bundle } = await bundleStore();
const api = await import(bundle);

async function appendRate(processes, turns) {
  const directory = join(folder, `append-${processes}`);
  const script = fileURLToPath(new URL("./writer.mjs", import.meta.url));
  const writers = Array.from({ length: processes }, (_, i) => {
    const child = spawn(process.execPath, [script, bundle, directory, `writer-${i}`, String(turns)]);
    child.stderr.pipe(process.stderr);
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  for (const { lines } of writers) await lines.next();
  const started = performance.now();
  for (const { child } of writers) child.stdin.write("go\n");
  const results = [];
  for (const { lines } of writers) results.push(JSON.parse((await lines.next()).value));
  const seconds = (performance.now() - started) / 1000;
  await Promise.all(writers.map(({ child }) => child.exitCode ?? once(child, "exit")));
  const events = results.reduce((sum, result) => sum + result.events, 0);
  const label = `appended by ${processes} process${processes > 1 ? "es" : ""}, one turn a transaction`;
  console.log(`${label.padEnd(64)} ${Math.round(events / seconds).toLocaleString("en")} events/s`);
}

function fill(directory, events) {
  const store = api.sqliteStore({ directory, clock });
  let session = 0;
  let appended = 0;
  const started = performance.now();
  while (appended < events) {
    const batch = [];
    for (let i = 0; i < 80; i++, session++)
      for (let turn = 1; turn <= TURNS; turn++)
        batch.push(...eventsOfTurn(api, `session-${session}`, turn + session));
    appended += store.journal.append(batch).length;
  }
  const seconds = (performance.now() - started) / 1000;
  if (events > 0) {
    const megabytes = statSync(join(directory, "repertoire.db")).size / 2 ** 20;
    console.log(
      `${"filled, 80 sessions a transaction".padEnd(64)} ${Math.round(appended / seconds).toLocaleString("en")} events/s, ${Math.round(megabytes)} MB for ${appended.toLocaleString("en")}`,
    );
  }
  return store;
}

/** Messages of different kinds, so that recall has candidates to ask the accounts about. */
const MESSAGES = [
  "write a report about the database",
  "deploy the service",
  "review this code",
  "plan my week",
];
/** How many candidates recall weighs in a turn. */
const CANDIDATES = 50;

/** A turn: the skills recalled for a message, and what is asked of the store around it. */
function turnOf({ sessions, tallyBook, record = () => {} }) {
  let turn = 0;
  return async () => {
    turn++;
    const id = `live-${Math.floor(turn / TURNS)}`;
    sessions.begin(id, { key: String(turn), message: "do it" });
    const effectiveness = api.effectivenessFrom(tallyBook(), { now: Date.now(), instructionsOf: () => "" });
    for (let i = 0; i < CANDIDATES; i++) {
      const { name, digest } = skillAt(turn + i * 7);
      effectiveness.of({ name, digest });
    }
    await engine.turns.recall({ message: MESSAGES[turn % MESSAGES.length] });
    sessions.markShown(id, [skillAt(turn).name]);
    record(eventsOfTurn(api, id, turn));
  };
}

const inServer = (store) => ({ sessions: store.sessions, tallyBook: () => store.tallyBook() });
const inServerRecorded = (store) => ({
  ...inServer(store),
  record: (events) => store.journal.append(events),
});
const inHook = (_, directory) => {
  const files = new api.TurnFiles({ directory, clock });
  return { ...inServer(files), record: (events) => files.record(events) };
};

async function compare(what, parts, bar) {
  const once = (name) => turnOf(parts(stores[name], join(folder, name)));
  const contestants = { empty: repeat(once("empty"), 100), long: repeat(once("long"), 100) };
  await race(contestants, 2);
  const times = await race(contestants, 15);
  printRatio(`100 turns ${what}, ${LONG.toLocaleString("en")} events / none`, times.long, times.empty, bar);
}

function openEngine() {
  const home = join(folder, "home");
  writeLibrary(join(home, ".repertoire", "skills"), SKILLS);
  return api.openRepertoire({ home, dir: home });
}

const repeat = (work, times) => async () => {
  for (let i = 0; i < times; i++) await work();
};

const stores = {};
const engine = openEngine();
try {
  await appendRate(1, 4_000);
  await appendRate(4, 1_000);

  stores.empty = fill(join(folder, "empty"), 0);
  stores.long = fill(join(folder, "long"), LONG);
  await compare("recalled in a server", inServer, 1.2);
  await compare("recalled and recorded in a hook", inHook, 1.2);
  await compare("recalled and recorded in a server", inServerRecorded, 1.2);
  for (const store of Object.values(stores)) store.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
