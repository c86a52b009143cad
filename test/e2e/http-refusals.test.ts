// Everybody who must stay outside of the API, and every request that must not be taken, each with the right status.

import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { served } from "../http-served.ts";

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** `fetch` would not let us write a wrong Host. */
function send(url: string, { method = "GET", headers = {}, body }: Sent) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((settle, fail) => {
    const sent = request(url, { method, headers }, (response) => {
      let text = "";
      response.on("data", (part) => {
        text += part;
      });
      response.on("end", () =>
        settle({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

const RECALL = JSON.stringify({ message: "plan a meeting" });

describe("the API keeps outside", () => {
  it.each(["/api/skills", "/api/events", "/api/openapi.json", "/api/nothing", "/metrics"])(
    "whoever comes to %s from elsewhere or without the token",
    async (path) => {
      const { url, token } = await served();
      const good = { authorization: `Bearer ${token}` };
      const status = async (headers: Record<string, string>) => (await send(url + path, { headers })).status;
      expect({
        host: await status({ ...good, host: "evil.example" }),
        port: await status({ ...good, host: "127.0.0.1:1" }),
        origin: await status({ ...good, origin: "https://evil.example" }),
        null: await status({ ...good, origin: "null" }),
        none: await status({}),
        wrong: await status({ authorization: `Bearer ${token}x` }),
        basic: await status({ authorization: `Basic ${token}` }),
        query: (await send(`${url}${path}?token=${token}`, {})).status,
      }).toEqual({
        host: 403,
        port: 403,
        origin: 403,
        null: 403,
        none: 401,
        wrong: 401,
        basic: 401,
        query: 401,
      });
    },
  );

  it("a web page's form, but not a page of its own address", async () => {
    const { url, token } = await served();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const ask = (more: Record<string, string>) =>
      send(`${url}/api/recall`, { method: "POST", headers: { ...headers, ...more }, body: RECALL });
    expect((await ask({ origin: url })).status).toBe(200);
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/jsonx",
    ])
      expect(await ask({ "content-type": type })).toMatchObject({ status: 415 });
    const preflight = await send(`${url}/api/recall`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(403);
    expect(preflight.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("who asks too often: first the stranger, and much later the person", async () => {
    const { raw, url } = await served({
      limits: { burst: 5, perSecond: 0.01, strangerBurst: 2, strangerPerSecond: 0.01 },
    });
    const strangers = [];
    for (let at = 0; at < 3; at++) strangers.push(await fetch(`${url}/api/skills`));
    expect(strangers.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect(Number(strangers[2]!.headers.get("retry-after"))).toBeGreaterThan(0);
    const person = [];
    for (let at = 0; at < 6; at++) person.push((await raw("/api/jobs")).status);
    expect(person).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("a method that MCP does not have, and names those it has", async () => {
    const { raw } = await served();
    for (const method of ["PUT", "PATCH", "OPTIONS", "HEAD"]) {
      const response = await raw("/mcp", { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
    }
  });

  it("who asks too often over MCP, which takes nothing from the API; a stranger's tries count together", async () => {
    const { raw, url } = await served({
      limits: { mcpBurst: 3, mcpPerSecond: 0.01, strangerBurst: 2, strangerPerSecond: 0.01 },
    });
    const hello = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const agent = [];
    for (let at = 0; at < 4; at++) agent.push(await raw("/mcp", hello));
    expect(agent.map(({ status }) => status)).toEqual([400, 400, 400, 429]);
    expect(Number(agent[3]!.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await raw("/api/jobs")).status).toBe(200);
    const strangers = [];
    for (const path of ["/mcp", "/api/skills", "/mcp"]) strangers.push(await fetch(url + path));
    expect(strangers.map(({ status }) => status)).toEqual([401, 401, 429]);
  });
});

describe("the API refuses", () => {
  it("what is no JSON, not what the schema says, or too large, and says which part", async () => {
    const { url, token, call, notes } = await served({ limits: { bodyBytes: 2_000 } });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const post = async (body: string, more: Record<string, string> = {}) => {
      const sent = { method: "POST", headers: { ...headers, ...more }, body };
      const { status, body: answer } = await send(`${url}/api/recall`, sent);
      return { status, ...JSON.parse(answer).error };
    };
    expect(await post("{")).toMatchObject({ status: 400, code: "invalid-json" });
    expect(await post("[]")).toMatchObject({ status: 400, code: "invalid-request" });
    expect(await post('{"message": 1, "k": 0, "frame": "x"}')).toMatchObject({
      status: 400,
      issues: [{ path: "body.message" }, { path: "body.frame" }, { path: "body.k" }],
    });
    expect(await post('{"message": "a", "mesage": "b"}')).toMatchObject({
      status: 400,
      code: "invalid-request",
    });
    expect(await post('{"message": "a", "__proto__": {"k": 1}}')).toMatchObject({ status: 400 });
    expect(await post(JSON.stringify({ message: "x".repeat(3_000) }))).toMatchObject({
      status: 413,
      code: "too-large",
      value: 2_000,
    });
    const chunked = { "transfer-encoding": "chunked" };
    expect(await post(JSON.stringify({ message: "x".repeat(3_000) }), chunked)).toMatchObject({
      status: 413,
    });
    const query = await call("listSkills", { query: { al: true }, status: 400 });
    expect(query.error.issues).toMatchObject([{ path: "query" }]);
    await call("listEvents", { query: { limit: 1_000_000 }, status: 400 });
    await call("showProposal", { params: { number: "x" }, status: 400 });
    await call("evaluate", { body: { cases: [{ query: "a" }] }, query: { wait: 1_000 }, status: 400 });
    expect(notes).toEqual([]);
  });

  it("a body that is too large without losing the next request of the same client", async () => {
    const { url, token } = await served();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const statuses = [];
    for (const length of [10, 300_000, 10, 9_000_000, 10]) {
      const sent = request(`${url}/api/recall`, { method: "POST", headers, agent });
      sent.end(JSON.stringify({ message: "x".repeat(length) }));
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      statuses.push(response.statusCode);
      await once(response.resume(), "end");
    }
    expect(statuses).toEqual([200, 413, 200, 413, 200]);
  });

  it("a client that sends its headers or its body too slowly, and serves the others", async () => {
    const { url, raw } = await served({ limits: { headersMs: 300, requestMs: 600 } });
    const { hostname, port } = new URL(url);
    const starts = [
      "GET /health HTTP/1.1\r\nHost: x\r\n",
      "POST /api/recall HTTP/1.1\r\nContent-Length: 9\r\n\r\n{",
    ];
    for (const start of starts) {
      const slow = connect(Number(port), hostname);
      slow.write(start);
      slow.on("error", () => {});
      slow.resume();
      await once(slow, "close");
    }
    expect((await raw("/health")).status).toBe(200);
  });

  it("paths and methods that there are not, and names where to look", async () => {
    const { raw } = await served();
    for (const path of ["/api", "/api/nothing", "/api/skills/a/b/c/d"]) {
      const response = await raw(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.text()).toContain("/api/openapi.json");
    }
    const wrong = await raw("/api/recall", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("names that would lead elsewhere", async () => {
    const { raw, call } = await served();
    for (const name of ["../../etc/passwd", "a/../b"]) {
      await call("showSkill", { params: { name }, status: 404 });
      await call("saveSkill", { params: { name }, body: { content: "Do it." }, status: 400 });
    }
    expect((await raw("/api/skills/%E0%A4%A")).status).toBe(404);
  });

  it("without telling what went wrong inside, or leaving secrets in its notes", async () => {
    const { raw, engine, token, notes } = await served();
    Object.defineProperty(engine.library, "sources", {
      value: () => {
        throw new Error("inner detail");
      },
    });
    const response = await raw("/api/sources", { headers: { "x-own": "private words" } });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(JSON.parse(text).error.code).toBe("unexpected");
    expect(text).not.toMatch(/inner detail|at .*\.ts/);
    expect(notes).toEqual(["inner detail"]);
    expect(notes.join()).not.toContain(token);
  });

  it("to be kept by caches or read as another type", async () => {
    const { raw } = await served();
    for (const path of ["/api/skills", "/api/nothing", "/metrics", "/health"]) {
      const { headers } = await raw(path);
      expect([path, headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual([
        path,
        "no-store",
        "nosniff",
      ]);
    }
  });
});

describe("a server behind a balancer", () => {
  it("answers to the names that it was given, and to no others", async () => {
    const { url, token } = await served({ allowHosts: ["Skills.internal", "node-a:7431"] });
    const status = async (headers: Record<string, string>, path = "/api/skills") =>
      (await send(url + path, { headers: { authorization: `Bearer ${token}`, ...headers } })).status;
    expect({
      name: await status({ host: "skills.internal" }),
      "name and port": await status({ host: "node-a:7431" }),
      "its page through TLS": await status({ host: "skills.internal", origin: "https://skills.internal" }),
      "another name": await status({ host: "evil.example" }),
      "a part of a name": await status({ host: "node-a" }),
      "another page": await status({ host: "skills.internal", origin: "https://evil.example" }),
    }).toEqual({
      name: 200,
      "name and port": 200,
      "its page through TLS": 200,
      "another name": 403,
      "a part of a name": 403,
      "another page": 403,
    });
  });

  it("says by any name and without a token whether it is up and ready, and nothing else", async () => {
    const { url } = await served();
    const ask = (path: string) => send(url + path, { headers: { host: "10.1.2.3:80" } });
    expect(JSON.parse((await ask("/live")).body)).toEqual({ live: true });
    await expect.poll(async () => (await ask("/ready")).status).toBe(200);
    expect(JSON.parse((await ask("/ready")).body)).toEqual({ ready: true });
    for (const path of ["/health", "/metrics", "/api/skills", "/live/../api/skills"])
      expect([path, (await ask(path)).status]).toEqual([path, 403]);
  });
});
