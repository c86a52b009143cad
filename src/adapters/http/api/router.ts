// Makes routes from the table of operations: checks the input, runs the operation, as a job if it may take long.

import type { Hono, Context as HonoContext } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as z from "zod";
import { ApiError, bodyFor, type Issue, statusFor } from "../errors.ts";
import type { Gate, HttpEnv } from "../gate.ts";
import type { HttpLimits } from "../limits.ts";
import { openApiDocument } from "./openapi.ts";
import { type Api, type ApiOperation, type RequestControl, waitQuery } from "./operation.ts";
import { OPENAPI_PATH, OPERATIONS } from "./operations.ts";
import { refuseMachine, requireRole } from "./roles.ts";

interface RouterOptions {
  readonly api: Api;
  readonly gate: Gate;
  readonly limits: HttpLimits;
  readonly note: (text: string) => void;
}

type Context = HonoContext<HttpEnv>;

const NOTHING = z.strictObject({});
const WITH_BODY: readonly string[] = ["POST", "PUT", "PATCH"];

export function mountApi(app: Hono<HttpEnv>, { api, gate, limits, note }: RouterOptions): void {
  const fail = (c: Context, thrown: unknown) => c.json(bodyFor(thrown, note), statusFor(thrown));

  for (const path of ["/api/*", "/metrics", "/health", "/live", "/ready"]) {
    app.use(path, async (c, next) => {
      c.header("Cache-Control", "no-store");
      c.header("X-Content-Type-Options", "nosniff");
      await next();
    });
  }
  for (const path of ["/api", "/api/*", "/metrics"])
    app.use(path, async (c, next) => (await gate.refused(c, "api")) ?? (await inName(c, next)));

  app.get(OPENAPI_PATH, (c) => c.json(openApiDocument(api.version)));
  for (const row of OPERATIONS) {
    const maxSize = row.bodyBytes ?? limits.bodyBytes;
    const onError = (c: HonoContext) =>
      fail(
        c as Context,
        new ApiError("too-large", `The body is larger than ${maxSize} bytes.`, { value: maxSize }),
      );
    app.on(row.method.toUpperCase(), routeOf(row.path), bodyLimit({ maxSize, onError }), async (c) => {
      c.set("route", row.path);
      try {
        return await answered(row, c, api);
      } catch (thrown) {
        return fail(c, thrown);
      }
    });
  }
  for (const path of new Set(OPERATIONS.map((row) => row.path))) {
    const methods = OPERATIONS.filter((row) => row.path === path).map(({ method }) => method.toUpperCase());
    app.all(routeOf(path), (c) => {
      c.header("Allow", methods.join(", "));
      return fail(c, new ApiError("method-not-allowed", `${path} takes ${methods.join(", ")}.`));
    });
  }
  const nowhere = (c: Context) =>
    fail(c, new ApiError("not-found", `There is no ${c.req.path}. ${OPENAPI_PATH} lists what there is.`));
  app.all("/api", nowhere);
  app.all("/api/*", nowhere);
}

async function answered(row: ApiOperation, c: Context, api: Api): Promise<Response> {
  if (api.readOnly && c.get("isPage") && row.method !== "get" && !row.reads)
    throw new ApiError(
      "read-only",
      "This dashboard only looks. Start it without --read-only to change things.",
    );
  const agent = c.get("agent");
  if (agent) requireRole(agent.role, row.id);
  const given = c.req.query();
  const { wait, ...query } = given;
  const input = {
    params: checked("params", row.params ?? NOTHING, c.req.param()) as never,
    query: checked("query", row.query ?? NOTHING, row.job ? query : given) as never,
    body: checked("body", row.body ?? NOTHING, await bodyOf(c)) as never,
  };
  if (agent) refuseMachine({ ...(input.query as object), ...(input.body as object) });
  const connection = {
    author: agent ? `agent:${agent.id}` : "person",
    header: (name: string) => c.req.header(name),
    hangUp: () => c.env.outgoing.destroy(),
  };
  if (!row.job) {
    const asked: RequestControl = { ...connection, signal: c.req.raw.signal, progress: () => {} };
    return respond(row, c, await row.run(input, api, asked));
  }
  const { wait: seconds } = checked("query", waitQuery, wait === undefined ? {} : { wait });
  const { id } = api.jobs.start(row.id, async (control) =>
    row.run(input, api, { ...control, ...connection }),
  );
  const job = await api.jobs.wait(id, seconds);
  if (job.state === "done" && seconds > 0) return respond(row, c, job.result);
  c.header("Location", `/api/jobs/${id}`);
  return c.json(job, 202);
}

/** What follows is done for whoever sent the request. */
export function inName(c: Context, next: () => Promise<void>): Promise<void> {
  const agent = c.get("agent");
  return agent ? agent.as(next) : next();
}

function respond(row: ApiOperation, c: Context, answer: unknown): Response {
  // The client of a HEAD request does not read the stream.
  if (c.req.method === "HEAD" && answer instanceof ReadableStream) void answer.cancel();
  if (row.type !== undefined)
    return c.body(answer as string | ReadableStream, 200, { "Content-Type": row.type });
  return c.json(answer as object, row.status ?? 200);
}

/** An empty body counts as an empty object. */
async function bodyOf(c: Context): Promise<unknown> {
  if (!WITH_BODY.includes(c.req.method)) return {};
  const type = c.req.header("content-type");
  const text = await c.req.text();
  if (text === "" && type === undefined) return {};
  if (!/^application\/json\b/i.test(type ?? ""))
    throw new ApiError("not-json", "Send application/json.", { value: type });
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new ApiError("invalid-json", `The body is not JSON: ${thrown.message}.`);
  }
}

function checked<S extends z.ZodType>(place: string, schema: S, given: unknown): z.output<S> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const issues = read.error.issues.map(
    ({ path, message }): Issue => ({ path: [place, ...path.map(String)].join("."), message }),
  );
  const words = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new ApiError("invalid-request", `${words}. ${OPENAPI_PATH} says what is taken.`, { issues });
}

/** `{name}` as Hono writes it. */
function routeOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}
