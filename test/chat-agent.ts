// Makes an agent of the chat on a project with skills and a scripted model, for tests.

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openAgent } from "../src/adapters/chat/agent.ts";
import type { ChatEvent } from "../src/adapters/chat/step.ts";
import { type ConsentAsker, openRepertoire } from "../src/engine/engine.ts";
import { FILES } from "./activation-workspace.ts";
import { type Answer, scriptedModel } from "./scripted-model.ts";
import { temporaryTree } from "./skill-tree.ts";

export const MESSAGE = "Do the demo for me";

interface Options {
  readonly ask?: ConsentAsker;
  readonly values?: Record<string, unknown>;
  readonly endpoint?: string;
}

export async function agentWith(script: readonly Answer[], options: Options = {}) {
  const root = temporaryTree(FILES);
  const model = await scriptedModel(script);
  const engine = openRepertoire({
    dir: join(root, "p"),
    home: join(root, "home"),
    env: { PATH: process.env.PATH, KEY: "secret", DEMO_TOKEN: "t" },
    values: {
      "sources.bundled": false,
      cache: false,
      "model.kind": "openai-compatible",
      "model.endpoint": options.endpoint ?? model.endpoint,
      "model.name": "small",
      "model.apiKeyEnv": "KEY",
      "model.retries": 0,
      ...options.values,
    },
  });
  onTestFinished(() => engine.close());
  const agent = await openAgent(engine, { session: "s", task: "t", ask: options.ask });
  const say = async (
    message: string,
    stop = new AbortController(),
    on: (event: ChatEvent) => void = () => {},
  ) => {
    const events: ChatEvent[] = [];
    for await (const event of agent.answer({ message }, stop.signal)) {
      events.push(event);
      on(event);
    }
    return { events, text: events.map((event) => (event.type === "text" ? event.text : "")).join("") };
  };
  return { agent, asked: model.asked, say, journal: engine.journal };
}

export const types = (events: readonly ChatEvent[]) => events.map(({ type }) => type);
export const only = <T extends ChatEvent["type"]>(events: readonly ChatEvent[], type: T) =>
  events.filter((event): event is Extract<ChatEvent, { type: T }> => event.type === type);
