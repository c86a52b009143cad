// The MCP server with a second published client, that of the AI SDK, over standard input and output and over HTTP.

import { setTimeout as delay } from "node:timers/promises";
import { createMCPClient, ElicitationRequestSchema, type MCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { sandbox } from "../activation-workspace.ts";
import { hostsProgram } from "./hosts-program.ts";
import { type Answer, serve, stdioCommand, THINK_MS, workspace, wrong, YES } from "./support/mcp.ts";

const program = hostsProgram();

async function transportFor(kind: "stdio" | "http") {
  const home = workspace();
  if (kind === "stdio")
    return new Experimental_StdioMCPTransport({ ...stdioCommand(program.bin, home), stderr: "ignore" });
  const { url, token } = await serve(program.bin, home);
  return { type: "http" as const, url: url.href, headers: { authorization: `Bearer ${token}` } };
}

async function connect(kind: "stdio" | "http", answer?: Answer) {
  const client = await createMCPClient({
    transport: await transportFor(kind),
    capabilities: answer ? { elicitation: {} } : {},
  });
  onTestFinished(() => client.close());
  const asked: string[] = [];
  if (answer)
    client.onElicitationRequest(ElicitationRequestSchema, async ({ params }) => {
      asked.push(params.message);
      await delay(THINK_MS);
      return answer;
    });
  return { client, asked, call: await callerOf(client) };
}

async function callerOf(client: MCPClient) {
  const tools = await client.tools();
  return async (name: string, input: Record<string, unknown>) => {
    const run = tools[name]?.execute as (input: unknown, options: unknown) => Promise<unknown>;
    const result = (await run(input, { toolCallId: "1", messages: [] })) as {
      readonly content: readonly { readonly text: string }[];
      readonly structuredContent?: unknown;
      readonly isError?: boolean;
    };
    const { content, structuredContent } = result;
    return {
      text: content[0]!.text,
      structuredContent,
      isError: result.isError === true,
    };
  };
}

describe.each(["stdio", "http"] as const)("the AI SDK's client over %s", (kind) => {
  it("recalls, activates after the person agreed, reads, saves, and notes the outcome", async () => {
    const { client, call, asked } = await connect(kind, YES);
    expect((await client.listTools()).tools).toHaveLength(sandbox.ok ? 7 : 6);
    expect(client.instructions).toContain("recall_skills");
    expect((await call("recall_skills", { message: "plan a meeting" })).text).toContain("plan-meeting");
    expect((await call("activate_skill", { name: "plan-meeting" })).text).toContain("Do it.");
    expect(asked).toEqual([expect.stringContaining("plan-meeting")]);
    const file = { name: "plan-meeting", path: "references/agenda.md" };
    expect((await call("read_skill_file", file)).text).toBe("# Agenda\n");
    expect((await call("report_outcome", { outcome: "success" })).text).toContain("plan-meeting");
    const content = "Brews tea. Use when somebody is thirsty.\n\n1. Boil water.\n";
    expect((await call("save_skill", { name: "brew-tea", content })).text).toContain('"brew-tea"');
    expect((await call("list_skills", {})).text).toContain("- brew-tea:");
  });

  it("does not activate when the person declines, nor when nobody can be asked", async () => {
    const declined = await connect(kind, { action: "decline" });
    expect(await declined.call("activate_skill", { name: "plan-meeting" })).toMatchObject(
      wrong("consent-refused"),
    );
    const mute = await connect(kind);
    expect(await mute.call("activate_skill", { name: "plan-meeting" })).toMatchObject(
      wrong("consent-required"),
    );
  });

  it("gets prompts and the files of skills", async () => {
    const { client, call } = await connect(kind, YES);
    const { prompts } = await client.experimental_listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["plan_meeting", "private_notes", "learn", "dream"]);
    await call("activate_skill", { name: "plan-meeting" });
    const { messages } = await client.experimental_getPrompt({
      name: "plan_meeting",
      arguments: { arguments: "now" },
    });
    expect(JSON.stringify(messages)).toContain("Task: now");
    const { contents } = await client.readResource({ uri: "skill://plan-meeting/references/agenda.md" });
    expect(contents[0]).toMatchObject({ text: "# Agenda\n" });
    await expect(client.readResource({ uri: "skill://private-notes/SKILL.md" })).rejects.toThrow();
  });
});
