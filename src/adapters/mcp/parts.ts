// Owns what an MCP server works with: the engine, and the tools over its workshop, opened when first needed, so that the
// first answer of a process waits for neither. No logic of its own; `server.ts` serves it.

import {
  AGENT_TOOL_ROWS,
  type AgentTool,
  type AgentToolRow,
  type AgentToolsOptions,
  agentTools,
  skillTools,
} from "../../agent-tools.ts";
import { dreamToolRows } from "../../agent-tools-dream.ts";
import { learnToolRows } from "../../agent-tools-learn.ts";
import type { Workshop } from "../../engine/workshop.ts";
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
  workshop(): Promise<Workshop>;
  /** The tools of one task, those included that its activated skills have brought. */
  tools(options: AgentToolsOptions): Promise<AgentTool[]>;
  /** Says it unless it was said before: a client may list the same skills again and again. */
  warnOnce(text: string, say: (text: string) => void): void;
  close(): Promise<void>;
}

export function openParts(engine: Repertoire, which: "default" | "all"): McpParts {
  const warned = new Set<string>();
  let served: readonly AgentToolRow[] | undefined;
  const rows = ({ store, learned, dreams }: Workshop) => {
    const all = [
      ...AGENT_TOOL_ROWS,
      ...learnToolRows({ learned, store, clock: engine.clock }),
      ...dreamToolRows(dreams),
    ];
    return all.filter(({ name }) => which === "all" || DEFAULT_TOOLS.includes(name));
  };
  return {
    engine,
    workshop: () => engine.workshop(),
    async tools(options) {
      const workshop = await engine.workshop();
      served ??= rows(workshop);
      const host = {
        recall: engine.recall.bind(engine),
        view: engine.view.bind(engine),
        visibility: engine.visibility.bind(engine),
        tasks: workshop.tasks,
      };
      const named = { aliases: engine.config.tools.aliases, ...options };
      return [...agentTools(host, named, served), ...skillTools(host, options)];
    },
    warnOnce(text, say) {
      if (warned.has(text)) return;
      warned.add(text);
      say(text);
    },
    close: () => engine.close(),
  };
}
