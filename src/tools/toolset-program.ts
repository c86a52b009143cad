// The program of a toolset's process: loads the modules that the first line names, then answers calls, one line each.
//
// The package's code runs in this process. What this program promises holds for honest toolsets only;
// `toolset-worker.ts`, which started it, protects against the others.

import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { messageOf } from "../model/errors.ts";
import { issuesOf } from "./argument-schema.ts";
import { TOOL_LIMITS, TOOLSET_LIMITS } from "./limits.ts";
import { plainOutput } from "./tool-output.ts";
import { loadModule, type ModuleTool } from "./toolset-module.ts";
import type { EntryProblem, LoadRequest, WorkerLine, WorkerRequest } from "./toolset-protocol.ts";

// Taken before a toolset can replace them.
const { parse, stringify } = JSON;

class ToolsetProgram {
  private readonly request: LoadRequest;
  private readonly answers: Socket;
  private readonly tools = new Map<string, ModuleTool>();
  private readonly running = new Map<string, AbortController>();

  constructor(request: LoadRequest) {
    this.request = request;
    this.answers = new Socket({ fd: request.answers, readable: false, writable: true });
  }

  async load(): Promise<void> {
    const { entries, loader } = this.request;
    for (const [index, entry] of entries.entries()) {
      const { tools, problems } = await loadModule(entry, loader);
      for (const tool of tools) {
        const key = keyOf(entry.written, tool.name);
        // A name that is used twice means the first, as in the registry.
        if (!this.tools.has(key)) this.tools.set(key, tool);
      }
      this.say({
        loaded: index,
        count: tools.length,
        tools: tools.slice(0, TOOLSET_LIMITS.maxTools).map(({ name, description, inputSchema }) => ({
          ...{ name, description },
          inputSchema: inputSchema as { type: "object" },
        })),
        problems: problems.slice(0, TOOLSET_LIMITS.maxTools).map(shortened),
      });
    }
  }

  take(request: WorkerRequest): void {
    if ("cancel" in request) this.running.get(request.cancel)?.abort();
    else void this.answer(request).then((line) => this.say(line));
  }

  private async answer(request: Extract<WorkerRequest, { call: string }>): Promise<WorkerLine> {
    const { call: answer, toolset, tool: name, args } = request;
    const { skill, mount } = this.request;
    const own = new AbortController();
    this.running.set(answer, own);
    try {
      const tool = this.tools.get(keyOf(toolset, name));
      if (!tool) return { answer, failed: "it is not there any more" };
      const parsed = await tool.parameters.safeParseAsync(args);
      if (!parsed.success) return { answer, invalid: issuesOf(parsed.error) };
      const returned = await tool.execute(parsed.data, { skill, mount, signal: own.signal });
      return { answer, result: plainOutput(name, returned) };
    } catch (error) {
      return { answer, failed: messageOf(error).slice(0, TOOL_LIMITS.messageChars) };
    } finally {
      this.running.delete(answer);
      own.abort();
    }
  }

  private say(line: WorkerLine): void {
    this.answers.write(`${stringify(line)}\n`);
  }
}

function keyOf(toolset: string, tool: string): string {
  return `${toolset}\0${tool}`;
}

function shortened({ code, message, fix }: EntryProblem) {
  const max = TOOL_LIMITS.messageChars;
  return { code: code as "tool-invalid", message: message.slice(0, max), fix: fix.slice(0, max) };
}

/** Ends this process and its group when the other end is closed, even if a toolset blocks the main thread. */
async function watchLifeline(descriptor: number): Promise<void> {
  const text = `const socket = new (require("node:net").Socket)({ fd: ${descriptor}, readable: true, writable: false });
    socket.on("error", () => {}).on("close", () => process.kill(0, "SIGKILL")).resume();`;
  const watch = new Worker(text, { eval: true, env: {} });
  watch.unref();
  await new Promise((resolve) => watch.once("online", resolve));
}

let program: ToolsetProgram | undefined;
let ready: Promise<void> = Promise.resolve();
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  rest += text;
  if (!String(text).includes("\n")) return;
  const lines = rest.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const request = parse(line);
    const running = program;
    if (running) void ready.then(() => running.take(request));
    else {
      const { lifeline } = request as LoadRequest;
      const started = new ToolsetProgram(request);
      program = started;
      ready = (lifeline === undefined ? Promise.resolve() : watchLifeline(lifeline)).then(() =>
        started.load(),
      );
    }
  }
});
process.stdin.on("end", () => process.exit());
