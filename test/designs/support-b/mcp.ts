// Talks to `repertoire mcp` in a workspace as an MCP host does: its own process, a real client, a person who answers.

import { setTimeout as delay } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { hostsProgram } from "../../e2e/hosts-program.ts";
import { THINK_MS, WITH_DATA } from "../../e2e/support/mcp.ts";

const program = hostsProgram();

export async function mcpClient(
  place: { readonly dir: string; readonly home: string },
  { agree }: { readonly agree: boolean },
) {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    await delay(THINK_MS);
    return agree ? { action: "accept", content: {} } : { action: "decline" };
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program.bin, "--dir", place.dir, "mcp"],
    env: { PATH: process.env.PATH ?? "", REPERTOIRE_HOME: place.home },
    stderr: "pipe",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: given, _meta: WITH_DATA });
    const [first] = result.content;
    const text = first?.type === "text" ? first.text : "";
    return { text, data: result.structuredContent, isError: result.isError === true };
  };
  /** Ends the server as a crash does. */
  const kill = async () => {
    const ended = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    process.kill(transport.pid!, "SIGKILL");
    await ended;
  };
  return { client, call, asked, kill };
}
