// Eight nodes in eight processes change the same skills at once, and one is killed on the way: no acknowledged change is lost,
// and all end with the same library and the same answers. `REPERTOIRE_OPERATIONS` makes it larger.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { type FleetNode, startNode } from "./nodes.ts";
import { seeded } from "./seeded.ts";

const NODES = 8;
/** Of each node. */
const OPERATIONS = Math.ceil(Number(process.env.REPERTOIRE_OPERATIONS ?? 64) / NODES);
const PLANTS = ["tulip", "rose", "fern", "cactus", "ivy", "moss"];

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** What a node acknowledged: versions by name. */
type Acknowledged = Map<string, Set<string>>;

async function work(node: FleetNode, seed: number, acknowledged: Acknowledged): Promise<void> {
  const random = seeded(seed);
  for (let at = 0; at < OPERATIONS; at++) {
    const plant = PLANTS[Math.floor(random() * PLANTS.length)]!;
    const name = `water-${plant}`;
    const kind = random();
    const content = `Waters the ${plant}. Use when the ${plant} looks dry.\n\n1. Node ${seed}, step ${at}.\n`;
    const { status, body } =
      kind < 0.6
        ? await node.save(name, content)
        : kind < 0.7
          ? await node.call("DELETE", `/api/skills/${name}`)
          : kind < 0.8
            ? await node.call("POST", "/api/outcome", {
                session: `s${seed}`,
                outcome: "success",
                skill: name,
              })
            : await node.call("POST", "/api/recall", { message: `the ${plant} looks dry` });
    // Another node may have deleted the skill, and nothing was recalled in this session.
    expect([200, 400, 404, 409], JSON.stringify(body)).toContain(status);
    if (status === 200 && body.version !== undefined) acknowledged.get(name)!.add(body.version);
  }
}

async function libraryOf(node: FleetNode) {
  const { body } = await node.call("GET", "/api/skills");
  const listed = (body.skills as { name: string; digest: string }[]).map(({ name, digest }) => [
    name,
    digest,
  ]);
  const answers = await Promise.all(
    PLANTS.map(async (plant) => {
      const { body: answer } = await node.call("POST", "/api/recall", { message: `the ${plant} looks dry` });
      return (answer.matches as { name: string; score: number }[]).map(({ name, score }) => [name, score]);
    }),
  );
  return JSON.stringify({ listed: listed.sort(), answers });
}

it("eight nodes converge, and lose nothing that they acknowledged", async () => {
  const database = await server.createDatabase();
  const nodes: FleetNode[] = [await startNode({ database })];
  nodes.push(...(await Promise.all(Array.from({ length: NODES - 1 }, () => startNode({ database })))));
  const acknowledged: Acknowledged = new Map(PLANTS.map((plant) => [`water-${plant}`, new Set()]));
  const last = nodes.at(-1)!;
  const killed = work(last, NODES, acknowledged).catch(() => "killed");
  await Promise.all([
    ...nodes.slice(0, -1).map((node, seed) => work(node, seed, acknowledged)),
    last.call("GET", "/live").then(() => last.kill()),
  ]);
  await killed;
  nodes[NODES - 1] = await startNode({ database, home: last.home });
  for (const [name, versions] of acknowledged) {
    const { body } = await nodes[0]!.call("GET", `/api/skills/${name}/history`);
    const history = (body.versions ?? []) as { id: string; parent?: string }[];
    expect(new Set(history.map(({ id }) => id)).size).toBe(history.length);
    expect([...versions].filter((id) => !history.some((version) => version.id === id))).toEqual([]);
    for (const [at, { parent }] of history.entries()) expect(parent).toBe(history[at + 1]?.id);
  }
  await expect
    .poll(async () => new Set(await Promise.all(nodes.map(libraryOf))).size, { interval: 500 })
    .toBe(1);
});
