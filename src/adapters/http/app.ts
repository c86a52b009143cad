// Owns the way into the HTTP server: who may come in, from where, with what. `/mcp` behind it is `adapters/mcp`'s.
// A web page in the user's browser must not reach it: Host and Origin are checked before anything is read.

import { Hono } from "hono";
import { createMcpRoute } from "../mcp/http.ts";
import type { McpParts } from "../mcp/parts.ts";
import { isAuthorised } from "./token.ts";

export interface AppOptions {
  readonly parts: McpParts;
  readonly version: string;
  readonly token: string;
  /** `host:port` as a client may write it. */
  readonly hosts: () => readonly string[];
  readonly note: (text: string) => void;
}

const LIMITS = {
  /** A skill with its files fits; a larger body is a mistake or an attack. */
  bodyBytes: 4 * 1024 * 1024,
} as const;

export function createApp({ parts, version, token, hosts, note }: AppOptions) {
  const mcp = createMcpRoute({ parts, version, maxBodyBytes: LIMITS.bodyBytes, note });
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
    /** Tells the clients that listen that the library has changed. */
    changed: () => mcp.changed(),
    close: () => mcp.close(),
  };
}

function refusal(code: string, message: string) {
  return { error: { code, message } };
}
