// An agent that reaches the library over MCP, as hosts do: the built program in its own process, the SDK's client.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { WITH_DATA } from "../../e2e/support/mcp.ts";

export interface Answer {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly isError: boolean;
}

export async function mcpAgent(options: {
  readonly bin: string;
  readonly project: string;
  readonly home: string;
}) {
  const { bin, project, home } = options;
  const client = new Client({ name: "agent", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "--dir", project, "mcp", "--tools", "all"],
    env: { PATH: process.env.PATH ?? "", REPERTOIRE_HOME: home },
    stderr: "pipe",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    close: () => client.close(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
      const result = await client.callTool({ name, arguments: args, _meta: WITH_DATA });
      const [first] = result.content;
      const text = first?.type === "text" ? first.text : "";
      const data = result.structuredContent as Record<string, unknown>;
      return { text, data, isError: result.isError === true };
    },
  };
}
