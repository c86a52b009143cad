// Converts our tools to the AI SDK's form.

import { jsonSchema } from "ai";
import type { AgentTool } from "../../agent/agent.ts";
import { RepertoireError } from "../../model/errors.ts";
import type { AiTool, AiToolSet } from "./shapes.ts";

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
      const { text, data, isError } = await run(input, { ...(abortSignal && { signal: abortSignal }) });
      if (isError) throw new RepertoireError("tool-failed", text, data);
      return text;
    },
  };
}
