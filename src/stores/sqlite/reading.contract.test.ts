// What can be read where nothing can be written, and how much is read at once.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withCode } from "../../../test/errors.ts";
import type { NewEvent } from "../../journal/journal.ts";
import { openDatabase } from "./driver.ts";
import { openSqliteStore, type SqliteStore } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

function activated(skill: string): NewEvent {
  return { kind: "activated", at: 1, session: "s", turn: 1, skill, digest: "d", details: {} };
}

function home() {
  const directory = mkdtempSync(join(tmpdir(), "repertoire-reading-"));
  const opened: SqliteStore[] = [];
  onTestFinished(() => {
    for (const store of opened) store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const database = join(directory, "repertoire.db");
  const disk = { isFull: false };
  const open = () => {
    const store = openSqliteStore({
      directory,
      clock: { now: () => new Date(0) },
      openDatabase(path) {
        // What SQLite says if it cannot make its files beside the database.
        if (disk.isFull)
          throw Object.assign(new Error("unable to open database file"), { code: "SQLITE_CANTOPEN" });
        return openDatabase(path);
      },
    });
    opened.push(store);
    return store;
  };
  return { directory, database, disk, open };
}

const skillsOf = (store: SqliteStore) => store.journal.query({}).map(({ skill }) => skill);

/** A home with an event and a version, as the last process leaves it: a closed store in this process still has its files open. */
function filledHome() {
  const filled = home();
  const store = filled.open();
  store.journal.append([activated("mail")]);
  store.versions.add({ id: "v1", name: "mail", action: "save", at: 1, author: "agent", files: [] });
  store.close();
  const left = home();
  cpSync(join(filled.directory, "versions"), join(left.directory, "versions"), { recursive: true });
  cpSync(filled.database, left.database);
  return left;
}

test("a database beside which nothing can be written is read, not changed, and used again once it can be", async () => {
  const { directory, open, disk } = filledHome();
  disk.isFull = true;
  const store = open();
  expect(skillsOf(store)).toEqual(["mail"]);
  expect(store.versions.list({}).map(({ id }) => id)).toEqual(["v1"]);
  expect(store.journal.tallies()).toHaveLength(1);
  expect(() => store.journal.append([activated("plan")])).toThrow(withCode("store-unusable"));
  await expect(store.tidy()).rejects.toThrow(withCode("store-unusable"));
  // What hooks leave stays until it can be taken over.
  store.record([activated("plan")], []);
  await store.catchUp(async () => {});
  expect(skillsOf(store)).toEqual(["mail"]);
  disk.isFull = false;
  store.journal.append([activated("note")]);
  expect(skillsOf(store).sort()).toEqual(["mail", "note", "plan"]);
  expect(readdirSync(directory).filter((name) => name.includes(".corrupt-"))).toEqual([]);
});

test("who only reads sees what others write as soon as they can", () => {
  const { open, disk } = filledHome();
  disk.isFull = true;
  const reader = open();
  expect(skillsOf(reader)).toEqual(["mail"]);
  disk.isFull = false;
  const writer = open();
  writer.journal.append([activated("plan")]);
  writer.close();
  expect(skillsOf(reader)).toEqual(["mail", "plan"]);
});

test("a damaged database that cannot be replaced is left where it is", () => {
  const { directory, database, open, disk } = filledHome();
  const bytes = readFileSync(database);
  writeFileSync(database, bytes.fill(0xee, 4096));
  disk.isFull = true;
  const store = open();
  expect(() => store.journal.query({})).toThrow(withCode("store-unusable"));
  expect(readdirSync(directory).filter((name) => name.includes(".corrupt-"))).toEqual([]);
});

test("all counts are read a page at a time", () => {
  const store = home().open();
  store.journal.append(Array.from({ length: 450 }, (_, n) => activated(`skill-${n}`)));
  const steps = store.journal.allTallies();
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  expect(pauses).toBe(2);
  expect(step.value.map(({ name }) => name)).toEqual(Array.from({ length: 450 }, (_, n) => `skill-${n}`));
});

test("a comparison of log and tables tells what each of them lacks, wherever it is", async () => {
  const { directory, open } = home();
  const version = { name: "mail", action: "save", at: 1, author: "agent", files: [] };
  const lines = Array.from({ length: 1_200 }, (_, n) => JSON.stringify({ id: `v${n}`, ...version }));
  const log = join(directory, "versions", "log.jsonl");
  mkdirSync(join(directory, "versions"));
  writeFileSync(log, `${lines.join("\n")}\n`);
  const store = open();
  expect(store.versions.head({ name: "mail" })?.id).toBe("v1199");
  store.close();
  // Two versions that only the database has, one that it has otherwise, and two lines in each other's place.
  const kept = lines
    .filter((line) => !line.includes('"v3"') && !line.includes('"v700"'))
    .map((line) => line.replace('"id":"v900","name":"mail"', '"id":"v900","name":"post"'));
  [kept[10], kept[1_000]] = [kept[1_000]!, kept[10]!];
  // As long as before, so that the store takes it for the log that it knows.
  writeFileSync(log, `${kept.join("\n")}\n`.padEnd(`${lines.join("\n")}\n`.length, "\n"));
  const seen = new Set<string>();
  const found = await open().versions.compareWithLog(
    async () => {},
    ({ id }) => seen.add(id),
  );
  expect(found).toEqual({ flawed: 0, differing: 1, unlogged: 2 });
  expect(seen.size).toBe(1_200);
});

test("what is kept of a session beside its events goes with them", async () => {
  const { database, open } = filledHome();
  const store = openSqliteStore({
    directory: dirname(database),
    clock: { now: () => new Date(500 * DAY_MS) },
  });
  store.journal.append([{ ...activated("note"), at: 499 * DAY_MS, session: "new" } as NewEvent]);
  await store.tidy();
  store.close();
  expect(
    open()
      .journal.episodes({})
      .map(({ session }) => session),
  ).toEqual(["new"]);
  const db = openDatabase(database);
  expect(db.prepare("SELECT session FROM speakers").all()).toMatchObject([{ session: "new" }]);
  db.close();
});
