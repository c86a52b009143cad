// Histories of several processes on one database, with kills and cuts, are checked afterwards: what was acknowledged is there,
// once, in an order that fits the time; what failed is not. `REPERTOIRE_SEEDS` and `REPERTOIRE_OPERATIONS` make it larger.

import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { nodeStore } from "../../src/stores/postgres/node-store.ts";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import type { Run, Told } from "./history-worker.ts";
import { startProxy } from "./proxy.ts";
import { seeded } from "./seeded.ts";

const SEEDS = Number(process.env.REPERTOIRE_SEEDS ?? 50);
/** Of each of the eight processes. */
const OPERATIONS = Math.ceil(Number(process.env.REPERTOIRE_OPERATIONS ?? 200) / 8);

let server: PostgresServer;
let direct: string;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let folder: string;
let program: string;

beforeAll(async () => {
  server = await startPostgres({ durable: true });
  direct = await server.createDatabase();
  proxy = await startProxy(direct);
  folder = mkdtempSync(join(tmpdir(), "repertoire-history-"));
  program = join(folder, "worker.mjs");
  await build({
    entryPoints: [new URL("./history-worker.ts", import.meta.url).pathname],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["libsql"],
    logLevel: "error",
  });
});

afterAll(async () => {
  for (const { child } of workers) child.kill("SIGKILL");
  await proxy?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Operation {
  readonly id: string;
  readonly kind: "save" | "append" | "read";
  readonly name: string;
  readonly from: number;
  /** Infinite if the process ended before. */
  to: number;
  result: "ok" | "failed" | "unknown";
  seen?: string | undefined;
  code?: string | undefined;
}

interface Worker {
  readonly child: ChildProcess;
  isDead: boolean;
}

/** Processes that live on from one history to the next. */
const workers: Worker[] = [];

function worker(at: number): Worker {
  const known = workers[at];
  if (known && !known.isDead) return known;
  const next: Worker = {
    child: fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
    isDead: false,
  };
  next.child.on("exit", () => {
    next.isDead = true;
  });
  workers[at] = next;
  return next;
}

/** Lets one process do its part; returns what it told, also if it was killed. */
function run(at: number, part: Run): Promise<Operation[]> {
  const { child } = worker(at);
  const operations = new Map<string, Operation>();
  return new Promise((resolve) => {
    const end = () => {
      child.off("message", hear);
      child.off("exit", end);
      resolve([...operations.values()]);
    };
    const hear = (told: Told) => {
      if ("done" in told) end();
      else if ("kind" in told)
        operations.set(told.id, { ...told, to: Number.POSITIVE_INFINITY, result: "unknown" });
      else Object.assign(operations.get(told.id)!, told);
    };
    child.on("message", hear);
    child.on("exit", end);
    child.send(part);
  });
}

interface History {
  readonly nodes: number;
  readonly operations: number;
  readonly fault: "none" | "suicides" | "kill" | "cut" | "server";
  readonly isExclusive: boolean;
}

/** Runs a history and checks it. */
async function check(seed: number, { nodes, operations, fault, isExclusive }: History): Promise<Operation[]> {
  const random = seeded(seed * 7919 + 1);
  const scope = `history/${seed}`;
  const parts = Array.from({ length: nodes }, (_, at): Run => {
    const directory = join(folder, `${seed}-${at}`);
    const suicides = fault === "suicides" ? 0.08 : 0;
    const leaseMs = fault === "none" ? 30_000 : 600;
    return {
      seed: seed * 100 + at,
      url: proxy.url,
      scope,
      directory,
      operations,
      isExclusive,
      leaseMs,
      suicides,
    };
  });
  const running = Promise.all(parts.map((part, at) => run(at, part)));
  const pause = () => sleep(40 + random() * 120);
  if (fault === "kill") {
    await pause();
    worker(Math.floor(random() * nodes)).child.kill("SIGKILL");
  }
  for (let cuts = fault === "cut" ? 2 : 0; cuts > 0; cuts--) {
    await pause();
    proxy.set("cut");
    await pause();
    proxy.set("open");
  }
  if (fault === "server") {
    await pause();
    await server.kill();
    await server.start();
  }
  const history = (await running).flat();
  // Each node starts once more, and brings what it still had.
  for (const { directory } of parts) {
    const node = nodeStore({ url: direct, scope, directory });
    await node.catchUp(async () => undefined);
    expect(node.state().waiting).toBe(0);
    await node.close();
    rmSync(directory, { recursive: true, force: true });
  }
  await checkHistory(history, scope);
  return history;
}

async function checkHistory(history: readonly Operation[], scope: string): Promise<void> {
  const truth = openPostgresStore({ url: direct, scope });
  try {
    const events = await truth.journal.query({});
    const times = new Map<string, number>();
    for (const { digest = "" } of events) times.set(digest, (times.get(digest) ?? 0) + 1);
    const versions = [...(await truth.versions.list({}))].reverse();
    const order = new Map(versions.map(({ id }, at) => [id, at]));
    const byId = new Map(history.map((each) => [each.id, each]));
    const wrong: string[] = [];
    const claim = (isTrue: boolean, what: string) => {
      if (!isTrue) wrong.push(what);
    };
    for (const { id, kind, result } of history) {
      const count = kind === "append" ? (times.get(id) ?? 0) : order.has(id) ? 1 : 0;
      if (kind === "read") continue;
      claim(result !== "ok" || count === 1, `${kind} ${id} was acknowledged, and is there ${count} times`);
      claim(result !== "failed" || count === 0, `${kind} ${id} failed, and is there`);
      claim(count <= 1, `${kind} ${id} is there ${count} times`);
    }
    claim(
      events.every(({ digest }) => byId.has(digest ?? "")) && versions.every(({ id }) => byId.has(id)),
      "something is there that nobody wrote",
    );
    const heads = new Map<string, string>();
    for (const { id, name, parent } of versions) {
      claim(parent === heads.get(name), `${id} follows ${parent}, the newest was ${heads.get(name)}`);
      heads.set(name, id);
    }
    const saves = history.filter(({ id, kind }) => kind === "save" && order.has(id));
    for (const before of saves.filter(({ result }) => result === "ok")) {
      for (const after of saves)
        claim(
          before.name !== after.name ||
            before.to >= after.from ||
            order.get(before.id)! < order.get(after.id)!,
          `${after.id} began after ${before.id} was acknowledged, and is older`,
        );
      for (const { name, from, result, seen = "" } of history.filter(({ kind }) => kind === "read"))
        claim(
          result !== "ok" ||
            name !== before.name ||
            from <= before.to ||
            (order.get(seen) ?? -1) >= order.get(before.id)!,
          `a read saw ${seen} after ${before.id} was acknowledged`,
        );
    }
    expect(wrong).toEqual([]);
    const tallies = await truth.journal.tallies();
    expect(tallies.reduce((sum, { activated }) => sum + activated, 0)).toBe(events.length);
  } finally {
    await truth.close();
  }
}

const FAULTS = ["none", "suicides", "cut", "kill", "suicides"] as const;

describe("a history", () => {
  it(`of several processes is whole and in order, for ${SEEDS} seeds`, { timeout: 3_600_000 }, async () => {
    let acknowledged = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const fault = seed % 25 === 7 ? "server" : FAULTS[seed % FAULTS.length]!;
      const history = await check(seed, { nodes: 3, operations: 12, fault, isExclusive: seed % 2 === 0 });
      acknowledged += history.filter(({ result }) => result === "ok").length;
    }
    expect(acknowledged).toBeGreaterThan(SEEDS * 10);
  });

  it(`of eight processes with ${OPERATIONS} operations each loses nothing`, {
    timeout: 3_600_000,
  }, async () => {
    const history = await check(1_000_001, {
      nodes: 8,
      operations: OPERATIONS,
      fault: "none",
      isExclusive: true,
    });
    expect(history).toHaveLength(8 * OPERATIONS);
    expect(history.filter(({ result }) => result !== "ok").map(({ code }) => code)).toEqual([]);
  });
});
