// A new node begins with what another one has read and indexed.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { openRepertoire } from "../../src/engine/engine.ts";
import { temporaryTree } from "../skill-tree.ts";
import { nodeEnvironment } from "./nodes.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** A node in this process; `read` are the files that it opened. */
function node(database: string) {
  const home = temporaryTree();
  const read = { files: 0 };
  const engine = openRepertoire({
    dir: home,
    home,
    env: nodeEnvironment({ database, home }),
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
