// Owns the store's promises among many processes: nothing lost, nothing doubled, nothing torn, also when they are killed.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";

const clock = { now: () => new Date() };
let folder: string;
let directory: string;
let worker: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-processes-"));
  worker = join(folder, "worker.mjs");
  await build({
    entryPoints: [resolve("test/e2e/store-worker.ts")],
    outfile: worker,
    bundle: true,
    platform: "node",
    format: "esm",
    // The worker stands outside the package, but finds the driver where the package does.
    define: {
      "import.meta.filename": JSON.stringify(resolve("src/stores/sqlite/driver.ts")),
      "import.meta.dirname": JSON.stringify(resolve("src/stores/sqlite")),
    },
  });
});

beforeEach(() => {
  directory = mkdtempSync(join(folder, "store-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly lines: Record<string, unknown>[];
  readonly status: number | NodeJS.Signals | null;
  readonly errors: string;
}

function start(job: string, label: string, amount: number): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [worker, job, directory, label, String(amount)]);
  let output = "";
  let errors = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (errors += data));
  const ended = new Promise<Ended>((settle) => {
    child.on("close", (code, signal) => {
      const lines = output
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      settle({ lines, status: code ?? signal, errors });
    });
  });
  return { child, ended };
}

async function runAll(job: string, processes: number, amount: number): Promise<Ended[]> {
  const started = Array.from({ length: processes }, (_, i) => start(job, `p${i}`, amount));
  const ended = await Promise.all(started.map((each) => each.ended));
  for (const { status, errors } of ended) expect(`${status} ${errors}`).toBe("0 ");
  return ended;
}

test("six processes appending at once lose nothing and miscount nothing", async () => {
  await runAll("append", 6, 50);
  const store = openSqliteStore({ directory, clock });
  expect(store.journal.query({ kinds: ["activated"] })).toHaveLength(300);
  expect(store.journal.query({ kinds: ["outcome"] })).toHaveLength(300);
  expect(store.journal.tallies("mail")).toMatchObject([{ activated: 300, successes: 150, failures: 150 }]);
  expect(store.journal.episodes({ skill: "mail" }).map(({ times }) => times)).toEqual([
    50, 50, 50, 50, 50, 50,
  ]);
  const seqs = store.journal.query({}).map(({ seq }) => seq);
  expect(new Set(seqs).size).toBe(600);
  expect(await store.check()).toEqual([]);
  store.close();
});

test("hooks that fill the inbox while others empty it lose and double nothing", async () => {
  await runAll("inbox", 4, 100);
  const store = openSqliteStore({ directory, clock });
  expect(store.journal.query({})).toHaveLength(400);
  expect(store.journal.tallies("mail")[0]!.activated).toBe(400);
  expect(store.refusedLines()).toBe(0);
  store.close();
});

test("of several hooks of one message one is first, and each skill is shown by one", async () => {
  const ended = await runAll("show", 4, 60);
  for (let index = 0; index < 60; index++) {
    expect(ended.filter(({ lines }) => lines[index]!.first === true)).toHaveLength(1);
    expect(ended.flatMap(({ lines }) => lines[index]!.mine)).toEqual([`skill-${index}`]);
  }
});

test("exclusive work of several processes never overlaps", async () => {
  await runAll("exclusive", 4, 25);
  const store = openSqliteStore({ directory, clock });
  expect(store.meta.get("counter")).toBe("100");
  store.close();
});

test("versions added by several processes are all there, in the log and in the table", async () => {
  await runAll("version", 4, 15);
  const before = openSqliteStore({ directory, clock });
  const ids = before.versions.list({}).map(({ id }) => id);
  expect(ids).toHaveLength(60);
  before.close();
  for (const file of readdirSync(directory))
    if (file.startsWith("repertoire.db")) rmSync(join(directory, file));
  const after = openSqliteStore({ directory, clock });
  expect(after.versions.list({}).map(({ id }) => id)).toEqual(ids);
  after.close();
});

test("a process that is killed loses nothing that it had acknowledged", async () => {
  let acknowledged = 0;
  const kills = 12;
  for (let i = 0; i < kills; i++) {
    const { child, ended } = start(i % 2 === 0 ? "append" : "version", `k${i}`, 100_000);
    await new Promise<void>((settle) => {
      let seen = 0;
      child.stdout!.on("data", (data: Buffer) => {
        seen += data.toString().split("\n").length - 1;
        if (seen > i * 3) settle();
      });
    });
    child.kill("SIGKILL");
    const { lines } = await ended;
    acknowledged += lines.length;
    const store = openSqliteStore({ directory, clock });
    if (i % 2 === 0) {
      expect(store.journal.query({ session: `k${i}`, kinds: ["activated"] }).length).toBeGreaterThanOrEqual(
        lines.length,
      );
    } else {
      const kept = store.versions.list({}).filter(({ author }) => author === `k${i}`);
      expect(kept.length).toBeGreaterThanOrEqual(lines.length);
      for (const { files } of kept) expect(store.blobs.get(files[0]!.sha256)).toBeDefined();
    }
    expect(await store.check()).toEqual([]);
    store.close();
  }
  console.log(`${kills} processes killed, ${acknowledged} acknowledged writes, all there`);
}, 60_000);

test("several processes that find the same damaged database rebuild it once", async () => {
  const store = openSqliteStore({ directory, clock });
  store.versions.add({ id: "v1", name: "mail", action: "save", at: 0, author: "agent", files: [] });
  store.close();
  for (const file of readdirSync(directory))
    if (file.startsWith("repertoire.db-")) rmSync(join(directory, file));
  writeFileSync(join(directory, "repertoire.db"), "not a database ".repeat(1000));
  const ended = await runAll("append", 4, 10);
  expect(ended.flatMap(({ lines }) => lines.filter(({ rebuilt }) => rebuilt))).toHaveLength(1);
  const after = openSqliteStore({ directory, clock });
  expect(after.journal.query({ kinds: ["activated"] })).toHaveLength(40);
  expect(after.versions.list({})).toHaveLength(1);
  after.close();
  expect(readdirSync(directory).filter((file) => /corrupt-[^.]*$/.test(file))).toHaveLength(1);
});
