// Owns which tools a host serves to a model: six, all, or its own choice; and those that activated skills bring. Every
// host takes them from here. Does not own what a tool does (`agent-tools*.ts`).

import type { TaskContext } from "./activate/tasks.ts";
import {
  AGENT_TOOL_ROWS,
  type AgentHost,
  type AgentTool,
  type AgentToolRow,
  type AgentToolsOptions,
  agentTools,
  skillTools,
} from "./agent-tools.ts";
import { dreamToolRows } from "./agent-tools-dream.ts";
import { learnToolRows } from "./agent-tools-learn.ts";
import type { Repertoire } from "./engine/engine.ts";
import type { Workshop } from "./engine/workshop.ts";

/** Six tools are few enough for every model; the rest is for hosts that ask. */
export const DEFAULT_TOOLS: readonly string[] = [
  "recall_skills",
  "activate_skill",
  "read_skill_file",
  "list_skills",
  "save_skill",
  "report_outcome",
];

export type ToolChoice = "default" | "all" | readonly string[];

export class Toolbox {
  private readonly engine: Repertoire;
  private readonly host: AgentHost;
  private readonly rows: readonly AgentToolRow[];
  private readonly choice: ToolChoice;

  constructor(engine: Repertoire, workshop: Workshop, choice: ToolChoice = "default") {
    const { store, learned, dreams, tasks } = workshop;
    this.engine = engine;
    this.choice = choice;
    this.host = {
      recall: (turn, request) => engine.recall(turn, request),
      view: (agent) => engine.view(agent),
      tasks,
    };
    this.rows = [
      ...AGENT_TOOL_ROWS,
      ...learnToolRows({ learned, store, clock: engine.clock }),
      ...dreamToolRows(dreams),
    ];
  }

  /** The tools that a model is offered. */
  served(options: AgentToolsOptions): AgentTool[] {
    return this.made(
      options,
      this.rows.filter(({ name }) => this.serves(name)),
    );
  }

  /** Every tool there is, for the host's own use. */
  all(options: AgentToolsOptions): AgentTool[] {
    return this.made(options, this.rows);
  }

  /** The tools that activated skills have brought to the task so far. */
  brought(context: TaskContext): AgentTool[] {
    return skillTools(this.host, context);
  }

  private serves(name: string): boolean {
    const chosen = this.choice === "default" ? DEFAULT_TOOLS : this.choice;
    return chosen === "all" || chosen.includes(name);
  }

  private made(options: AgentToolsOptions, rows: readonly AgentToolRow[]): AgentTool[] {
    return agentTools(this.host, { aliases: this.engine.config.tools.aliases, ...options }, rows);
  }
}
