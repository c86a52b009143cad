// `repertoire serve` as a process of its own: a real MCP client in both revisions, and everybody who must stay outside.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sandbox } from "../activation-workspace.ts";
import { temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";
import {
  type Answer,
  connectHttp,
  REVISIONS,
  type Revision,
  serve as startServer,
  workspace,
  YES,
} from "./support/mcp.ts";

const program = hostsProgram();
const MODERN = REVISIONS[1][1];

const serve = () => startServer(program.bin, workspace());

async function connect(url: URL, token: string, revision: Revision, answer?: boolean) {
  const given: Answer = answer ? YES : { action: "decline" };
  const answers = answer === undefined ? {} : { answer: () => given };
  return (await connectHttp({ url, token }, { revision, ...answers })).client;
}

const HELLO = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

/** The status of a raw request; `fetch` would not let us write a wrong Host. */
function statusOf(url: URL, headers: Record<string, string>, body = HELLO, method = "POST"): Promise<number> {
  return new Promise((settle, fail) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      settle(response.statusCode ?? 0);
    });
    sent.on("error", fail);
    sent.end(method === "GET" ? undefined : body);
  });
}

describe("serve", () => {
  it.each(REVISIONS)("answers a real client in revision %s", async (_, revision) => {
    const { url, token } = await serve();
    const client = await connect(url, token, revision);
    expect((await client.listTools()).tools).toHaveLength(sandbox.ok ? 7 : 6);
    const recalled = await client.callTool({
      name: "recall_skills",
      arguments: { message: "plan a meeting" },
    });
    expect(JSON.stringify(recalled.content)).toContain("plan-meeting");
    const refused = await client.callTool({ name: "activate_skill", arguments: { name: "plan-meeting" } });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain("plan-meeting");
    expect(JSON.stringify(refused.content)).not.toMatch(/repertoire (?:activate|trust)/);
    await client.close();
  });

  it.each(
    REVISIONS.flatMap(([name, revision]) => [true, false].map((answer) => [name, answer, revision] as const)),
  )(
    "asks the person through a client of revision %s; %s is taken at its word",
    async (_, answer, revision) => {
      const { url, token } = await serve();
      const client = await connect(url, token, revision, answer);
      const { isError } = await client.callTool({
        name: "activate_skill",
        arguments: { name: "plan-meeting" },
      });
      expect(isError ?? false).toBe(!answer);
      await client.close();
    },
  );

  it("serves 100 clients at once", async () => {
    const { url, token } = await serve();
    const names = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const client = await connect(url, token, MODERN);
        const { content } = await client.callTool({ name: "list_skills", arguments: {} });
        await client.close();
        return JSON.stringify(content).includes("plan-meeting");
      }),
    );
    expect(names.filter(Boolean)).toHaveLength(100);
  }, 120_000);

  it("keeps everybody else outside, with the right status", async () => {
    const { url, token, tokenPath } = await serve();
    const good = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const answers = {
      good: await statusOf(url, good),
      "wrong host": await statusOf(url, { ...good, host: "evil.example" }),
      "right name, wrong port": await statusOf(url, { ...good, host: "127.0.0.1:1" }),
      "wrong origin": await statusOf(url, { ...good, origin: "https://evil.example" }),
      "origin null": await statusOf(url, { ...good, origin: "null" }),
      "own origin": await statusOf(url, { ...good, origin: url.origin }),
      "no token": await statusOf(url, { ...good, authorization: "" }),
      "wrong token": await statusOf(url, { ...good, authorization: `Bearer ${token}x` }),
      "not bearer": await statusOf(url, { ...good, authorization: `Basic ${token}` }),
      "a form": await statusOf(url, { ...good, "content-type": "application/x-www-form-urlencoded" }),
      "too large": await statusOf(url, good, `"${"x".repeat(5 * 1024 * 1024)}"`),
      "not JSON": await statusOf(url, good, "garbage"),
      elsewhere: await statusOf(new URL("/elsewhere", url), good),
      "health needs no token": await statusOf(new URL("/health", url), {}, "", "GET"),
      "health, wrong host": await statusOf(new URL("/health", url), { host: "evil.example" }, "", "GET"),
    };
    expect(answers).toEqual({
      good: 200,
      "wrong host": 403,
      "right name, wrong port": 403,
      "wrong origin": 403,
      "origin null": 403,
      "own origin": 200,
      "no token": 401,
      "wrong token": 401,
      "not bearer": 401,
      "a form": 415,
      "too large": 413,
      "not JSON": 400,
      elsewhere: 404,
      "health needs no token": 200,
      "health, wrong host": 403,
    });
    expect(statSync(tokenPath).mode & 0o777).toBe(0o600);
  });

  it("refuses a request whose header and body name different methods", async () => {
    const { url, token } = await serve();
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
    };
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } });
    expect(await statusOf(url, headers, body)).toBe(400);
    expect(await statusOf(url, { ...headers, "mcp-method": "tools/list" }, body)).toBe(200);
  });

  it("stops in good order while a stream of events is open", async () => {
    const { child, ended, url, token } = await serve();
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await fetch(new URL("/api/events", url), { headers });
    const reading = new Response(body).text();
    child.kill("SIGTERM");
    expect(await reading).toContain("event: hello");
    expect(await ended).toBe(0);
  });

  it("tells a person where it is, what to try, and to whom not to give the token", async () => {
    const home = temporaryTree({ "p/x": "" });
    const child = spawn(process.execPath, [program.bin, "--dir", join(home, "p"), "serve", "--port", "0"], {
      env: { PATH: process.env.PATH, REPERTOIRE_HOME: home },
    });
    const ended = new Promise((settle) => child.on("close", settle));
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    let out = "";
    child.stdout.on("data", (part) => {
      out += part;
    });
    await expect.poll(() => out).toContain("Ctrl-C");
    expect(out).toMatch(/\bhttp:\/\/127\.0\.0\.1:\d+ .*\/mcp\b.*\/api\b.*token\.$/m);
    const [, line] = /^ {2}(curl .*\/api\/recall .*)$/m.exec(out) ?? [];
    expect(line).toContain("Authorization: Bearer $(cat '");
    expect(out.trim().split("\n").at(-1)).toMatch(/\btoken\b.*\bmodel\b/);
    if (spawnSync("curl", ["--version"]).status !== 0) return;
    const answer = execFileSync("sh", ["-c", line!], { encoding: "utf8" });
    expect(JSON.parse(answer)).toMatchObject({ message: "write a skill", matches: expect.any(Array) });
  });

  it("stops in good order when told to", async () => {
    const { child, ended } = await serve();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});
