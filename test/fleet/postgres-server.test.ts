// The PostgreSQL that tests run against is a real one, whether the system has it or the package brings it.

import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPostgres, systemPostgres } from "../../scripts/postgres.mjs";

async function started(options: Parameters<typeof startPostgres>[0]) {
  const server = await startPostgres(options);
  onTestFinished(() => server.stop());
  return server;
}

/** One question over a connection of its own. */
async function ask(url: string, question: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return (await sql.unsafe(question)) as readonly Record<string, unknown>[];
  } finally {
    await sql.end();
  }
}

describe("the server of the package", () => {
  it("runs without a system server and without root's rights, each database empty", async () => {
    const server = await started({ binaries: "embedded" });
    const url = await server.createDatabase();
    expect(
      await ask(url, "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'"),
    ).toEqual([{ tables: 0 }]);
    await ask(url, "CREATE TABLE here (at int)");
    expect(await ask(await server.createDatabase(), "SELECT to_regclass('here') AS here")).toEqual([
      { here: null },
    ]);
  });

  it("keeps what was committed when it is killed, if it is durable, and leaves no folder when it stops", async () => {
    const server = await startPostgres({ binaries: "embedded", durable: true });
    const url = await server.createDatabase();
    await ask(url, "CREATE TABLE kept AS SELECT 42 AS value");
    const [{ folder }] = (await ask(server.url(), "SHOW data_directory").then((rows) =>
      rows.map((row) => ({ folder: String(row.data_directory) })),
    )) as [{ folder: string }];
    await server.kill();
    await expect(ask(url, "SELECT 1")).rejects.toThrow();
    await server.start();
    expect(await ask(url, "SELECT value FROM kept")).toEqual([{ value: 42 }]);
    await server.stop();
    expect(existsSync(dirname(folder))).toBe(false);
  });
});

describe("the server of the system", () => {
  it("is the newest installed one, else the one on the path, else none", async () => {
    const server = await started({ binaries: "embedded" });
    const root = mkdtempSync(join(tmpdir(), "repertoire-installed-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const none = join(root, "none");
    expect(systemPostgres({ installed: none, path: none })).toBeUndefined();
    expect(systemPostgres({ installed: none, path: `${none}:${server.bin}` })).toBe(server.bin);
    for (const version of ["9", "15", "16"]) mkdirSync(join(root, version));
    symlinkSync(server.bin, join(root, "9", "bin"));
    symlinkSync(server.bin, join(root, "15", "bin"));
    expect(systemPostgres({ installed: root, path: none })).toBe(join(root, "15", "bin"));
  });

  it("runs alike", async () => {
    const server = await started({ binaries: systemPostgres() ?? "embedded" });
    expect(await ask(await server.createDatabase(), "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
});
