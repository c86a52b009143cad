// Owns what an MCP server works with, opened once: the engine, its tasks, the learned skills, the store behind them.
// No logic of its own; `server.ts` serves it.

import {
  AGENT_TOOL_ROWS,
  type AgentHost,
  type AgentTool,
  type AgentToolsOptions,
  agentTools,
} from "../../agent-tools.ts";
import { dreamToolRows } from "../../agent-tools-dream.ts";
import { learnToolRows } from "../../agent-tools-learn.ts";
import type { Dreams } from "../../engine/dreams.ts";
import type { Tasks } from "../../engine/tasks.ts";
import { openWorkshop } from "../../engine/workshop.ts";
import type { Repertoire } from "../../engine.ts";

/** Six tools are few enough for every client; the rest is for those who ask. */
export const DEFAULT_TOOLS: readonly string[] = [
  "recall_skills",
  "activate_skill",
  "read_skill_file",
  "list_skills",
  "save_skill",
  "report_outcome",
];

export interface McpParts {
  readonly engine: Repertoire;
  readonly tasks: Tasks;
  readonly dreams: Dreams;
  tools(options: AgentToolsOptions): AgentTool[];
  close(): Promise<void>;
}

export function openParts(engine: Repertoire, which: "default" | "all"): McpParts {
  const { store, tasks, learned, dreams, close } = openWorkshop(engine, "mcp");
  const host: AgentHost = {
    recall: (turn, request) => engine.recall(turn, request),
    view: (agent) => engine.view(agent),
    visibility: (agent) => engine.visibility(agent),
    tasks,
  };
  const rows = [
    ...AGENT_TOOL_ROWS,
    ...learnToolRows({ learned, store, clock: engine.clock }),
    ...dreamToolRows(dreams),
  ];
  const served = rows.filter(({ name }) => which === "all" || DEFAULT_TOOLS.includes(name));
  return {
    engine,
    tasks,
    dreams,
    tools: (options) => agentTools(host, { aliases: engine.config.tools.aliases, ...options }, served),
    async close() {
      await engine.close();
      await close();
    },
  };
}
