// Makes an OpenAI-compatible server on loopback that answers from a script, in streams, for tests of agents.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
    readonly [key: string]: unknown;
  };
}

/** One answer: words, calls of tools, or anything that the test writes by itself. */
export type Answer =
  | { readonly say: string }
  | { readonly call: readonly (readonly [name: string, input: unknown])[]; readonly say?: string }
  | ((response: ServerResponse, asked: Asked) => void);

export interface ScriptedModel {
  readonly endpoint: string;
  readonly asked: readonly Asked[];
}

/** The n-th request gets the n-th answer; after the last one the script is over, which is an error of the server. */
export async function scriptedModel(script: readonly Answer[]): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked["body"];
      asked.push({ headers: request.headers, body });
      const answer = script[asked.length - 1];
      if (answer === undefined) refuse(response, 500, "the script is over");
      else if (typeof answer === "function") answer(response, asked.at(-1)!);
      else play(response, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message } }));
}

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

/** A piece of a streamed answer. */
export function piece(delta: Record<string, unknown>, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

export function endStream(response: ServerResponse, finish: string): void {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  response.write(piece({}, finish));
  response.write(`data: ${JSON.stringify({ id: "1", choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

/** One answer in Anthropic's protocol. */
export function anthropicAnswer(
  answer: { readonly say: string } | { readonly call: readonly [string, unknown] },
): Answer {
  const [block, delta, stop] =
    "say" in answer
      ? [{ type: "text", text: "" }, { type: "text_delta", text: answer.say }, "end_turn"]
      : [
          { type: "tool_use", id: "t1", name: answer.call[0], input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(answer.call[1]) },
          "tool_use",
        ];
  const usage = { input_tokens: 7, output_tokens: 3 };
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], usage };
  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  return (response) => {
    startStream(response);
    response.write(event("message_start", { message }));
    response.write(event("content_block_start", { index: 0, content_block: block }));
    response.write(event("content_block_delta", { index: 0, delta }));
    response.write(event("content_block_stop", { index: 0 }));
    response.write(event("message_delta", { delta: { stop_reason: stop }, usage }));
    response.end(event("message_stop", {}));
  };
}

function play(response: ServerResponse, answer: Exclude<Answer, (...args: never) => void>): void {
  startStream(response);
  for (const word of (answer.say ?? "").split(/(?<= )/)) if (word) response.write(piece({ content: word }));
  const calls = "call" in answer ? answer.call : [];
  for (const [index, [name, input]] of calls.entries()) {
    const call = { index, id: `call_${name}_${index}`, type: "function" };
    response.write(piece({ tool_calls: [{ ...call, function: { name, arguments: "" } }] }));
    response.write(piece({ tool_calls: [{ index, function: { arguments: JSON.stringify(input) } }] }));
  }
  endStream(response, calls.length > 0 ? "tool_calls" : "stop");
}
