// The promises of the ports that a host may give: everything goes through the given store, and the given clock, embedder
// and model are really used.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

import {
  type Embedder,
  memoryStore,
  type OpenOptions,
  openRepertoire,
  type Repertoire,
} from "../../src/index.ts";

import { TRADES, workspace } from "../recall-workspace.ts";

const NOW = Date.UTC(2031, 1, 3);
const MESSAGE = "fill in this PDF form";

function open(options: OpenOptions = {}) {
  const { project: dir, home } = workspace(TRADES);
  const values = { "sources.bundled": false, cache: false };
  const engine = openRepertoire({
    dir,
    home,
    env: {},
    values,
    clock: { now: () => new Date(NOW) },
    ...options,
  });
  onTestFinished(() => engine.close());
  return { engine, data: join(home, ".repertoire") };
}

/** The calls of `node:fs` that change files, with the position of the path that they change. */
const WRITES: Readonly<Record<string, number>> = {
  appendFileSync: 0,
  copyFileSync: 1,
  cpSync: 1,
  createWriteStream: 0,
  linkSync: 1,
  mkdirSync: 0,
  mkdtempSync: 0,
  renameSync: 1,
  rmdirSync: 0,
  rmSync: 0,
  symlinkSync: 1,
  truncateSync: 0,
  unlinkSync: 0,
  utimesSync: 0,
  writeFileSync: 0,
};
const ASYNC_WRITES = ["appendFile", "copyFile", "mkdir", "rename", "rm", "unlink", "writeFile"];

interface Touched {
  /** The paths that were written to, whatever the folder, each once. */
  readonly written: string[];
  /** The paths that were opened to be read, each time. */
  readonly read: string[];
}

/** What the work does with files. */
async function filesTouchedBy(work: () => Promise<unknown>): Promise<Touched> {
  const paths: string[] = [];
  const read: string[] = [];
  const restore: (() => void)[] = [];
  const watch = (owner: object, name: string, changes: (args: unknown[]) => unknown) => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    Reflect.set(owner, name, (...args: unknown[]) => {
      const path = changes(args);
      if (path !== undefined) paths.push(String(path));
      return Reflect.apply(original, owner, args);
    });
    restore.push(() => Reflect.set(owner, name, original));
  };
  for (const [name, at] of Object.entries(WRITES)) watch(fs, name, (args) => args[at]);
  for (const name of ASYNC_WRITES) watch(fs.promises, name, (args) => args.at(name === "rename" ? 1 : 0));
  watch(fs, "openSync", ([path, flags = "r"]) => {
    if (/[wa+]/.test(String(flags))) return path;
    read.push(String(path));
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
  }
  return { written: [...new Set(paths)], read };
}

/** A session from its first message to its statistics, with and without an activation. */
async function converse(engine: Repertoire, { activates = false } = {}) {
  const { journal, tasks, consents } = engine;
  const session = "s";
  await engine.turn({ message: "bake sourdough bread", session }).recall();
  await engine.turn({ message: MESSAGE, session }).prompt({ style: "cards" });
  await engine.turns.sessions.forgetShown(session);
  const memory = await engine.workingMemory(session);
  const context = { task: "t", session };
  if (activates) await tasks.activate("pdf-forms", { ...context, ask: () => true });
  await consents.trust("pdf-forms", (await consents.look("pdf-forms")).digest);
  await journal.reportOutcome({ outcome: "success" }, { session });
  const stats = await journal.statsOf("pdf-forms");
  const events = await journal.query({ session });
  return { memory, stats, kinds: events.map(({ kind }) => kind), state: await journal.session(session) };
}

describe("a given store", () => {
  test("keeps everything, so that nothing touches the disk", async () => {
    const { engine } = open({ store: memoryStore() });
    let told: Awaited<ReturnType<typeof converse>> | undefined;
    const { written } = await filesTouchedBy(async () => {
      told = await converse(engine);
      await engine.close();
    });
    expect(written).toEqual([]);
    expect(told?.state).toMatchObject({ turn: 2, lastMessage: MESSAGE });
    expect(told?.memory[0]?.refId).toBe("pdf-forms");
    expect(told?.kinds).toEqual(expect.arrayContaining(["recalled", "shown"]));
    expect(told?.stats).toMatchObject({ recalled: 1, shown: 1 });
  });

  test("leaves only the private copies of activated skills on disk, which scripts run from", async () => {
    const { engine, data } = open({ store: memoryStore() });
    let told: Awaited<ReturnType<typeof converse>> | undefined;
    const { written } = await filesTouchedBy(async () => {
      told = await converse(engine, { activates: true });
    });
    const copies = join(data, "private");
    expect(
      written.filter((path) => ![data, copies].includes(path) && !path.startsWith(join(copies, "t"))),
    ).toEqual([]);
    expect(told?.stats).toMatchObject({ activated: 1, succeeded: 1 });
    expect(told?.state.activated).toEqual(["pdf-forms"]);
  });

  test("is read by recall: a skill that fails there is deprioritised", async () => {
    const store = memoryStore();
    const { engine } = open({ store });
    const skill = await engine.library.find("pdf-forms");
    const base = { at: NOW, session: "before", skill: skill.name, digest: skill.digest } as const;
    const score = async () => (await engine.turn({ message: MESSAGE }).recall()).matches[0]!.score;
    const untried = await score();
    for (let turn = 1; turn <= 6; turn++) {
      await store.journal.append([
        { ...base, turn, kind: "activated", details: {} },
        { ...base, turn, kind: "outcome", details: { result: "failure" } },
      ]);
    }
    expect(await score()).toBeLessThan(untried);
  });

  test("without one, the same conversation is kept in files, database included", async () => {
    const { engine, data } = open();
    const { written } = await filesTouchedBy(() => converse(engine));
    expect(written).toContain(join(data, "sessions", "s.jsonl"));
    expect(fs.existsSync(join(data, "repertoire.db"))).toBe(true);
  });
});

test("a turn of a session reads the session's file once", async () => {
  const { engine, data } = open();
  await engine.turn({ message: "bake sourdough bread", session: "s" }).prompt({ style: "cards" });
  const { dir, home } = engine.config;
  const next = openRepertoire({ dir, home, env: {}, values: { "sources.bundled": false, cache: false } });
  const { read } = await filesTouchedBy(() =>
    next.turn({ message: MESSAGE, session: "s" }).prompt({ style: "cards" }),
  );
  expect(read.filter((path) => path === join(data, "sessions", "s.jsonl"))).toHaveLength(1);
  expect(await next.turns.sessions.session("s")).toMatchObject({
    turn: 2,
    shown: ["sourdough-bread", "pdf-forms"],
  });
});

test("a given embedder reads the skills and the messages", async () => {
  const texts: string[] = [];
  const embedder: Embedder = {
    id: "test:one",
    dimensions: 2,
    embed(given) {
      texts.push(...given);
      return given.map(() => new Float32Array([1, 0]));
    },
  };
  const { engine } = open({ embedder, store: memoryStore() });
  await engine.turn({ message: MESSAGE }).recall();
  expect(texts.some((text) => text.includes("night trains"))).toBe(true);
  expect(texts.some((text) => text.includes(MESSAGE))).toBe(true);
});

test("a given clock dates what is recorded", async () => {
  const store = memoryStore();
  const { engine } = open({ store });
  await engine.turn({ message: MESSAGE, session: "s" }).prompt({ style: "cards" });
  const dates = (await store.journal.query({})).map(({ at }) => at);
  expect(dates.length).toBeGreaterThan(1);
  expect(new Set(dates)).toEqual(new Set([NOW]));
  expect((await store.conversation.query({})).map(({ at }) => at)).toEqual([NOW]);
});

test("a given model thinks, and its calls are counted in the given store", async () => {
  const store = memoryStore();
  const model = {
    id: "test:model",
    generate: async () => ({ text: "Plans meetings.", usage: { inputTokens: 3, outputTokens: 2 } }),
  };
  const { engine } = open({ store, model });
  const { learned } = engine;
  await learned.save({ name: "plan", content: "# Plan\n\nFind a time.\n" });
  await learned.settled();
  expect(await store.journal.query({ kinds: ["model_call"] })).toMatchObject([
    { at: NOW, details: { model: "test:model", inputTokens: 3 } },
  ]);
});
