// What an MCP server works with: the engine, and its tools, which are opened by the first call that needs them.

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { AgentTool, AgentToolsOptions, Toolbox } from "../../agent/agent.ts";
import type { Repertoire } from "../../engine/engine.ts";
import { OpenQuestions } from "./consent.ts";

export interface McpParts {
  readonly engine: Repertoire;
  readonly questions: OpenQuestions;
  /** What a client of this name works with: its host may not trust the project's folder. */
  of(client: string): McpParts;
  /** The tools of one task, those included that its activated skills have brought. */
  tools(options: AgentToolsOptions): Promise<AgentTool[]>;
  /** Warns once of each problem: a client may list the same skills again and again. */
  warnOnce(text: string, say: (text: string) => void): void;
}

export function openParts(engine: Repertoire, which: "default" | "all"): McpParts {
  const warned = new Set<string>();
  let toolbox: Promise<Toolbox> | undefined;
  const others = new Map<Repertoire, McpParts>();
  return {
    engine,
    questions: new OpenQuestions(engine.clock),
    of(client) {
      const other = engine.forHost(client);
      if (other === engine) return this;
      const known = others.get(other) ?? openParts(other, which);
      others.set(other, known);
      return known;
    },
    async tools(options) {
      toolbox ??= engine.toolbox(which);
      const opened = await toolbox;
      return [...opened.served(options), ...opened.brought(options)];
    },
    warnOnce(text, say) {
      if (warned.has(text)) return;
      warned.add(text);
      say(text);
    },
  };
}

/** Reads the cursor of a long list: a number from an earlier answer; any other is refused, as the protocol requires. */
export function pageStart(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "This cursor is unknown. List again without one, and send the nextCursor of each answer.",
  );
}
