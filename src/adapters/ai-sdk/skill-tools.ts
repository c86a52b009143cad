// The set of tools of one session: ours, the host's own, and those of activated skills, which are added during a run.

import { jsonSchema } from "ai";
import type { AgentTool } from "../../agent/agent.ts";
import type { ConsentAsker, Repertoire } from "../../engine/engine.ts";
import { AGENT_TOOL_ALIASES } from "../../model/agent-tool-alias.ts";
import { RepertoireError } from "../../model/errors.ts";
import type { AiTool, AiToolSet } from "./shapes.ts";

export interface SessionOptions<HOST extends object = object> {
  /** The conversation: what it has seen is not shown again, and the journal names it. */
  readonly session: string;
  /** The piece of work that consents belong to; the session unless given. */
  readonly task?: string;
  /** Asks the person; without it, what needs consent is refused with the command to run. */
  readonly askConsent?: ConsentAsker;
  readonly tools?: "default" | "all";
  /** The host's own tools. They keep their names: neither ours nor a skill's takes the place of one. */
  readonly hostTools?: HOST;
}

/** What one session works with. */
export interface SessionParts {
  readonly engine: Repertoire;
  readonly session: string;
  readonly task: string;
  /** Everything that a model can be offered, served or not. */
  readonly offered: readonly AgentTool[];
  readonly tools: AiToolSet;
  /** Lets the tools of activated skills join the set. */
  update(): void;
}

/**
 * Our tools for `generateText`, `streamText` and agents. Give the set itself, not a copy: the SDK looks into it before
 * each step, and the tools of a skill are in it once the skill is activated.
 *
 * @example
 * import { repertoireTools } from "repertoire/ai-sdk";
 * const tools = await repertoireTools(skills, { session: "s1", tools: "all" });
 */
export async function repertoireTools<HOST extends object = Record<never, never>>(
  engine: Repertoire,
  options: SessionOptions<HOST>,
): Promise<AiToolSet & HOST> {
  return (await openSession(engine, options)).tools as AiToolSet & HOST;
}

export async function openSession(engine: Repertoire, options: SessionOptions): Promise<SessionParts> {
  const { session, task = session, askConsent: ask } = options;
  const toolbox = await engine.toolbox(options.tools);
  const endsWithProcess = options.task === undefined;
  const context = { session, task, agent: engine.config.agent, ask, endsWithProcess };
  await engine.tasks.endLeft();
  const offered = toolbox.all(context);
  const ours = toAiTools(toolbox.served(context));
  for (const name of ["activate_skill", ...AGENT_TOOL_ALIASES])
    if (ours[name]) ours[name] = andThen(ours[name], () => update());
  const fixed = { ...ours, ...(options.hostTools as AiToolSet | undefined) };
  const tools: AiToolSet = { ...fixed };
  const update = () => {
    const brought = toAiTools(toolbox.brought(context));
    for (const name of Object.keys(tools))
      if (!Object.hasOwn(fixed, name) && !Object.hasOwn(brought, name)) delete tools[name];
    for (const [name, tool] of Object.entries(brought)) if (!Object.hasOwn(fixed, name)) tools[name] = tool;
  };
  // A task that goes on in this process has tools already.
  update();
  return { engine, session, task, offered, tools, update };
}

function andThen(tool: AiTool, update: () => void): AiTool {
  return {
    ...tool,
    async execute(input, options) {
      const text = await tool.execute(input, options);
      update();
      return text;
    },
  };
}

/**
 * Each tool answers with its text. A refusal is thrown: the SDK gives its words to the model as a tool error.
 *
 * @example
 * import { toAiTools } from "repertoire/ai-sdk";
 * const tools = toAiTools(await skills.tools({ task: "t1", session: "s1" }));
 */
export function toAiTools(tools: readonly AgentTool[]): AiToolSet {
  return Object.fromEntries(tools.map((tool) => [tool.name, toAiTool(tool)]));
}

function toAiTool({ description, inputSchema, run }: AgentTool): AiTool {
  return {
    type: "dynamic",
    description,
    inputSchema: jsonSchema(inputSchema),
    async execute(input, { abortSignal }) {
      const { text, data, isError } = await run(input, { signal: abortSignal });
      if (isError) throw new RepertoireError("tool-failed", text, data);
      return text;
    },
  };
}
