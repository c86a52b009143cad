// A language model on loopback that answers by a script and keeps what it was asked, for walks that need one.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Asked {
  readonly system: string;
  readonly prompt: string;
}

/** Gives the answer; nothing means a server that is broken. */
export type Script = (asked: Asked, at: number) => string | undefined | Promise<string>;

/** The configuration that leads to the model, and what it has been asked so far. */
export async function scriptedModel(script: Script) {
  const asked: Asked[] = [];
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
      messages: { role: string; content: string }[];
    };
    const said = (role: string) => messages.find((message) => message.role === role)?.content ?? "";
    asked.push({ system: said("system"), prompt: said("user") });
    const content = await script(asked.at(-1)!, asked.length - 1);
    if (content === undefined) {
      response.writeHead(500).end("broken");
      return;
    }
    const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices, usage }),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  const values = {
    "model.kind": "openai-compatible",
    "model.endpoint": endpoint,
    "model.name": "m",
    "model.retries": 0,
  };
  return { values, asked };
}
