// What can be read where nothing can be written, and how much is read at once. A folder in the place of a file beside the database
// keeps SQLite from making that file, as a full disk does.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withCode } from "../../../test/errors.ts";
import type { NewEvent } from "../../journal/journal.ts";
import { openSqliteStore, type SqliteStore } from "./store.ts";

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
  const open = () => {
    const store = openSqliteStore({ directory, clock: { now: () => new Date(0) } });
    opened.push(store);
    return store;
  };
  const database = join(directory, "repertoire.db");
  const block = `${database}-shm`;
  /** After the last process that had it open has ended, which a closed store in this one does not equal. */
  const obstruct = () => {
    for (const suffix of ["-wal", "-shm"]) rmSync(database + suffix, { force: true });
    mkdirSync(block);
  };
  return { directory, database, open, obstruct, free: () => rmdirSync(block) };
}

const skillsOf = (store: SqliteStore) => store.journal.query({}).map(({ skill }) => skill);

/** A home with an event in the database and one in the inbox, whose database nobody has open. */
async function filledHome() {
  const made = home();
  const store = made.open();
  store.journal.append([activated("mail")]);
  store.versions.add({ id: "v1", name: "mail", action: "save", at: 1, author: "agent", files: [] });
  store.close();
  return made;
}

test("a database beside which nothing can be written is read, not changed, and used again once it can be", async () => {
  const { directory, open, obstruct, free } = await filledHome();
  obstruct();
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
  free();
  store.journal.append([activated("note")]);
  expect(skillsOf(store).sort()).toEqual(["mail", "note", "plan"]);
  expect(readdirSync(directory).filter((name) => name.includes(".corrupt-"))).toEqual([]);
});

test("who only reads sees what others write as soon as they can", async () => {
  const { open, obstruct, free } = await filledHome();
  obstruct();
  const reader = open();
  expect(skillsOf(reader)).toEqual(["mail"]);
  free();
  const writer = open();
  writer.journal.append([activated("plan")]);
  writer.close();
  expect(skillsOf(reader)).toEqual(["mail", "plan"]);
});

test("a damaged database that cannot be replaced is left where it is", async () => {
  const { directory, database, open, obstruct } = await filledHome();
  const bytes = readFileSync(database);
  writeFileSync(database, bytes.fill(0xee, 4096));
  obstruct();
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
  expect(await open().versions.compareWithLog(async () => {})).toEqual({
    flawed: 0,
    differing: 1,
    unlogged: 2,
  });
});
