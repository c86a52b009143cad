// A new node begins with what another one has read and indexed.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { addCase, OWN_CASES, openRepertoire, readCases } from "../../src/engine/engine.ts";
import { temporaryTree } from "../skill-tree.ts";
import { nodeEnvironment } from "./nodes.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** A node in this process; `read` are the files that it opened. */
function node(database: string, env: Readonly<Record<string, string>> = {}) {
  const home = temporaryTree();
  const read = { files: 0 };
  const engine = openRepertoire({
    dir: home,
    home,
    env: nodeEnvironment({ database, home, env }),
    onProgress: () => {
      read.files++;
    },
  });
  onTestFinished(() => engine.close());
  const recall = async (message: string) => {
    const { matches } = await engine.turn({ message }).recall();
    return matches.map(({ name, score }) => ({ name, score }));
  };
  return { engine, recall, read, home };
}

const PLANTS = ["tulip", "rose", "fern", "cactus", "ivy", "moss", "lily", "oak", "birch", "maple"];

it("reads no skill that another node has read, and answers alike", async () => {
  const database = await server.createDatabase();
  const first = node(database);
  for (const plant of PLANTS)
    await first.engine.learned.save({
      name: `water-${plant}`,
      content: `Waters the ${plant}. Use when the ${plant} looks dry.\n\n1. Fill the can for the ${plant}.\n`,
    });
  const message = "the cactus looks dry";
  const answer = await first.recall(message);
  expect(answer[0]).toMatchObject({ name: "water-cactus" });
  await first.engine.shareIndex();

  const second = node(database);
  expect(await second.recall(message)).toEqual(answer);
  expect(second.read.files).toBe(0);
  // What was saved since is read, and nothing else.
  await first.engine.learned.save({ name: "water-palm", content: "Waters the palm.\n\n1. Fill it.\n" });
  const third = node(database);
  expect((await third.recall("water the palm"))[0]).toMatchObject({ name: "water-palm" });
  expect(third.read.files).toBeLessThanOrEqual(2);

  // A damaged snapshot costs time only.
  const sql = postgres(database, { max: 1, onnotice: () => {} });
  await sql`UPDATE repertoire.snapshots SET bytes = ${Buffer.from("garbage")}`;
  await sql.end();
  const fourth = node(database);
  expect((await fourth.recall(message))[0]).toMatchObject({ name: "water-cactus" });
  expect(fourth.read.files).toBeGreaterThanOrEqual(PLANTS.length);
});

it("encodes no skill that another node has encoded", async () => {
  const database = await server.createDatabase();
  const env = { REPERTOIRE_ENCODER: "auto" };
  const encoded = async ({ engine }: ReturnType<typeof node>) => {
    let done = 0;
    const { unencoded } = await engine.library.index({ onProgress: () => done++ });
    return { done, unencoded };
  };
  const first = node(database, env);
  for (const plant of PLANTS.slice(0, 3))
    await first.engine.learned.save({
      name: `water-${plant}`,
      content: `Waters the ${plant}.\n\n1. Fill.\n`,
    });
  expect(await encoded(first)).toMatchObject({ unencoded: 0 });
  const sql = postgres(database, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  // Nobody waits for them to be kept.
  await expect.poll(() => sql`SELECT 1 FROM repertoire.vectors`).toHaveLength(3);
  expect(await encoded(node(database, env))).toEqual({ done: 0, unencoded: 0 });
  // One that is damaged is made again.
  await sql`UPDATE repertoire.vectors SET bytes = ${Buffer.from("garbage")}`;
  expect((await encoded(node(database, env))).done).toBeGreaterThan(0);
});

it("has the evaluation cases of the others, and they have its own", async () => {
  const database = await server.createDatabase();
  const [first, second] = [node(database), node(database)];
  const casesOf = ({ home }: { home: string }) => readCases(join(home, ".repertoire", OWN_CASES));
  const add = ({ home }: { home: string }, query: string) =>
    addCase(join(home, ".repertoire", OWN_CASES), { query, gold: ["water-ivy"] });
  add(first, "the ivy looks dry");
  await first.engine.learned.names();
  add(second, "the ivy is brown");
  add(second, "the ivy looks dry");
  await second.engine.learned.names();
  expect(casesOf(second).map(({ query }) => query)).toEqual(["the ivy is brown", "the ivy looks dry"]);
  await first.engine.close();
  expect(casesOf(first).map(({ query }) => query)).toEqual(["the ivy looks dry", "the ivy is brown"]);
});

it("writes the mirror for its owner alone", async () => {
  const database = await server.createDatabase();
  const { engine, home } = node(database);
  await engine.learned.save({ name: "greet", content: "Greets people.\n\nSay hello.\n" });
  const shared = join(home, ".repertoire", "shared");
  expect(existsSync(shared)).toBe(true);
  const [own] = readdirSync(shared, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const folder = join(shared, own!.name);
  expect(statSync(join(folder, "own")).mode & 0o077).toBe(0);
  expect(folder).not.toContain(new URL(database).password);
});
