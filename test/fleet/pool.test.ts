// Nodes behind PgBouncer in transaction mode, where it is installed. Elsewhere `mirror.test.ts` has a subscription that no news
// come through, which is what such a pool does.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { startPostgres } from "../../scripts/postgres.mjs";
import { startNode } from "./nodes.ts";

const TULIPS = "Waters the tulips of the garden. Use when tulips look dry.\n\n1. Fill the can.\n";

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

/** The address of the database through a pool with few connections, each given to one transaction at a time. */
async function pooled(database: string): Promise<string> {
  const { username, password, port, pathname } = new URL(database);
  const name = pathname.slice(1);
  const folder = mkdtempSync(join(tmpdir(), "repertoire-pool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const listen = await freePort();
  writeFileSync(join(folder, "users.txt"), `"${username}" "${password}"\n`);
  writeFileSync(
    join(folder, "pool.ini"),
    `[databases]
${name} = host=127.0.0.1 port=${port} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, "users.txt")}
pool_mode = transaction
default_pool_size = 3
max_client_conn = 100
`,
  );
  chmodSync(folder, 0o755);
  // As root it refuses to run, too.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const pool: ChildProcess = spawn("pgbouncer", [join(folder, "pool.ini")], { ...user, stdio: "ignore" });
  onTestFinished(() => void pool.kill("SIGKILL"));
  const url = `postgres://${username}:${password}@127.0.0.1:${listen}/${name}`;
  await expect.poll(() => answers(url)).toBe(true);
  return url;
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, prepare: false, onnotice: () => {} });
  try {
    await sql.unsafe("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

it("work behind a pool in transaction mode, and see each other's changes", async () => {
  if (spawnSync("pgbouncer", ["--version"]).status !== 0) return;
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const database = await pooled(await server.createDatabase());
  const [a, b] = await Promise.all([startNode({ database }), startNode({ database })]);
  for (let at = 0; at < 5; at++)
    expect((await a.save("water-tulips", `${TULIPS}${at + 2}. Step ${at}.\n`)).status).toBe(200);
  await expect.poll(() => b.recall("my tulips look dry")).toEqual(["water-tulips"]);
  expect((await b.save("water-tulips", TULIPS)).status).toBe(200);
  const { body } = await a.call("GET", "/api/skills/water-tulips/history");
  expect(body.versions).toHaveLength(6);
});
