// The protocols of model providers, as far as a host without a mind behind it needs them: what a request says, and how one
// text or one tool call is answered, whole or as a stream.

import type { ServerResponse } from "node:http";

/** One request of a host, the same for every protocol. */
export interface Sent {
  /** Everything that the model would read, in order: the system prompt, then the messages. */
  readonly texts: readonly string[];
  /** The tools by the names that the model has to use. */
  readonly tools: readonly string[];
  /** What tools answered since the last message of the person. */
  readonly results: readonly string[];
}

export type Reply =
  | { readonly say: string }
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> };

interface Answering {
  readonly reply: Reply;
  readonly body: Body;
  readonly path: string;
  /** Makes ids that differ. */
  readonly number: number;
}

interface Dialect {
  serves(path: string): boolean;
  read(body: Body): Sent;
  write(answering: Answering, response: ServerResponse): void;
}

// biome-ignore lint/suspicious/noExplicitAny: requests of foreign programs, of which only a few fields are read.
type Body = any;

const anthropic: Dialect = {
  serves: (path) => path.endsWith("/messages"),
  read(body) {
    const texts = [...blocks(body.system).map(textIn)];
    let results: string[] = [];
    for (const message of body.messages ?? []) {
      const parts = blocks(message.content);
      const answers = parts.filter(({ type }) => type === "tool_result");
      if (message.role === "user" && answers.length === 0) results = [];
      for (const part of parts) texts.push(textIn(part));
      results.push(...answers.map(({ content }) => blocks(content).map(textIn).join("\n")));
    }
    return { texts, results, tools: (body.tools ?? []).map(({ name }: Body) => name) };
  },
  write({ reply, body, number }, response) {
    const block =
      "say" in reply
        ? { type: "text", text: reply.say }
        : { type: "tool_use", id: `toolu_${number}`, name: reply.call, input: reply.args };
    const end = "say" in reply ? "end_turn" : "tool_use";
    const usage = { input_tokens: 10, output_tokens: 5 };
    const message = { id: `msg_${number}`, type: "message", role: "assistant", model: body.model, usage };
    if (!body.stream) return whole(response, { ...message, content: [block], stop_reason: end });
    const empty = "say" in reply ? { ...block, text: "" } : { ...block, input: {} };
    const delta =
      "say" in reply
        ? { type: "text_delta", text: reply.say }
        : { type: "input_json_delta", partial_json: JSON.stringify(reply.args) };
    stream(response, [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: empty },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: end }, usage },
      { type: "message_stop" },
    ]);
  },
};

/** Between a namespace and a tool in it; the two are put together in `Sent` and taken apart in the answer. */
const responses: Dialect = {
  serves: (path) => path.endsWith("/responses"),
  read(body) {
    const texts = [String(body.instructions ?? "")];
    let results: string[] = [];
    const tools = namesIn(body.tools);
    for (const item of Array.isArray(body.input) ? body.input : []) {
      if (item.role === "user") results = [];
      if (item.type?.endsWith("_output"))
        results.push(
          blocks(item.output ?? item.tools)
            .map(textIn)
            .join("\n"),
        );
      else texts.push(...blocks(item.content).map(textIn));
      if (item.type === "tool_search_output") tools.push(...namesIn(item.tools));
    }
    return { texts, results, tools };
  },
  write({ reply, body, number }, response) {
    const id = `item_${number}`;
    const item =
      "say" in reply
        ? {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: reply.say, annotations: [] }],
          }
        : reply.call === "tool_search"
          ? {
              type: "tool_search_call",
              call_id: `call_${number}`,
              execution: "client",
              arguments: reply.args,
            }
          : {
              type: "function_call",
              call_id: `call_${number}`,
              ...splitName(reply.call, body),
              arguments: JSON.stringify(reply.args),
            };
    const made = { ...item, id, status: "completed" };
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    const answer = { id: `resp_${number}`, object: "response", status: "completed", output: [made], usage };
    if (!body.stream) return whole(response, answer);
    stream(response, [
      { type: "response.created", response: { ...answer, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...made, status: "in_progress" } },
      { type: "response.output_item.done", output_index: 0, item: made },
      { type: "response.completed", response: answer },
    ]);
  },
};

const chat: Dialect = {
  serves: (path) => path.endsWith("/chat/completions"),
  read(body) {
    const texts: string[] = [];
    let results: string[] = [];
    for (const { role, content } of body.messages ?? []) {
      if (role === "user") results = [];
      const said = blocks(content).map(textIn);
      if (role === "tool") results.push(said.join("\n"));
      texts.push(...said);
    }
    return {
      texts,
      results,
      tools: (body.tools ?? []).map((tool: Body) => tool.function?.name ?? tool.name),
    };
  },
  write({ reply, body, number }, response) {
    const called = {
      index: 0,
      id: `call_${number}`,
      type: "function",
      function: "say" in reply ? undefined : { name: reply.call, arguments: JSON.stringify(reply.args) },
    };
    const message = {
      role: "assistant",
      ...("say" in reply ? { content: reply.say } : { content: null, tool_calls: [called] }),
    };
    const end = "say" in reply ? "stop" : "tool_calls";
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const base = { id: `chat_${number}`, created: 1, model: body.model };
    if (!body.stream) {
      const choices = [{ index: 0, message, finish_reason: end }];
      return whole(response, { ...base, object: "chat.completion", choices, usage });
    }
    const chunk = (delta: unknown, finish_reason: string | null) => {
      return { ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] };
    };
    const last = { ...base, object: "chat.completion.chunk", choices: [], usage };
    stream(response, [chunk(message, null), chunk({}, end), last, "[DONE]"]);
  },
};

const gemini: Dialect = {
  serves: (path) => /:(?:stream)?[gG]enerateContent$/.test(path),
  read(body) {
    const texts = [...(body.systemInstruction?.parts ?? []).map(textIn)];
    let results: string[] = [];
    for (const { role, parts = [] } of body.contents ?? []) {
      const answers = parts.filter((part: Body) => part.functionResponse);
      if (role === "user" && answers.length === 0) results = [];
      texts.push(...parts.map(textIn));
      results.push(...answers.map(({ functionResponse }: Body) => responseText(functionResponse.response)));
    }
    const declared = (body.tools ?? []).flatMap((tool: Body) => tool.functionDeclarations ?? []);
    return { texts, results, tools: declared.map(({ name }: Body) => name) };
  },
  write({ reply, path, body, number }, response) {
    const wantsJson = body.generationConfig?.responseMimeType === "application/json";
    const part =
      "say" in reply
        ? { text: wantsJson ? '{"reasoning":"","next_speaker":"user","complexity_score":1}' : reply.say }
        : { functionCall: { id: `call_${number}`, name: reply.call, args: reply.args } };
    const candidates = [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }];
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const answer = { candidates, usageMetadata, modelVersion: "fake", responseId: `r${number}` };
    if (path.endsWith(":streamGenerateContent")) stream(response, [answer]);
    else whole(response, answer);
  },
};

export const DIALECTS: readonly Dialect[] = [anthropic, responses, chat, gemini];

function blocks(content: Body): Body[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? content : [content];
}

function textIn(part: Body): string {
  if (typeof part === "string") return part;
  if (typeof part?.text === "string") return part.text;
  if (part?.type === "tool_result") return blocks(part.content).map(textIn).join("\n");
  return part?.functionResponse ? responseText(part.functionResponse.response) : "";
}

/** Gemini hosts wrap what a tool said in an object. */
function responseText(response: Body): string {
  const said = response?.output ?? response?.error ?? response;
  return typeof said === "string" ? said : JSON.stringify(said);
}

/** The tools of the Responses API; those of an MCP server are in a namespace. */
function namesIn(tools: Body): string[] {
  return (tools ?? []).flatMap((tool: Body) =>
    tool.type === "namespace"
      ? namesIn(tool.tools).map((name) => tool.name + name)
      : [tool.name ?? tool.type],
  );
}

function splitName(name: string, body: Body): { name: string; namespace?: string } {
  const searched = (Array.isArray(body.input) ? body.input : []).flatMap((item: Body) =>
    item.type === "tool_search_output" ? (item.tools ?? []) : [],
  );
  const holder = [...(body.tools ?? []), ...searched].find(
    (tool: Body) => tool.type === "namespace" && name.startsWith(tool.name),
  );
  return holder ? { name: name.slice(holder.name.length), namespace: holder.name } : { name };
}

function whole(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function stream(response: ServerResponse, events: readonly unknown[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const type = (event as { type?: string }).type;
    if (type !== undefined) response.write(`event: ${type}\n`);
    response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}
