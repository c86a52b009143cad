// Owns the MCP server as a process: standard input and output belong to the protocol, everything else to standard error.

import { randomUUID } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Repertoire } from "../../engine.ts";
import { messageOf } from "../../model/errors.ts";
import { openParts } from "./parts.ts";
import { createServer } from "./server.ts";

export interface StdioOptions {
  readonly version: string;
  readonly tools: "default" | "all";
  readonly note: (text: string) => void;
}

/** Serves until standard input ends; the task and its consents end with it. */
export async function serveOverStdio(
  engine: Repertoire,
  { version, tools, note }: StdioOptions,
): Promise<void> {
  const parts = openParts(engine, tools);
  const task = `mcp-${randomUUID()}`;
  const servers = new Set<McpServer>();
  const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve).once("close", resolve));
  const handle = serveStdio(
    () => {
      const server = createServer({ parts, version, task, onWarning: note });
      servers.add(server);
      return server;
    },
    { onerror: (error) => note(error.message) },
  );
  // After the first answer can be given: watching many folders takes a while.
  const watching = engine.watch(
    () => {
      for (const server of servers) {
        if (!server.isConnected()) continue;
        server.sendPromptListChanged();
        server.sendResourceListChanged();
      }
    },
    (error) => note(messageOf(error)),
  );
  await ended;
  await handle.close();
  await watching;
  await parts.tasks.end(task);
  await parts.close();
}
