// A model without a mind: speaks the four protocols that hosts use, answers as its script says, and keeps every request, so
// that a test sees what a model would have been sent.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { DIALECTS, type Reply, type Sent } from "./dialects.ts";

/** What the model does next. A tool is named as we name it; the host may have put a prefix before the name. */
export type Step =
  | { readonly say: string }
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> };

/** A request with everything in it. */
interface Kept extends Sent {
  /** As it came, with the descriptions of tools. */
  readonly request: string;
}

export interface FakeModel {
  /** The address without a path. */
  readonly url: string;
  /** What the host sent with its tools, in order; requests for titles and the like are left out. */
  readonly sent: readonly Kept[];
  /** Sets the steps of every later message, and forgets what was sent. */
  begin(steps: readonly Step[]): void;
  close(): Promise<void>;
}

const DONE: Step = { say: "Done." };

/** A busy machine starts a server in half a minute. */
const SEARCHES = 30;
const SEARCH_MS = 1_000;

export async function startFakeModel(): Promise<FakeModel> {
  let steps: Step[] = [];
  let sent: Kept[] = [];
  let searches = 0;
  /** A tool that the host has but has not listed is searched for first, again and again while its server starts. */
  const next = async (asked: Sent): Promise<Reply> => {
    const step = steps[0] ?? DONE;
    if ("say" in step) return steps.shift() ?? step;
    const name = nameOf(step.call, asked);
    const search = name === undefined && searches < SEARCHES ? searchFor(step.call, asked) : undefined;
    if (search) {
      if (searches++ > 0) await delay(SEARCH_MS);
      return search;
    }
    searches = 0;
    // A message that comes later, once the server has started, begins with the same step.
    if (name === undefined) return { say: `There is no tool ${step.call}.` };
    steps.shift();
    return { call: name, args: step.args };
  };
  const server = createServer((request, response) => {
    void answer(request, response).catch((thrown: unknown) => {
      response.writeHead(500).end(String(thrown));
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "").split("?")[0]!;
    const body = parsed(await textOf(request));
    const dialect = request.method === "POST" ? DIALECTS.find(({ serves }) => serves(path)) : undefined;
    if (!dialect) return json(response, besides(path));
    const asked = dialect.read(body);
    if (isTurn(asked)) sent.push({ ...asked, request: JSON.stringify(body) });
    const reply = isTurn(asked) ? await next(asked) : DONE;
    dialect.write({ reply, body, path, number: sent.length }, response);
  };
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sent() {
      return sent;
    },
    begin(script) {
      steps = [...script];
      sent = [];
      searches = 0;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Hosts also ask for titles and second opinions, with no tool or with one. */
function isTurn({ tools }: Sent): boolean {
  return tools.length > 1;
}

/** The tool's name in this host: of those that are listed, or that a search has found. */
function nameOf(tool: string, { tools, results }: Sent): string | undefined {
  const listed = tools.find((name) => name === tool) ?? tools.find((name) => name.endsWith(tool));
  return listed ?? new RegExp(`"name":"(\\w+${tool})"`).exec(results.join("\n"))?.[1];
}

/** Hosts with many tools list the names of some only, and load them on demand. */
function searchFor(tool: string, { tools, texts }: Sent): Reply | undefined {
  const search = tools.find((name) => /^tool_?search$/i.test(name));
  if (search === undefined) return undefined;
  const named = new RegExp(`\\bmcp__\\w+__${tool}\\b`).exec(texts.join("\n"))?.[0] ?? tool;
  return { call: search, args: { query: search === "ToolSearch" ? `select:${named}` : named } };
}

/** Answers what hosts ask beside the conversation: which models there are, how long a text is. */
function besides(path: string): unknown {
  if (/\/models$/.test(path)) return { object: "list", data: [{ id: "fake", object: "model" }], models: [] };
  if (/count_?tokens$/i.test(path)) return { input_tokens: 100, totalTokens: 100 };
  return {};
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function parsed(text: string): Record<string, unknown> {
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
