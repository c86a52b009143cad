// An agent on the AI SDK that has skills: its prompt contains the ones that fit the message, it activates what it needs
// if the person agrees, and reports the outcome. Works with any server that has OpenAI's protocol.

import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolLoopAgent } from "ai";
import { withRepertoire } from "../src/adapters/ai-sdk/ai-sdk.ts";
import { openRepertoire } from "../src/index.ts";

const { MODEL_URL = "http://localhost:11434/v1", MODEL = "qwen3" } = process.env;
const [message = "Plan a meeting with the team"] = process.argv.slice(2);
const person = createInterface({ input: stdin, output: stdout });

const engine = openRepertoire({ host: "example" });
const { tools, prepareStep, onStepFinish, onFinish, report, end } = await withRepertoire(engine, {
  session: `example-${process.pid}`,
  async askConsent({ name, description, scripts }) {
    const answer = await person.question(
      `Activate ${name} (${description}; ${scripts.length} scripts)? [y/N] `,
    );
    return answer.trim().toLowerCase() === "y";
  },
});

const agent = new ToolLoopAgent({
  model: createOpenAICompatible({ name: "example", baseURL: MODEL_URL })(MODEL),
  instructions: "Help the person. Follow a skill where one fits.",
  tools,
  prepareStep,
  onStepFinish,
  onFinish,
});

const { textStream } = await agent.stream({ prompt: message });
for await (const part of textStream) stdout.write(part);

const good = (await person.question("\nDid that help? [y/N] ")).trim().toLowerCase() === "y";
console.log(`Noted for: ${(await report(good ? "success" : "failure")).join(", ") || "no skill"}`);
person.close();
await end();
await engine.close();
