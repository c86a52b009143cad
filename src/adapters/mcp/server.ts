// The MCP server of one connection: tools, prompts and skills, in both protocol revisions.

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import type { AgentToolResult, AgentToolsOptions, ToolEffect } from "../../agent/agent.ts";
import { type Repertoire, roleIncludes, type TokenRole } from "../../engine/engine.ts";
import { namedTools } from "../../model/agent-tool-alias.ts";
import { dataForModel } from "../../text/escape.ts";
import { activateNameFor } from "../tool-names.ts";
import { approvedByHost, questionFor } from "./consent.ts";
import { sessionInMeta } from "./host-session.ts";
import type { McpParts } from "./parts.ts";
import { promptPage, promptText } from "./prompts.ts";
import type { CallScope } from "./scopes.ts";
import { skillsExtension } from "./skills.ts";

interface McpOptions {
  readonly parts: McpParts;
  readonly version: string;
  /** The role of the token that the request came with, if it is one of a fleet. */
  readonly role?: (() => TokenRole | undefined) | undefined;
  /** Where a call belongs. `session` is what the caller says its conversation is called, `client` the client's name. */
  readonly scopeOf: (call: { readonly session?: string | undefined; readonly client: string }) => CallScope;
  /** A skill has brought tools to a task: its clients should list them again. */
  readonly onToolsChanged: () => void;
  readonly onWarning: (text: string) => void;
}

/** In a request's `_meta`: the caller's own name of the conversation. */
const SESSION_META_KEY = "repertoire/session";

/** What the server is for, in terms of the tools that the client gets. */
function instructionsFor(served: readonly string[]): string {
  const { activate, recall } = namedTools(served);
  return [
    "A library of skills: procedures that worked before.",
    recall && `Before a task, call ${recall} with what is to be done.`,
    activate && `Load a skill that fits with ${activate} and follow it.`,
    served.includes("report_outcome") && "When the work is over, call report_outcome.",
    served.includes("save_skill") && "Keep a new procedure that worked with save_skill.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Characters of a section in the instructions: clients cut longer ones, and every conversation pays for them. */
const SECTION_CHARS = 10_000;

/** In a request's `_meta`: the caller is a program and wants the answer as data, too. */
const DATA_META_KEY = "repertoire/data";

/**
 * By these a host decides whether it asks its user before a call. To load a skill changes nothing that is the user's, and a
 * person is asked for consent by us: a host that asks before it would ask twice.
 */
const ANNOTATIONS: Readonly<Record<ToolEffect, ToolAnnotations>> = {
  read: { readOnlyHint: true, openWorldHint: false },
  load: { readOnlyHint: true, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  run: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

/** The least role of a fleet's token that may use a tool. The database checks what is kept there again. */
const LEAST_ROLE: Readonly<Record<ToolEffect, TokenRole>> = {
  read: "reader",
  load: "reader",
  write: "writer",
  run: "writer",
  delete: "curator",
};

export function createServer(options: McpOptions): McpServer {
  const { version, scopeOf } = options;
  const mcp = new McpServer(
    { name: "repertoire", title: "Repertoire", version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true },
      },
    },
  );
  const { server } = mcp;
  const contextOf = (ctx: ServerContext) => {
    const client = clientIn(mcp, ctx);
    const { _meta } = ctx.mcpReq;
    const given = _meta?.[SESSION_META_KEY];
    const named = typeof given === "string" && given !== "" ? given : undefined;
    const hosts = named === undefined ? sessionInMeta(_meta) : undefined;
    const { isHosts = hosts !== undefined, ...scope } = scopeOf({ session: named ?? hosts, client });
    const activateAs = activateNameFor(client);
    return { ...scope, host: `mcp:${client}`, beginsTurns: !isHosts, endsWithProcess: true, activateAs };
  };
  const partsOf = (ctx: ServerContext) => options.parts.of(clientIn(mcp, ctx));
  const toolsOf = async (ctx: ServerContext, asked: AgentToolsOptions) => {
    const role = options.role?.();
    const tools = await partsOf(ctx).tools(asked);
    return role === undefined ? tools : tools.filter(({ effect }) => roleIncludes(role, LEAST_ROLE[effect]));
  };
  const askerOf = (ctx: ServerContext) => {
    const { questions, engine } = partsOf(ctx);
    const question = canElicit(mcp, ctx) ? questionFor(ctx, contextOf(ctx).task, questions) : undefined;
    const { approval } = engine.config.consent;
    return { question, ask: question?.ask ?? approvedByHost(approval) };
  };
  /** If the host's approval is the consent, the host has to ask before the call. */
  const annotationsOf = (effect: ToolEffect, ctx: ServerContext) => {
    const { question, ask } = askerOf(ctx);
    return ANNOTATIONS[effect === "load" && ask && !question ? "run" : effect];
  };
  for (const hello of ["initialize", "server/discover"])
    addInstructions(server, hello, async (ctx) => {
      const { engine } = partsOf(ctx);
      const served = (await toolsOf(ctx, contextOf(ctx))).map(({ name }) => name);
      const section = await standingSection(engine, served);
      return [instructionsFor(served), section].filter((part) => part !== "").join("\n\n");
    });
  server.setRequestHandler("tools/list", async (_, ctx) => ({
    tools: (await toolsOf(ctx, contextOf(ctx))).map(({ name, description, inputSchema, effect }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
      annotations: annotationsOf(effect, ctx),
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const context = contextOf(ctx);
    const { question, ask } = askerOf(ctx);
    const tools = await toolsOf(ctx, { ...context, ask });
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) {
      const names = tools.map(({ name }) => name).join(", ");
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool "${params.name}". Tools: ${names}.`,
      );
    }
    const result = await tool.run(params.arguments, { signal: ctx.mcpReq.signal });
    if ((await toolsOf(ctx, context)).length !== tools.length) options.onToolsChanged();
    return question?.pending() ?? resultOf(result, ctx.mcpReq._meta?.[DATA_META_KEY] === true);
  });
  server.setRequestHandler("prompts/list", async ({ params }, ctx) =>
    promptPage(partsOf(ctx).engine.commands, params?.cursor),
  );
  server.setRequestHandler("prompts/get", async ({ params }, ctx) => {
    const asked = { name: params.name, rest: params.arguments?.arguments ?? "" };
    const { question, ask } = askerOf(ctx);
    try {
      return await promptText(partsOf(ctx).engine, asked, { ...contextOf(ctx), ask });
    } catch (thrown) {
      const pending = question?.pending();
      if (pending) return pending;
      throw thrown;
    }
  });
  const taskOf = (ctx: ServerContext) => contextOf(ctx).task;
  skillsExtension({ partsOf, taskOf, onWarning: options.onWarning }).attach(mcp);
  return mcp;
}

/**
 * The text is for the model. Hosts show it `structuredContent` instead of the text, or both: so only a failure has it, with
 * the same sentence and its code, and what a program asked for.
 */
function resultOf({ text, data, isError }: AgentToolResult, wantsData: boolean): CallToolResult {
  const content = [{ type: "text" as const, text }];
  const given = dataForModel(data) as Record<string, unknown>;
  const isFailure = isError === true && "error" in given;
  return {
    content,
    ...((isFailure || wantsData) && { structuredContent: given }),
    ...(isError && { isError }),
  };
}

/** Without it nobody can be asked, and the refusal says what a person can do. */
function canElicit(mcp: McpServer, ctx: ServerContext): boolean {
  const given = envelopeOf(ctx)[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return (given ?? mcp.server.getClientCapabilities())?.elicitation !== undefined;
}

/** Clients choose their name freely. */
const CLIENT_NAME = 40;

/**
 * What a configured style says before any message. The style adaptive relies on the tools alone: what fits a message is
 * recalled when the message is there.
 */
async function standingSection(engine: Repertoire, served: readonly string[]): Promise<string> {
  if (engine.config.style === "adaptive") return "";
  return (await engine.turn({ message: "" }).prompt({ hostChars: SECTION_CHARS, served })).text;
}

interface Greeting {
  _getRequestHandler(
    method: string,
  ): ((request: object, ctx: ServerContext) => Promise<Record<string, unknown>>) | undefined;
  setRequestHandler(
    method: string,
    handle: (request: object, ctx: ServerContext) => Promise<Record<string, unknown>>,
  ): void;
}

/**
 * Adds the instructions to the answer to a client's first request. The SDK takes instructions only before it knows the
 * client, and what is shown depends on whether the client's host trusts the project; so its own handler, which
 * subclasses may use, is asked first.
 */
function addInstructions(
  server: McpServer["server"],
  method: string,
  instructions: (ctx: ServerContext) => Promise<string>,
): void {
  const greeting = server as unknown as Greeting;
  const handler = greeting._getRequestHandler(method);
  if (handler === undefined) return;
  greeting.setRequestHandler(method, async (request, ctx) => {
    const answer = await handler.call(server, request, ctx);
    return { ...answer, instructions: await instructions(ctx) };
  });
}

function clientIn(mcp: McpServer, ctx: ServerContext): string {
  const given = envelopeOf(ctx)[CLIENT_INFO_META_KEY] as Implementation | undefined;
  const name = (given ?? mcp.server.getClientVersion())?.name ?? "";
  return name.replace(/[^\w.-]+/g, "-").slice(0, CLIENT_NAME) || "unnamed";
}

function envelopeOf(ctx: ServerContext): Readonly<Record<string, unknown>> {
  return { ...ctx.mcpReq.envelope };
}
