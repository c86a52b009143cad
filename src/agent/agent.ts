// The tools that a model gets, the same for every host: which ones a host serves, and those that activated skills bring.

import type { TaskContext } from "../activate/activate.ts";
import { AGENT_TOOL_ALIASES, type AgentToolAlias } from "../model/agent-tool-alias.ts";
import { dataForModel, forEnvelope } from "../text/escape.ts";
import { DREAM_TOOLS } from "./dream-tools.ts";
import { ENRICHMENT_TOOLS } from "./enrichment-tools.ts";
import { LEARNED_TOOLS } from "./learned-tools.ts";
import { SKILL_TOOLS } from "./skill-tools.ts";
import type { AgentEngine } from "./tool.ts";
import { type AgentTool, type ToolRow, toolOf } from "./tool.ts";

export { dreamTask } from "./dream-tools.ts";
export { learnTask } from "./learned-tools.ts";
export type { AgentEngine, AgentTool, AgentToolResult, ToolEffect } from "./tool.ts";

const TOOLS: readonly ToolRow[] = [...SKILL_TOOLS, ...LEARNED_TOOLS, ...DREAM_TOOLS, ...ENRICHMENT_TOOLS];

/** The tools of a host that chooses none: few enough for every model. */
export const DEFAULT_TOOLS: readonly string[] = [
  "recall_skills",
  "activate_skill",
  "read_skill_file",
  "list_skills",
  "save_skill",
  "report_outcome",
];

const RUN_TOOL = "run_skill_script";
const ACTIVATE = TOOLS.find(({ name }) => name === "activate_skill")!;

/** `default` for `DEFAULT_TOOLS` and, where the machine has a sandbox, `run_skill_script`; `all`; or the names of tools. */
export type ToolChoice = "default" | "all" | readonly string[];

export interface AgentToolsOptions extends Omit<TaskContext, "audience" | "served"> {
  /** Set by a host that sees no messages: each recall begins a turn of the session. */
  readonly beginsTurns?: boolean | undefined;
  /** The name under which the host gets `activate_skill`, if a tool of its own has that name. */
  readonly activateAs?: AgentToolAlias | undefined;
}

/**
 * The tools of one host.
 *
 * @example
 * const toolbox = await skills.toolbox();
 * for (const tool of toolbox.served({ task: "42", session: "s1" })) host.register(tool);
 */
export class Toolbox {
  private readonly engine: AgentEngine;
  private readonly chosen: readonly ToolRow[];
  /** The names under which `activate_skill` is served besides, or instead if only they were chosen. */
  private readonly aliases: readonly string[];

  private constructor(engine: AgentEngine, names: Exclude<ToolChoice, "default">) {
    const isChosen = (name: string) => names === "all" || names.includes(name);
    this.engine = engine;
    this.chosen = TOOLS.filter(({ name }) => isChosen(name));
    const isServed = (name: string) => this.chosen.some((row) => row.name === name);
    const wanted = isChosen("activate_skill") ? engine.aliases : [];
    const named = names === "all" ? [] : AGENT_TOOL_ALIASES.filter(isChosen);
    // If it is chosen, get_skill is a tool of its own.
    this.aliases = [...new Set<string>([...wanted, ...named])].filter((alias) => !isServed(alias));
  }

  /** @internal */
  static async open(engine: AgentEngine, choice: ToolChoice = "default"): Promise<Toolbox> {
    if (choice !== "default") return new Toolbox(engine, choice);
    if (engine.serve.length > 0) return new Toolbox(engine, engine.serve);
    const canRun = await engine.tasks.hasSandbox();
    return new Toolbox(engine, canRun ? [...DEFAULT_TOOLS, RUN_TOOL] : DEFAULT_TOOLS);
  }

  /**
   * Returns the chosen tools, for a model.
   *
   * @example
   * const toolbox = await skills.toolbox();
   * for (const { name } of toolbox.served({ task: "t1", session: "s1" })) console.log(name);
   */
  served(options: AgentToolsOptions): AgentTool[] {
    const tools = this.toolsOf(this.chosen, options);
    const [activate] = this.toolsOf([ACTIVATE], options);
    return [...tools, ...this.aliases.map((name) => ({ ...activate!, name }))];
  }

  /**
   * Returns every tool, for the host's own use.
   *
   * @example
   * const toolbox = await skills.toolbox();
   * const save = toolbox.all({ task: "t1" }).find(({ name }) => name === "save_skill");
   */
  all(options: AgentToolsOptions): AgentTool[] {
    return this.toolsOf(TOOLS, options);
  }

  /**
   * Returns the tools that activated skills have brought to the task so far.
   *
   * @example
   * const toolbox = await skills.toolbox();
   * const names = toolbox.brought({ task: "t1" }).map(({ name }) => name);
   */
  brought(context: TaskContext): AgentTool[] {
    const { tasks } = this.engine;
    return tasks
      .registry(context.task)
      .list()
      .map(({ name, description, inputSchema }) => ({
        name,
        description: forEnvelope(description),
        effect: "run",
        inputSchema: dataForModel(inputSchema),
        async run(args, { signal } = {}) {
          const result = await tasks.call(name, args, { ...context, signal });
          return { text: forEnvelope(result.output), data: result, isError: !result.ok };
        },
      }));
  }

  private toolsOf(rows: readonly ToolRow[], options: AgentToolsOptions): AgentTool[] {
    const { beginsTurns = false, activateAs = ACTIVATE.name, ...context } = options;
    const named = (row: ToolRow) => (row === ACTIVATE ? { ...row, name: activateAs } : row);
    const served = [...this.chosen.map((row) => named(row).name), ...this.aliases];
    const scope = {
      engine: this.engine,
      context: { ...context, served, audience: "model" as const },
      beginsTurns,
    };
    return rows.map((row) => toolOf(named(row), scope));
  }
}
