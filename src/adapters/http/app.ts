// Owns the way into the HTTP server: who may come in, from where, with what. `/mcp` behind it is `adapters/mcp`'s.
// A web page in the user's browser must not reach it: Host and Origin are checked before anything is read.

import { createMcpHandler } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import type { McpParts } from "../mcp/parts.ts";
import { createServer } from "../mcp/server.ts";
import { isAuthorised } from "./token.ts";

export interface AppOptions {
  readonly parts: McpParts;
  readonly version: string;
  readonly token: string;
  readonly task: string;
  /** `host:port` as a client may write it. */
  readonly hosts: () => readonly string[];
  readonly note: (text: string) => void;
}

const LIMITS = {
  /** A skill with its files fits; a larger body is a mistake or an attack. */
  bodyBytes: 4 * 1024 * 1024,
} as const;

export function createApp({ parts, version, token, task, hosts, note }: AppOptions) {
  const mcp = createMcpHandler(() => createServer({ parts, version, task, onWarning: note }), {
    maxRequestBodySize: LIMITS.bodyBytes,
    onerror: (error) => note(error.message),
  });
  const app = new Hono();
  app.use(async (c, next) => {
    const host = c.req.header("host")?.toLowerCase() ?? "";
    if (!hosts().includes(host))
      return c.json(refusal("host-refused", "This address is not served here."), 403);
    const origin = c.req.header("origin")?.toLowerCase();
    if (origin !== undefined && !hosts().some((allowed) => origin === `http://${allowed}`))
      return c.json(refusal("origin-refused", "Requests from this origin are not answered."), 403);
    await next();
  });
  app.get("/health", (c) => c.json({ ok: true, version }));
  app.use("/mcp", async (c, next) => {
    if (!isAuthorised(c.req.header("authorization"), token)) {
      c.header("WWW-Authenticate", 'Bearer realm="repertoire"');
      return c.json(refusal("unauthorised", "Send the token: Authorization: Bearer TOKEN."), 401);
    }
    if (c.req.method === "POST" && !/^application\/json\b/i.test(c.req.header("content-type") ?? ""))
      return c.json(refusal("not-json", "Send application/json."), 415);
    await next();
  });
  app.all("/mcp", (c) => mcp.fetch(c.req.raw));
  app.notFound((c) => c.json(refusal("not-found", "There is /mcp and /health."), 404));
  app.onError((error, c) => {
    note(error.message);
    return c.json(refusal("unexpected", "The request failed; the server's own output says why."), 500);
  });
  return {
    fetch: app.fetch,
    /** Tells open subscriptions that the library has changed. */
    changed() {
      mcp.notify.promptsChanged();
      mcp.notify.resourcesChanged();
    },
    close: () => mcp.close(),
  };
}

function refusal(code: string, message: string) {
  return { error: { code, message } };
}
