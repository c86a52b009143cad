import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { TurnFiles } from "../stores.ts";
import { openDatabase } from "./driver.ts";
import { sqliteStore } from "./store.ts";

const EVENT = {
  kind: "activated",
  at: 1,
  session: "s",
  turn: 1,
  skill: "a",
  digest: "d",
  details: {},
} as const;

/** A store that was opened, and another connection that can hold its file as a writer of another process does. */
async function held() {
  const directory = mkdtempSync(join(tmpdir(), "repertoire-patient-"));
  const store = sqliteStore({ directory });
  await store.catchUp(async () => {});
  await store.meta.set("opened", "yes");
  const writer = openDatabase(join(directory, "repertoire.db"));
  onTestFinished(async () => {
    writer.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  writer.exec("BEGIN IMMEDIATE");
  return { directory, store, release: () => writer.exec("ROLLBACK") };
}

test("a write waits for another process without standing still, and is made then", async () => {
  const { store, release } = await held();
  const writes = [
    store.journal.append([EVENT]),
    store.meta.set("key", "value"),
    store.conversation.append({ session: "s", turn: 1, role: "user", text: "hello", at: 1 }),
  ];
  let isDone = false;
  const done = Promise.all(writes).then(() => {
    isDone = true;
  });
  for (let turns = 0; turns < 20; turns++) await sleep(5);
  expect(isDone).toBe(false);
  release();
  await done;
  expect(await store.journal.query({})).toHaveLength(1);
  expect(await store.meta.get("key")).toBe("value");
});

test("a question is answered meanwhile; what hooks left follows later", async () => {
  const { directory, store, release } = await held();
  await new TurnFiles({ directory, clock: { now: () => new Date() } }).record([EVENT]);
  expect(await store.journal.query({})).toEqual([]);
  expect(await store.meta.get("opened")).toBe("yes");
  release();
  expect(await store.journal.query({})).toHaveLength(1);
});
