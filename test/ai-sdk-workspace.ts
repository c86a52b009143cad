// Makes a project with skills, its engine, and a model that answers as it is told, over the real protocol on loopback.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { onTestFinished } from "vitest";
import { type OpenOptions, openRepertoire } from "../src/engine/engine.ts";
import { ENV, FILES } from "./activation-workspace.ts";
import { skillText, temporaryTree } from "./skill-tree.ts";

/** What the model says: text, calls of tools, or the beginning of a stream that does not end. */
export type Reply =
  | string
  | readonly { readonly tool: string; readonly input: unknown }[]
  | { readonly unfinished: string };

export interface ChatRequest {
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface ScriptedModel {
  readonly endpoint: string;
  readonly requests: ChatRequest[];
}

/** Answers each request with what `reply` makes of it; `undefined` never answers, a number is a refusal. */
export async function scriptedServer(
  reply: (request: ChatRequest, before: number) => Reply | number | undefined,
): Promise<ScriptedModel> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
      const before = requests.push(asked) - 1;
      const said = reply(asked, before);
      if (typeof said === "number") {
        response.writeHead(said, { "content-type": "application/json", "retry-after-ms": "1" });
        response.end(JSON.stringify({ error: { message: "not now" } }));
      } else if (said !== undefined) answer(response, { said, stream: asked.stream === true, turn: before });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

function answer(
  response: ServerResponse,
  { said, stream, turn }: { said: Reply; stream: boolean; turn: number },
) {
  const calls = Array.isArray(said)
    ? (said as readonly { readonly tool: string; readonly input: unknown }[])
    : [];
  const tool_calls = calls.map(({ tool, input }, index) => ({
    index,
    id: `call-${turn}-${index}`,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  const message = {
    role: "assistant",
    content: typeof said === "string" ? said : "unfinished" in said ? said.unfinished : null,
    ...(calls.length > 0 && { tool_calls }),
  };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const base = { id: `answer-${turn}`, created: 1, model: "scripted" };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...base, choices: [{ index: 0, message, finish_reason }], usage: USAGE }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunks = [
    { ...base, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...base, choices: [{ index: 0, delta: {}, finish_reason }], usage: USAGE },
  ];
  const [first, last] = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  response.write(first);
  if (typeof said === "string" || calls.length > 0) response.end(`${last}data: [DONE]\n\n`);
}

export function modelAt(endpoint: string) {
  return createOpenAICompatible({ name: "scripted", baseURL: endpoint, includeUsage: true })("scripted");
}

/** A model that gives these answers, one after the other; the last one again and again. */
export async function scripted(...replies: readonly (Reply | number)[]) {
  const server = await scriptedServer((_, before) => replies[Math.min(before, replies.length - 1)]!);
  return { ...server, model: modelAt(server.endpoint) };
}

const BROKEN_TOOLSET = `import { defineTool, z } from "repertoire/tools";
export const Toolset = [defineTool("send", {
  description: "Sends.",
  parameters: z.object({ fail: z.boolean() }),
  execute: async ({ fail }: { fail: boolean }) => {
    if (fail) throw new Error("the line is dead");
    return { title: "Sent", metadata: {}, output: "sent" };
  },
})];
`;

export const AGENT_FILES: Readonly<Record<string, string>> = {
  ...FILES,
  "p/.agents/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
  "p/.agents/skills/telegraph/SKILL.md": skillText(
    "Sends telegrams. Use when a telegram is to be sent.",
    "toolsets: ['toolsets/index:Toolset']\n",
  ),
  "p/.agents/skills/telegraph/toolsets/index.ts": BROKEN_TOOLSET,
};

export function agentWorkspace(options: Partial<OpenOptions> = {}) {
  const root = temporaryTree(AGENT_FILES);
  const engine = openRepertoire({
    dir: join(root, "p"),
    home: join(root, "home"),
    env: ENV,
    host: "test",
    ...options,
    values: { cache: false, "sources.bundled": false, ...options.values },
  });
  onTestFinished(() => engine.close());
  return { root, engine };
}

/** The system prompts of a request, joined. */
export function systemOf(request: ChatRequest | undefined): string {
  const said = request?.messages.filter(({ role }) => role === "system") ?? [];
  return said.map(({ content }) => content).join("\n");
}

export function toolsOf(request: ChatRequest | undefined): string[] {
  return request?.tools?.map(({ function: { name } }) => name) ?? [];
}

/** What the model was told by its last tool call. */
export function lastToolAnswer(request: ChatRequest | undefined): string {
  return request?.messages.filter(({ role }) => role === "tool").at(-1)?.content ?? "";
}
