// Owns one process that appends turns as fast as it can: writer.mjs BUNDLE DIRECTORY LABEL TURNS. Waits for a line first.

import { once } from "node:events";
import { eventsOfTurn } from "./bundle.mjs";

const [bundle, directory, label, turns] = process.argv.slice(2);
const api = await import(bundle);
const store = api.sqliteStore({ directory, clock: { now: () => new Date() } });
store.journal.append([{ kind: "recalled", at: Date.now(), details: {} }]);
process.stdout.write("ready\n");
await once(process.stdin, "data");
let events = 0;
const started = performance.now();
for (let turn = 1; turn <= Number(turns); turn++)
  events += store.journal.append(eventsOfTurn(api, label, turn)).length;
process.stdout.write(`${JSON.stringify({ events, ms: performance.now() - started })}\n`);
store.close();
process.exit(0);
