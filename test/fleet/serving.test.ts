// Several `repertoire serve` on one database: what one learns, all recall, also while the database is away.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { startNode } from "./nodes.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const TULIPS = "Waters the tulips of the garden. Use when tulips look dry.\n\n1. Fill the can.\n";
const ROSES = "Cuts the roses of the garden. Use when roses are withered.\n\n1. Take the shears.\n";

describe("two nodes on one database", () => {
  it("recall what the other one saved, renamed and deleted", async () => {
    const database = await server.createDatabase();
    const [a, b] = await Promise.all([startNode({ database }), startNode({ database })]);
    expect(await b.recall("my tulips look dry")).toEqual([]);
    expect((await a.save("water-tulips", TULIPS)).body).toMatchObject({ result: "created" });
    await expect.poll(() => b.recall("my tulips look dry")).toEqual(["water-tulips"]);
    expect((await b.save("water-tulips", `${TULIPS}2. Pour.\n`)).body).toMatchObject({ result: "updated" });
    await expect
      .poll(async () => (await a.call("GET", "/api/skills/water-tulips?review=true")).body)
      .toMatchObject({
        skill: { body: expect.stringContaining("2. Pour.") },
      });
    expect((await a.call("DELETE", "/api/skills/water-tulips")).status).toBe(200);
    await expect.poll(() => b.recall("my tulips look dry")).toEqual([]);
  });

  it("make one history of changes at the same time, and lose none", async () => {
    const database = await server.createDatabase();
    const nodes = await Promise.all([startNode({ database }), startNode({ database })]);
    const saved = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        nodes[at % 2]!.save("water-tulips", `${TULIPS}${at + 2}. Step ${at}.\n`),
      ),
    );
    expect(saved.map(({ status }) => status)).toEqual(saved.map(() => 200));
    const ids = saved.map(({ body }) => body.version);
    for (const node of nodes) {
      const { body } = await node.call("GET", "/api/skills/water-tulips/history");
      const versions = body.versions as { id: string; parent?: string }[];
      expect(versions.map(({ id }) => id).sort()).toEqual([...ids].sort());
      // Each follows the one before it.
      for (const [at, { parent }] of versions.entries()) expect(parent).toBe(versions[at + 1]?.id);
    }
  });

  it("recall and save while the database is away, and bring it by themselves", async () => {
    const database = await server.createDatabase();
    const [a, b] = await Promise.all([startNode({ database }), startNode({ database })]);
    await a.save("water-tulips", TULIPS);
    await expect.poll(() => b.recall("my tulips look dry")).toEqual(["water-tulips"]);
    const isConnected = async () =>
      /^repertoire_fleet_connected (?<value>\d)$/m.exec((await b.call("GET", "/metrics")).body)?.groups
        ?.value;
    expect(await isConnected()).toBe("1");
    await server.kill();
    expect(await b.recall("are my tulips dry?")).toEqual(["water-tulips"]);
    expect(await a.save("cut-roses", ROSES)).toMatchObject({
      status: 200,
      body: { result: "created", notices: [{ code: "save-spooled" }] },
    });
    expect(await a.recall("the roses are withered")).toEqual(["cut-roses"]);
    expect(await a.call("POST", "/api/undo", {})).toMatchObject({
      status: 503,
      body: { error: { code: "database-away" } },
    });
    expect((await a.call("GET", "/ready")).status).toBe(200);
    await server.start();
    await expect.poll(() => b.recall("the roses are withered")).toEqual(["cut-roses"]);
  });

  it("start while the database is away, with what they had", async () => {
    const database = await server.createDatabase();
    const a = await startNode({ database });
    await a.save("water-tulips", TULIPS);
    await expect.poll(() => a.recall("my tulips look dry")).toEqual(["water-tulips"]);
    await a.stop();
    await server.kill();
    const again = await startNode({ database, home: a.home });
    expect(await again.recall("my tulips look dry")).toEqual(["water-tulips"]);
    await server.start();
  });
});
