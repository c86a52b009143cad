// Owns what an MCP server works with: the engine, and the tools over its workshop, opened when first needed, so that the
// first answer of a process waits for neither. No logic of its own; `server.ts` serves it.

import type { AgentTool, AgentToolsOptions } from "../../agent/agent.ts";
import { Toolbox } from "../../agent/agent.ts";
import type { Repertoire, Workshop } from "../../engine/engine.ts";

export interface McpParts {
  readonly engine: Repertoire;
  workshop(): Promise<Workshop>;
  /** The tools of one task, those included that its activated skills have brought. */
  tools(options: AgentToolsOptions): Promise<AgentTool[]>;
  /** Says it unless it was said before: a client may list the same skills again and again. */
  warnOnce(text: string, say: (text: string) => void): void;
  close(): Promise<void>;
}

export function openParts(engine: Repertoire, which: "default" | "all"): McpParts {
  const warned = new Set<string>();
  let toolbox: Toolbox | undefined;
  return {
    engine,
    workshop: () => engine.workshop(),
    async tools(options) {
      toolbox ??= new Toolbox(engine, await engine.workshop(), which);
      return [...toolbox.served(options), ...toolbox.brought(options)];
    },
    warnOnce(text, say) {
      if (warned.has(text)) return;
      warned.add(text);
      say(text);
    },
    close: () => engine.close(),
  };
}
