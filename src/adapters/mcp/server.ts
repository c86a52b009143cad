// Owns the MCP server of one connection: tools, prompts and skills of the library, in both protocol revisions.
// No logic of its own: `agent-tools.ts` says what the tools do.

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { questionFor } from "./consent.ts";
import type { McpParts } from "./parts.ts";
import { promptsOf, promptText } from "./prompts.ts";
import { skillsExtension } from "./skills.ts";

export interface McpOptions {
  readonly parts: McpParts;
  readonly version: string;
  /** The piece of work that consents belong to, and the session that the journal names. */
  readonly task: string;
  readonly onWarning: (text: string) => void;
}

const INSTRUCTIONS =
  "A library of skills: procedures that worked before. Before a task, call recall_skills with what is to be done; load a skill that fits with activate_skill and follow it. When the work is over, call report_outcome. Keep a new procedure that worked with save_skill.";

export function createServer({ parts, version, task, onWarning }: McpOptions): McpServer {
  const mcp = new McpServer(
    { name: "repertoire", title: "Repertoire", version },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: {}, prompts: { listChanged: true }, resources: { listChanged: true } },
    },
  );
  const { server } = mcp;
  const context = { task, session: task };
  server.setRequestHandler("tools/list", () => ({
    tools: parts.tools(context).map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const question = canElicit(mcp, ctx) ? questionFor(ctx) : undefined;
    const tools = parts.tools({ ...context, ...(question && { ask: question.ask }) });
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) {
      const names = tools.map(({ name }) => name).join(", ");
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool "${params.name}". Tools: ${names}.`,
      );
    }
    const { text, data, isError } = await tool.run(params.arguments, { signal: ctx.mcpReq.signal });
    return (
      question?.pending() ?? {
        content: [{ type: "text" as const, text }],
        structuredContent: data as Record<string, unknown>,
        ...(isError && { isError }),
      }
    );
  });
  server.setRequestHandler("prompts/list", () => ({ prompts: promptsOf(parts.tasks) }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const asked = { name: params.name, rest: params.arguments?.arguments ?? "" };
    return promptText(parts, asked, context);
  });
  skillsExtension(parts, onWarning).attach(mcp);
  return mcp;
}

/** Without it nobody can be asked, and the refusal names the command with which a person agrees. */
function canElicit(mcp: McpServer, ctx: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = { ...ctx.mcpReq.envelope };
  const given = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return (given ?? mcp.server.getClientCapabilities())?.elicitation !== undefined;
}
