// The HTTP application: checks each request, then routes it to MCP or to the API. A web page in the user's browser must
// not reach it, so Host and Origin are checked before anything is read.

import type { IncomingMessage } from "node:http";
import { Hono } from "hono";
import type { LibraryChanges } from "../../engine/engine.ts";
import type { ErrorCode } from "../../model/errors.ts";
import { createMcpRoute } from "../mcp/http.ts";
import type { McpParts } from "../mcp/parts.ts";
import { OPENAPI_PATH } from "./api/operations.ts";
import { inName, mountApi } from "./api/router.ts";
import { EventHub } from "./events.ts";
import { Gate, type HttpEnv } from "./gate.ts";
import { JobBoard } from "./jobs.ts";
import type { HttpLimits } from "./limits.ts";
import { Metrics } from "./metrics.ts";
import { OtherEngines } from "./other-engines.ts";
import { Browsers, mountPages } from "./page.ts";

/** What a balancer asks. */
const PROBES: ReadonlySet<string> = new Set(["/live", "/ready"]);

interface AppOptions {
  readonly parts: McpParts;
  readonly version: string;
  readonly token: string;
  /** `host:port` as a client may write it. */
  readonly hosts: () => readonly string[];
  readonly isReady: () => boolean;
  readonly limits: HttpLimits;
  /** The dashboard may look, and change nothing. */
  readonly readOnly: boolean;
  readonly note: (text: string) => void;
}

export function createApp(options: AppOptions) {
  const { parts, version, token, hosts, isReady, limits, readOnly, note } = options;
  const mcp = createMcpRoute({ parts, version, maxBodyBytes: limits.mcpBytes, note });
  const { engine } = parts;
  const events = new EventHub(limits);
  const jobs = new JobBoard({
    limits,
    note,
    onChange: ({ result: _, ...job }) => events.publish("job", job),
  });
  const metrics = new Metrics();
  const unsubscribe = engine.subscribe((news) => {
    if (news.about === "proposal") events.publish("proposal", news.proposal);
    else if (news.about === "journal") for (const event of news.events) events.publish("journal", event);
  });
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    await next();
    const route = c.get("route") ?? (c.req.path === "/mcp" ? "/mcp" : "other");
    metrics.request({ method: c.req.method, route, status: String(c.res.status) });
    // What is refused unread ends the connection; a client that is not told loses its next request to it.
    const { incoming } = c.env;
    if (!incoming.complete && !(await readAway(incoming, limits.unreadMs))) c.header("Connection", "close");
  });
  app.use(async (c, next) => {
    // A balancer asks by address. Whether a server is up is no secret.
    if (PROBES.has(c.req.path)) return next();
    const host = c.req.header("host")?.toLowerCase() ?? "";
    if (!hosts().includes(host))
      return c.json(refusal("host-refused", "This address is not served here."), 403);
    const origin = c.req.header("origin")?.toLowerCase();
    if (
      origin !== undefined &&
      !hosts().some((allowed) => origin === `http://${allowed}` || origin === `https://${allowed}`)
    )
      return c.json(refusal("origin-refused", "Requests from this origin are not answered."), 403);
    await next();
  });
  const startedAt = Date.now();
  const others = new OtherEngines(engine);
  const api = { version, engine, others, jobs, events, metrics, isReady, startedAt, readOnly };
  const browsers = new Browsers();
  const gate = new Gate({
    token,
    callers: async () => (await engine.fleet())?.callers,
    isPage: (c) => browsers.sent(c),
    limits,
    note,
  });
  mountApi(app, { api, gate, limits, note });
  app.use("/mcp", async (c, next) => {
    const refused = await gate.refused(c, "mcp");
    if (refused) return refused;
    if (c.req.method === "POST" && !/^application\/json\b/i.test(c.req.header("content-type") ?? ""))
      return c.json(refusal("not-json", "Send application/json."), 415);
    await inName(c, next);
  });
  app.all("/mcp", (c) => mcp.fetch(c.req.raw, c.get("agent")));
  mountPages(app, { browsers, gate });
  app.notFound((c) =>
    c.json(
      refusal("not-found", `There is /mcp, /live, /ready, /health, /metrics and /api: see ${OPENAPI_PATH}.`),
      404,
    ),
  );
  app.onError((error, c) => {
    note(error.message);
    return c.json(refusal("unexpected", "The request failed; the server's own output says why."), 500);
  });
  return {
    fetch: app.fetch,
    /** The path of a link that lets one browser in. */
    link: () => browsers.link(),
    /** Tells open subscriptions that the library has changed. */
    changed(changes: LibraryChanges) {
      mcp.changed();
      events.publish("library", changes);
    },
    /** Cancels the jobs and ends the streams, which would never end by themselves. */
    async close() {
      unsubscribe();
      jobs.cancelAll();
      events.close();
      await others.close();
      await mcp.close();
    },
    /** Waits until the jobs have come to a stopping point, or long enough. */
    stopped: () => jobs.stopped(),
  };
}

function refusal(code: ErrorCode, message: string) {
  return { error: { code, message } };
}

/**
 * Reads the rest of a refused body for a while: a client that is still sending does not read the answer before.
 * Returns whether the rest arrived in time; if not, the connection cannot be used again.
 */
function readAway(incoming: IncomingMessage, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      resolve(incoming.complete);
    };
    const timer = setTimeout(over, ms);
    incoming.once("end", over).once("close", over).once("error", over);
    // Earlier listeners would block the stream or keep the data in memory.
    incoming.removeAllListeners("data").removeAllListeners("readable").resume();
  });
}
