// MCP over HTTP in both revisions: 2025-11-25 with a session per client, for questions and notifications; 2026-07-28
// without state.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpServer,
  ProtocolErrorCode,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { TokenRole } from "../../engine/engine.ts";
import { messageOf } from "../../model/errors.ts";
import type { McpParts } from "./parts.ts";
import { type CallScope, newTask, Scopes } from "./scopes.ts";
import { createServer } from "./server.ts";

interface McpRouteOptions {
  readonly parts: McpParts;
  readonly version: string;
  readonly maxBodyBytes: number;
  readonly note: (text: string) => void;
}

/** Who sends a request with a token of a fleet. */
interface CallingAgent {
  readonly id: string;
  readonly role: TokenRole;
}

interface Session {
  readonly task: string;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** The agent whose token began it; undefined for the server's own. */
  readonly owner: string | undefined;
}

const SWEEP_MS = 60_000;
const METHODS: readonly string[] = ["GET", "POST", "DELETE"];

export function createMcpRoute({ parts, version, maxBodyBytes, note }: McpRouteOptions) {
  const { clock, tasks } = parts.engine;
  const ending = new Set<Promise<unknown>>();
  /** Set while a request of an agent with a token of its own is answered. */
  const agents = new AsyncLocalStorage<CallingAgent | undefined>();
  const role = () => agents.getStore()?.role;
  /** The token that a request came with; undefined for the server's own. */
  const owner = () => agents.getStore()?.id;
  const inBackground = (work: Promise<unknown>) => {
    const settled = work
      .catch((thrown: unknown) => note(messageOf(thrown)))
      .finally(() => ending.delete(settled));
    ending.add(settled);
  };
  const endTask = (task: string) => tasks.end(task);

  const sessions = new Scopes<Session>({
    clock,
    onEnd: ({ task, server }) => inBackground(server.close().then(() => endTask(task))),
  });
  const scopes = new Scopes<CallScope>({ clock, onEnd: ({ task }) => inBackground(endTask(task)) });

  /** Calls belong together when the caller says so, else when they come from clients of one name. */
  const scopeOf = ({ session, client }: { session?: string | undefined; client: string }): CallScope => {
    const key = `${owner() ?? ""} ${session === undefined ? `client ${client}` : `session ${session}`}`;
    return scopes.get(key) ?? scopes.add(key, { task: newTask(), session });
  };
  const stateless = createMcpHandler(
    () =>
      createServer({
        parts,
        version,
        role,
        scopeOf,
        onToolsChanged: () => stateless.notify.toolsChanged(),
        onWarning: note,
      }),
    { legacy: "reject", maxRequestBodySize: maxBodyBytes, onerror: (error) => note(error.message) },
  );

  const begin = async (): Promise<Session> => {
    const task = newTask();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.add(id, session),
      onsessionclosed: (id) => sessions.end(id),
      maxRequestBodySize: maxBodyBytes,
    });
    const server = createServer({
      parts,
      version,
      role,
      scopeOf: (call) => ({ task, session: call.session ?? task }),
      onToolsChanged: () => server.sendToolListChanged(),
      onWarning: note,
    });
    const session = { task, server, transport, owner: owner() };
    await server.connect(transport);
    return session;
  };

  const inSession = async (request: Request, parsedBody: unknown): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    if (id === null && !isInitializeRequest(parsedBody))
      return refusal(400, "Begin with initialize, and send its Mcp-Session-Id from then on.");
    const session = id === null ? await begin() : sessions.get(id);
    // The id of a session is no permission: another token's session does not exist for this one.
    if (!session || session.owner !== owner())
      return refusal(404, "This session is over. Begin again with initialize.");
    return session.transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody });
  };

  const sweep = setInterval(() => {
    sessions.sweep();
    scopes.sweep();
  }, SWEEP_MS).unref();
  inBackground(tasks.endLeft());

  const answer = async (request: Request): Promise<Response> => {
    if (!METHODS.includes(request.method)) return notAllowed(request.method);
    if (request.method !== "POST") return inSession(request, undefined);
    const body = await readRequestBody(request, maxBodyBytes);
    if (body.tooLarge) return refusal(413, `The body is larger than ${maxBodyBytes} bytes.`);
    const parsed = parsedJson(body.text);
    if (parsed === undefined) return refusal(400, "The body is not JSON.", ProtocolErrorCode.ParseError);
    return (await isLegacyRequest(request, parsed))
      ? inSession(request, parsed)
      : stateless.fetch(request, { parsedBody: parsed });
  };

  return {
    fetch: (request: Request, agent: CallingAgent | undefined): Promise<Response> =>
      agents.run(agent, () => answer(request)),
    /** Notifies every subscribed client that the library has changed. */
    changed() {
      stateless.notify.promptsChanged();
      stateless.notify.resourcesChanged();
      for (const { server } of sessions.values()) {
        if (!server.isConnected()) continue;
        server.sendPromptListChanged();
        server.sendResourceListChanged();
      }
    },
    /** Ends every session with its task. */
    async close() {
      clearInterval(sweep);
      await stateless.close();
      sessions.endAll();
      scopes.endAll();
      await Promise.all(ending);
    },
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

function notAllowed(method: string): Response {
  const response = refusal(405, `${method} is not supported. Supported: ${METHODS.join(", ")}.`);
  response.headers.set("Allow", METHODS.join(", "));
  return response;
}

function refusal(status: number, message: string, code: number = ProtocolErrorCode.InvalidRequest): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
