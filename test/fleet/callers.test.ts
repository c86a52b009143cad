// Agents that ask a node with tokens of the fleet, over HTTP and MCP: each has the rights of its role, until it is revoked.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { OPERATIONS } from "../../src/adapters/http/api/operations.ts";
import { serveOverHttp } from "../../src/adapters/http/serve.ts";
import { openRepertoire } from "../../src/engine/engine.ts";
import { DatabaseTokens, type NewToken } from "../../src/stores/postgres/tokens.ts";
import { temporaryTree } from "../skill-tree.ts";
import { nodeEnvironment } from "./nodes.ts";
import { startProxy } from "./proxy.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const TULIPS = "Waters the tulips. Use when tulips look dry.\n\n1. Fill the can.\n";

/** A node that serves, behind a line that can be cut, and tokens of its database. */
async function served() {
  const database = await server.createDatabase();
  const proxy = await startProxy(database);
  onTestFinished(() => proxy.stop());
  const home = temporaryTree();
  const engine = openRepertoire({ dir: home, home, env: nodeEnvironment({ database: proxy.url, home }) });
  const serving = await serveOverHttp(engine, { port: 0, version: "0", tools: "default", note: () => {} });
  onTestFinished(() => serving.close());
  const tokens = new DatabaseTokens({ url: database });
  onTestFinished(() => tokens.close());
  const agent = async (role: NewToken["role"], scope?: string) => {
    const { id, token } = await tokens.create({ name: role, role, scope });
    const call = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
      const response = await fetch(`http://127.0.0.1:${serving.port}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...more },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
      const session = response.headers.get("mcp-session-id");
      return { status: response.status, session, body: JSON.parse(json || "{}") };
    };
    /** One MCP session, of its own unless given; returns a function that asks in it. */
    const mcp = async (known?: string) => {
      const accept = { accept: "application/json, text/event-stream" };
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "t", version: "0" },
      };
      const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params };
      const session = known ?? (await call("POST", "/mcp", initialize, accept)).session ?? "";
      const inSession = { ...accept, "mcp-session-id": session };
      const ask = async (asked: string, given: object = {}) =>
        (await call("POST", "/mcp", { jsonrpc: "2.0", id: 2, method: asked, params: given }, inSession)).body
          .result;
      return Object.assign(ask, { session });
    };
    return { id, token, call, mcp };
  };
  return { proxy, engine, tokens, agent };
}

const save = (content = TULIPS) => ["PUT", "/api/skills/water-tulips", { content }] as const;
const recall = ["POST", "/api/recall", { message: "my tulips look dry" }] as const;
const refused = { status: 403, body: { error: { code: "role-insufficient" } } };

describe("an agent with a token of the fleet", () => {
  it("does what its role allows, in its own name, and nothing about the machine", async () => {
    const { agent } = await served();
    const [reader, writer, curator] = [await agent("reader"), await agent("writer"), await agent("curator")];
    expect(await reader.call(...save())).toMatchObject(refused);
    expect(await writer.call(...save())).toMatchObject({ status: 200, body: { result: "created" } });
    const history = await reader.call("GET", "/api/skills/water-tulips/history");
    expect(history.body.versions).toMatchObject([{ author: `agent:${writer.id}` }]);
    expect((await reader.call(...recall)).body.matches).toMatchObject([{ name: "water-tulips" }]);
    const report = { session: "s", skill: "water-tulips", outcome: "success" };
    const outcome = ["POST", "/api/outcomes", report] as const;
    expect(await reader.call(...outcome)).toMatchObject(refused);
    expect(await writer.call(...outcome)).toMatchObject({ body: { error: { code: "not-activated" } } });
    expect(await writer.call("DELETE", "/api/skills/water-tulips")).toMatchObject(refused);
    for (const path of ["/api/doctor", "/api/journal", "/metrics"])
      expect(await writer.call("GET", path)).toMatchObject(refused);
    const [method, path, body] = recall;
    expect(await curator.call(method, path, { ...body, elsewhere: { project: "/" } })).toMatchObject(refused);
    const script = ["POST", "/api/skills/water-tulips/run"] as const;
    for (const reach of [{ read: ["/"] }, { write: ["/"] }, { network: true }])
      expect(await curator.call(...script, { task: "t", script: "a.sh", ...reach })).toMatchObject(refused);
    expect((await curator.call("DELETE", "/api/skills/water-tulips")).status).toBe(200);
  });

  it("is stopped by the database itself, whatever the node would let through", async () => {
    const { engine, agent } = await served();
    const reader = await agent("reader");
    const fleet = (await engine.fleet())!;
    await engine.learned.save({ name: "water-tulips", content: TULIPS });
    const asReader = <T>(work: () => Promise<T>) => fleet.callers.as(reader.token, work);
    await expect(
      asReader(() => engine.learned.save({ name: "water-tulips", content: `${TULIPS}2.\n` })),
    ).rejects.toMatchObject({ code: "role-insufficient" });
    await expect(asReader(() => engine.learned.delete("water-tulips"))).rejects.toMatchObject({
      code: "role-insufficient",
    });
    await expect(
      asReader(async () =>
        fleet.store.journal.append([
          {
            kind: "outcome",
            at: 1,
            session: "s",
            turn: 1,
            skill: "a",
            details: { result: "success" },
          } as never,
        ]),
      ),
    ).rejects.toMatchObject({ code: "role-insufficient" });
    expect(await asReader(() => engine.learned.history("water-tulips"))).toMatchObject({ total: 1 });
    // What the node does for itself goes on with its own rights.
    expect(await asReader(async () => fleet.store.journal.tallies())).toMatchObject([
      { name: "water-tulips" },
    ]);
  });

  it("is refused from the moment at which its token is revoked, and with a token of another scope", async () => {
    const { agent, tokens } = await served();
    const [writer, stranger] = [await agent("writer"), await agent("owner", "elsewhere")];
    const ask = await writer.mcp();
    expect((await writer.call(...recall)).status).toBe(200);
    const gone = { status: 401, body: { error: { code: "token-refused" } } };
    expect(await stranger.call(...recall)).toMatchObject(gone);
    await tokens.revoke(writer.id);
    expect(await writer.call(...recall)).toMatchObject(gone);
    expect(await writer.call(...save())).toMatchObject(gone);
    expect(await ask("tools/list")).toBeUndefined();
  });

  it("has the tools of its role over MCP", async () => {
    const { agent } = await served();
    const [reader, writer] = [await agent("reader"), await agent("writer")];
    const toolsOf = async (ask: Awaited<ReturnType<typeof reader.mcp>>) =>
      (await ask("tools/list")).tools.map(({ name }: { name: string }) => name);
    const [asReader, asWriter] = [await reader.mcp(), await writer.mcp()];
    expect(await toolsOf(asReader)).not.toContain("save_skill");
    expect(await toolsOf(asReader)).toContain("recall_skills");
    expect(await toolsOf(asWriter)).toContain("save_skill");
    const given = { name: "save_skill", arguments: { name: "water-tulips", content: TULIPS } };
    expect(await asReader("tools/call", given)).toBeUndefined();
    expect((await asWriter("tools/call", given)).isError).toBeUndefined();
    expect((await reader.call(...recall)).body.matches).toMatchObject([{ name: "water-tulips" }]);
    const stolen = await reader.mcp(asWriter.session);
    expect(await stolen("tools/list")).toBeUndefined();
    expect(await asWriter("tools/list")).toBeDefined();
  });

  it("goes on while the database is away, if it was known before", async () => {
    const { proxy, agent } = await served();
    const [reader, writer, late] = [await agent("reader"), await agent("writer"), await agent("reader")];
    await writer.call(...save());
    await reader.call(...recall);
    proxy.set("silent");
    // Nobody waits for a line that says nothing.
    expect((await reader.call(...recall)).body.matches).toMatchObject([{ name: "water-tulips" }]);
    proxy.set("cut");
    expect((await reader.call(...recall)).body.matches).toMatchObject([{ name: "water-tulips" }]);
    expect(await reader.call(...save("Other.\n"))).toMatchObject(refused);
    expect(await writer.call(...save(`${TULIPS}2. Pour.\n`))).toMatchObject({
      status: 200,
      body: { notices: [{ code: "save-spooled" }] },
    });
    const away = { status: 503, body: { error: { code: "database-away" } } };
    expect(await late.call(...recall)).toMatchObject(away);
    proxy.set("open");
    await expect.poll(async () => (await late.call(...recall)).status).toBe(200);
  });
});

describe("the roles of operations", () => {
  it("leave what is about the machine to its own token", async () => {
    const { requireRole } = await import("../../src/adapters/http/api/roles.ts");
    const left = OPERATIONS.filter(({ id }) => {
      try {
        requireRole("owner", id);
        return false;
      } catch {
        return true;
      }
    });
    expect(left.map(({ id }) => id)).toMatchInlineSnapshot(`
      [
        "createSkill",
        "enableSkill",
        "disableSkill",
        "switchSkills",
        "checkSkills",
        "inspectPackages",
        "listSources",
        "doctor",
        "mendState",
        "planEnrichment",
        "enrichSkills",
        "tidy",
        "indexSkills",
        "listTasks",
        "lookAtPackages",
        "addPackages",
        "installPackages",
        "updatePackages",
        "verifyPackages",
        "removePackages",
        "listCatalogs",
        "refreshCatalogs",
        "health",
        "live",
        "ready",
        "metrics",
        "describeServer",
        "listHosts",
        "streamEvents",
        "listJobs",
        "cancelJob",
      ]
    `);
  });
});
