// Owns the other process of `corruption.test.ts`: damages copies of a store, one seed after the other, uses each, and prints
// what it found as JSON lines. It must not die, whatever is in the files.

import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/stores/sqlite/driver.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { Random } from "../simulation/random.ts";

const [base, scratch, first, last] = process.argv.slice(2) as [string, string, string, string];
const clock = { now: () => new Date() };

type Damage = (database: string, random: Random) => void;

const DAMAGES: Readonly<Record<string, Damage>> = {
  flipped: (database, random) =>
    changed(database, (bytes) => {
      for (let n = 1 + random.below(20); n > 0; n--) {
        const at = random.below(bytes.length);
        bytes[at] = bytes[at]! ^ (1 << random.below(8));
      }
    }),
  zeroed: (database, random) =>
    changed(database, (bytes) => {
      const page = random.below(Math.ceil(bytes.length / 4096));
      bytes.fill(0, page * 4096, Math.min(bytes.length, (page + 1 + random.below(3)) * 4096));
    }),
  garbage: (database, random) =>
    changed(database, (bytes) => {
      const from = random.below(bytes.length);
      const to = Math.min(bytes.length, from + 1 + random.below(20_000));
      for (let at = from; at < to; at++) bytes[at] = random.below(256);
    }),
  truncated: (database, random) => truncateSync(database, random.below(statSync(database).size)),
  encoding(database, random) {
    const db = openDatabase(database);
    const places = [
      ["versions", "record"],
      ["versions", "name"],
      ["said", "text"],
      ["trust", "skill"],
      ["proposals", "record"],
      ["consents", "files"],
      ["events", "details"],
      ["speakers", "session"],
      ["tallies", "name"],
    ] as const;
    const [table, column] = random.pick(places);
    const key = { trust: "digest", consents: "skill", versions: "seq", said: "seq", events: "seq" } as const;
    const by = key[table as keyof typeof key] ?? (table === "proposals" ? "number" : "id");
    const bad = random.pick(["fffe80", "e28228", "c0af61", "7b22ff"]);
    const row = `(SELECT ${by} FROM ${table} ORDER BY ${by} LIMIT 1 OFFSET ${random.below(2)})`;
    db.exec(`UPDATE ${table} SET ${column} = CAST(x'${bad}' AS TEXT) WHERE ${by} = ${row}`);
    db.close();
  },
  wal(database, random) {
    const wal = `${database}-wal`;
    changed(wal, (bytes) => {
      for (let n = 0; n < 200; n++) bytes[random.below(bytes.length)] = random.below(256);
    });
  },
};

function changed(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

type Used = ReturnType<typeof openSqliteStore>;

/** Every version as it is kept, oldest first, with its bytes. */
function versionsIn(store: Used): string {
  const versions = store.versions.list({});
  const bytes = versions.flatMap(({ files }) =>
    files.map(({ sha256 }) => store.blobs.get(sha256) !== undefined),
  );
  return JSON.stringify([[...versions].reverse(), bytes]);
}

async function tryOut(seed: number): Promise<void> {
  const random = new Random(seed);
  const directory = join(scratch, `seed-${seed}`);
  const names = Object.keys(DAMAGES);
  const damage = names[seed % names.length]!;
  cpSync(damage === "wal" ? `${base}.open` : base, directory, { recursive: true });
  DAMAGES[damage]!(join(directory, "repertoire.db"), random);
  let rebuilt = 0;
  const open = () => openSqliteStore({ directory, clock, onRebuild: () => rebuilt++ });
  const store = open();
  const before = versionsIn(store);
  store.journal.query({ limit: 100 });
  store.conversation.query({});
  store.proposals.list({});
  store.trust.list();
  const told = (await store.check()).map(({ code }) => code);
  const fixed = (await store.check({ fix: true })).filter(({ fixed }) => fixed === undefined);
  const left = (await store.check()).map(({ code, message }) => `${code}: ${message}`);
  const after = versionsIn(store);
  // Nobody is locked out: everything can be written, and is there for the next process.
  await store.exclusive(() => undefined);
  store.journal.append([
    { at: 1, session: "later", turn: 1, skill: "mail", digest: "m", kind: "activated", details: {} },
  ]);
  store.trust.add({ digest: `later-${seed}`, skill: "mail", at: 1 });
  store.close();
  const next = open();
  const isKept =
    next.trust.list().some(({ digest }) => digest === `later-${seed}`) &&
    next.journal.query({ session: "later" }).length === 1;
  next.close();
  rmSync(directory, { recursive: true });
  const unfixed = fixed.map(({ code, message }) => `${code}: ${message}`);
  print({ seed, damage, before, after, told, unfixed, left, rebuilt, isKept });
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

for (let seed = Number(first); seed < Number(last); seed++) {
  try {
    await tryOut(seed);
  } catch (error) {
    print({ seed, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
