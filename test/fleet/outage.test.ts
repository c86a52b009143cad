// While the database is away nobody waits for it: turns go on, what happens is spooled, and arrives once when it is back.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import type { NewEvent } from "../../src/journal/events.ts";
import { nodeStore } from "../../src/stores/postgres/node-store.ts";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import { DatabaseTokens } from "../../src/stores/postgres/tokens.ts";
import { TurnFiles } from "../../src/stores/sqlite/turn-files.ts";
import { startProxy } from "./proxy.ts";

let server: PostgresServer;
let direct: string;
let scopes = 0;

beforeAll(async () => {
  server = await startPostgres({ durable: true });
  direct = await server.createDatabase();
  // Makes the schema: a node that waits only a second for the database has no time for it on a busy machine.
  const first = openPostgresStore({ url: direct, scope: "outage/first" });
  await first.journal.query({});
  await first.close();
});

afterAll(() => server.stop());

const event = (turn: number, more: Partial<NewEvent> = {}): NewEvent =>
  ({
    kind: "activated",
    at: 1,
    session: "s",
    turn,
    skill: "mail",
    digest: "d",
    details: {},
    ...more,
  }) as NewEvent;
const clock = { now: () => new Date() };

/** A node behind a line that can be cut, and the database beside it. */
async function node(options: { deadlineMs?: number } = {}) {
  const proxy = await startProxy(direct);
  const directory = mkdtempSync(join(tmpdir(), "repertoire-node-"));
  const scope = `outage/${scopes++}`;
  let told = 0;
  const open = () =>
    nodeStore({ url: proxy.url, scope, directory, deadlineMs: 1_000, onSpooled: () => told++, ...options });
  const store = open();
  const truth = openPostgresStore({ url: direct, scope });
  onTestFinished(async () => {
    await truth.close();
    await proxy.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const turns = async () =>
    (await truth.journal.query({})).map(({ turn }) => turn).sort((a, b) => Number(a) - Number(b));
  return { proxy, store, open, truth, directory, turns, told: () => told };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe("a line that is cut", () => {
  it("spools what happens, says so once, and brings it once when it is back", async () => {
    const { proxy, store, turns, told } = await node();
    onTestFinished(() => store.close());
    expect(await store.journal.append([event(1)])).toMatchObject([{ seq: 1 }]);
    proxy.set("cut");
    for (const turn of [2, 3, 4])
      expect(await store.journal.append([event(turn)])).toMatchObject([{ seq: 0 }]);
    await store.conversation.append({ session: "s", turn: 4, role: "user", text: "hello", at: 1 });
    expect(told()).toBe(1);
    expect(store.state()).toMatchObject({ isUp: false });
    expect(store.state().waiting).toBeGreaterThan(0);
    await expect(store.journal.query({})).rejects.toMatchObject({ code: "database-away" });
    await expect(store.exclusive(() => 1)).rejects.toMatchObject({ code: "database-away" });
    expect(await turns()).toEqual([1]);
    proxy.set("open");
    // Nobody has to ask for it.
    await expect.poll(turns).toEqual([1, 2, 3, 4]);
    await expect.poll(() => store.state()).toEqual({ isUp: true, waiting: 0 });
    expect(await store.journal.tallies("mail")).toMatchObject([{ activated: 4 }]);
    expect(await store.conversation.query({})).toHaveLength(1);
  });

  it("stops neither turns nor tasks nor what is trusted", async () => {
    const { proxy, store } = await node();
    onTestFinished(() => store.close());
    await store.trust.add({ digest: "d1", skill: "mail", at: 1 });
    await store.tasks.start({ id: "t1", startedAt: 1 });
    await store.tasks.consent({ task: "t1", skill: "mail", digest: "d1", at: 1, files: {} });
    await store.journal.append([
      event(1),
      event(1, { kind: "outcome", details: { result: "failure" } } as never),
    ]);
    await expect.poll(async () => (await store.tallyBook()).of("mail")).toMatchObject([{ failed: 1 }]);
    proxy.set("cut");
    expect(await store.sessions.begin("s", { key: "k", message: "hello" })).toMatchObject({ first: true });
    await store.record([event(2)]);
    expect((await store.tallyBook()).of("mail")).toMatchObject([{ failed: 1 }]);
    expect(await store.trust.has("d1")).toBe(true);
    expect(await store.tasks.consentFor("t1", "mail")).toMatchObject({ digest: "d1" });
    await store.tasks.start({ id: "t2", startedAt: 2 });
    await store.tasks.consent({ task: "t2", skill: "plan", digest: "d2", at: 2, files: {} });
    expect(await store.tasks.consentFor("t2", "plan")).toMatchObject({ digest: "d2" });
    await expect(store.trust.add({ digest: "d9", skill: "plan", at: 2 })).rejects.toMatchObject({
      code: "database-away",
    });
    proxy.set("open");
    await expect.poll(async () => store.state().isUp).toBe(true);
    await store.trust.revoke("mail");
    proxy.set("cut");
    await expect(store.journal.query({})).rejects.toMatchObject({ code: "database-away" });
    // What was withdrawn before is not trusted by what was kept here.
    expect(await store.trust.has("d1")).toBe(false);
  });

  it("loses nothing when the process ends meanwhile, nor what a hook leaves", async () => {
    const { proxy, store, open, directory, turns } = await node();
    await store.journal.append([event(1)]);
    proxy.set("cut");
    await store.journal.append([event(2)]);
    await store.close();
    new TurnFiles({ directory, clock }).record([event(3)]);
    const away = open();
    await away.catchUp(async () => undefined);
    expect(await away.journal.append([event(4)])).toMatchObject([{ seq: 0 }]);
    await away.close();
    proxy.set("open");
    const [again, beside] = [open(), open()];
    onTestFinished(async () => {
      await again.close();
      await beside.close();
    });
    // Two processes of one machine take over the same files.
    await Promise.all([again.catchUp(async () => undefined), beside.catchUp(async () => undefined)]);
    expect(await turns()).toEqual([1, 2, 3, 4]);
  });

  it("in the middle of many writes keeps each once", async () => {
    const { proxy, store, turns } = await node();
    onTestFinished(() => store.close());
    await store.journal.append([event(1)]);
    const cuts = [20, 45, 70].map((ms) => setTimeout(() => proxy.set("cut"), ms));
    const opens = [35, 60, 85].map((ms) => setTimeout(() => proxy.set("open"), ms));
    onTestFinished(() => [...cuts, ...opens].forEach(clearTimeout));
    for (let turn = 2; turn <= 200; turn += 4) {
      await Promise.all([0, 1, 2, 3].map((i) => store.journal.append([event(turn + i)])));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    proxy.set("open");
    await expect.poll(turns).toEqual(upTo(201));
  });
});

describe("a session whose messages go to two nodes", () => {
  it("adds up on both, also what hooks wrote and what happened while the line was cut", async () => {
    const { proxy, store: here, directory, truth } = await node();
    onTestFinished(() => here.close());
    const scope = `outage/${scopes - 1}`;
    const elsewhere = mkdtempSync(join(tmpdir(), "repertoire-node-"));
    const there = nodeStore({ url: direct, scope, directory: elsewhere });
    onTestFinished(async () => {
      await there.close();
      rmSync(elsewhere, { recursive: true, force: true });
    });
    const hook = new TurnFiles({ directory, clock }).sessions;
    hook.begin("s", { key: "1", message: "one" });
    hook.add("s", { step: "activated", names: ["mail"] });
    await here.sessions.read("s");
    await there.sessions.begin("s", { key: "2", message: "two" });
    expect(await there.sessions.read("s")).toMatchObject({ turn: 2, activated: ["mail"] });
    expect(await here.sessions.read("s")).toMatchObject({ turn: 2, activated: ["mail"] });
    proxy.set("cut");
    hook.begin("s", { key: "3", message: "three" });
    await there.sessions.add("s", { step: "activated", names: ["plan"] });
    expect(await here.sessions.read("s")).toMatchObject({ turn: 3, activated: ["mail"] });
    proxy.set("open");
    await expect.poll(async () => (await here.sessions.read("s")).activated).toEqual(["mail", "plan"]);
    expect(await there.sessions.read("s")).toMatchObject({ turn: 3 });
    // Each step is there once, however often it is asked for.
    for (const store of [here, there]) for (let times = 0; times < 2; times++) await store.sessions.read("s");
    expect(await truth.sessions.read("s")).toMatchObject({ turn: 3, activated: ["mail", "plan"] });
    expect(await truth.db.rows("SELECT 1 FROM repertoire.session_steps WHERE session = 's'")).toHaveLength(5);
  });
});

describe("a reader's node", () => {
  it("opens, records, tidies and closes without a right to write, and judges nothing", async () => {
    const tokens = new DatabaseTokens({ url: direct, scope: "outage/reading" });
    onTestFinished(() => tokens.close());
    const { token } = await tokens.create({ name: "r", role: "reader" });
    const { directory, truth } = await node();
    const store = nodeStore({ url: direct, token, directory });
    new TurnFiles({ directory, clock }).record([
      event(1),
      event(1, { kind: "outcome", details: { result: "success" } } as never),
    ]);
    await store.catchUp(async () => undefined);
    await store.journal.append([event(2)]);
    await store.meta.set("tidied", "1");
    expect(await store.meta.get("tidied")).toBe("1");
    expect(await store.tidy()).toEqual([]);
    // What it may not say does not keep back the rest.
    expect((await store.journal.query({})).map(({ kind }) => kind)).toEqual(["activated", "activated"]);
    await store.close();
    expect(await truth.journal.query({})).toEqual([]);
  });
});

describe("a line that is silent or slow", () => {
  it("keeps nobody waiting for long, and nothing counts twice", async () => {
    const { proxy, store, turns } = await node();
    onTestFinished(() => store.close());
    await store.journal.append([event(1)]);
    proxy.set("silent");
    expect(await store.journal.append([event(2)])).toMatchObject([{ seq: 0 }]);
    await expect.poll(() => store.state().isUp).toBe(false);
    // From now on nobody waits at all.
    expect(await store.journal.append([event(3)])).toMatchObject([{ seq: 0 }]);
    expect(await store.sessions.read("s")).toMatchObject({ turn: 0 });
    proxy.set("open");
    await expect.poll(turns).toEqual([1, 2, 3]);
    proxy.set(150);
    // Slower than a caller waits: spooled, and in the database all the same.
    await Promise.all([4, 5].map((turn) => store.journal.append([event(turn)])));
    proxy.set("open");
    await expect.poll(turns).toEqual([1, 2, 3, 4, 5]);
    await expect.poll(() => store.state()).toEqual({ isUp: true, waiting: 0 });
    expect(await turns()).toEqual([1, 2, 3, 4, 5]);
  });

  it("that dies while a change is committed leaves the change whole or unmade", async () => {
    const { proxy, store, truth } = await node();
    onTestFinished(() => store.close());
    const version = { id: "v1", name: "mail", action: "save", at: 1, author: "a", files: [] } as const;
    await store.versions.begin({ id: "c1", versions: [version] });
    proxy.set(30);
    setTimeout(() => proxy.set("cut"), 180);
    const result = await Promise.resolve(store.versions.commit("c1")).then(
      () => "made",
      (error: { code: string }) => error.code,
    );
    proxy.set("open");
    await expect.poll(() => store.state().isUp).toBe(true);
    const made = (await truth.versions.list({})).map(({ id }) => id);
    const pending = (await store.versions.pending()).map(({ id }) => id);
    expect([made, pending]).toEqual(made.length > 0 ? [["v1"], []] : [[], ["c1"]]);
    expect(["made", "commit-uncertain", "database-away"]).toContain(result);
    if (result === "made") expect(made).toEqual(["v1"]);
  });
});

describe("a server that is killed", () => {
  it("has everything that was acknowledged, each once, when it is back", async () => {
    const { store, turns } = await node();
    onTestFinished(() => store.close());
    const acknowledged: number[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let turn = 1; !isOver; turn++) {
        await store.journal.append([event(turn)]);
        acknowledged.push(turn);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    await server.kill();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await server.start();
    await expect.poll(() => store.state().isUp).toBe(true);
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
    isOver = true;
    await writing;
    await expect.poll(turns).toEqual(acknowledged);
  });
});
