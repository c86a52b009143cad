// The MCP server on standard input and output; everything outside the protocol goes to standard error.

import { type JSONRPCMessage, type McpServer, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Repertoire, stopSlices } from "../../engine/engine.ts";
import { messageOf } from "../../model/errors.ts";
import { FrameReader } from "./frames.ts";
import { joinedSession } from "./host-session.ts";
import { openParts } from "./parts.ts";
import { newTask } from "./scopes.ts";
import { createServer } from "./server.ts";

export interface StdioOptions {
  readonly version: string;
  readonly tools: "default" | "all";
  readonly note: (text: string) => void;
}

/** A host that starts its servers is busy with itself: what is slow and not asked for begins so much later. */
const AFTER_FIRST_ANSWER_MS = 3_000;

/** Requests that were accepted have this long to be answered when the process is told to stop. */
const LAST_ANSWERS_MS = 10_000;

/** Refuses messages that are too large, and says when it is over. */
class EndingTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  private end: () => void = () => {};
  /** The requests that were accepted and not answered yet. */
  private readonly unanswered = new Set<unknown>();
  private isDraining = false;
  isOver = false;

  constructor() {
    super();
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    const frames = new FrameReader({ take: this._ondata, refuse: (id, limit) => this.refuse(id, limit) });
    this._ondata = (chunk) => {
      if (!this.isDraining) frames.read(chunk);
    };
    let take: StdioServerTransport["onmessage"];
    Object.defineProperty(this, "onmessage", {
      get: () => take,
      set: (given: StdioServerTransport["onmessage"]) => {
        take = given && ((message) => this.accept(message, given));
      },
    });
  }

  private accept(message: JSONRPCMessage, take: (message: JSONRPCMessage) => void): void {
    if ("method" in message && "id" in message) this.unanswered.add(message.id);
    take(message);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if ("method" in message || !("id" in message)) return;
    this.unanswered.delete(message.id);
    if (this.isDraining && this.unanswered.size === 0) await this.close();
  }

  /** Takes nothing new, and closes once everything is answered that was accepted. */
  async drain(): Promise<void> {
    this.isDraining = true;
    if (this.unanswered.size === 0) await this.close();
    else setTimeout(() => void this.close(), LAST_ANSWERS_MS).unref();
  }

  private refuse(id: string | number | null, limit: number): void {
    const message = `The message is larger than ${limit} bytes and was not read. Send less at once.`;
    const error = { code: ProtocolErrorCode.InvalidRequest, message };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
    this.onerror?.(new Error(message));
  }

  override async close(): Promise<void> {
    this.isOver = true;
    await super.close();
    this.end();
  }
}

/** Serves until standard input ends; the task and its consents end with it. */
export async function serveOverStdio(
  engine: Repertoire,
  { version, tools, note }: StdioOptions,
): Promise<void> {
  const parts = openParts(engine, tools);
  const task = newTask();
  const servers = new Set<McpServer>();
  const transport = new EndingTransport();
  const handle = serveStdio(
    () => {
      // One process is one conversation, unless the client or the host's hook says otherwise.
      const scopeOf = ({ session, client }: { session?: string | undefined; client: string }) => {
        if (session !== undefined) return { task, session };
        const { home, dir } = engine.config;
        const now = engine.clock.now().getTime();
        const joined = joinedSession({ home, dir, client, parent: process.ppid, now });
        return joined === undefined ? { task, session: task } : { task, session: joined, isHosts: true };
      };
      const onToolsChanged = () => server.sendToolListChanged();
      const server = createServer({ parts, version, scopeOf, onToolsChanged, onWarning: note });
      servers.add(server);
      return server;
    },
    { transport, onerror: (error) => note(error.message) },
  );
  const changed = () => {
    for (const server of servers) {
      if (!server.isConnected()) continue;
      server.sendPromptListChanged();
      server.sendResourceListChanged();
    }
  };
  const onProblem = (error: unknown) => {
    if (!transport.isOver) note(messageOf(error));
  };
  /** Reading the library, opening the store and watching folders: nothing of it is needed to say hello. */
  const behind = async () => {
    await engine.library.watch(changed, onProblem);
    await engine.tasks.endLeft();
  };
  let working = Promise.resolve();
  let beginning: NodeJS.Timeout | undefined;
  process.stdin.once("data", () => {
    beginning = setTimeout(() => {
      working = behind().catch(onProblem);
    }, AFTER_FIRST_ANSWER_MS);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void transport.drain());
  await transport.ended;
  // If the client only initialized the connection, the background work has not begun and must not begin now.
  clearTimeout(beginning);
  await handle.close();
  stopSlices();
  await working;
  await engine.tasks.end(task);
  await engine.close();
  // Whatever the client still sends is for nobody.
  process.stdin.destroy();
}
