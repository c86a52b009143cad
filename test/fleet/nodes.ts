// Starts nodes of a fleet for tests: real `repertoire serve` processes, each with a home folder of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { temporaryTree } from "../skill-tree.ts";

const PROGRAM = new URL("../../dist/bin.cjs", import.meta.url).pathname;

export interface NodeOptions {
  readonly database: string;
  /** The home folder; a new one unless given. */
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers by name.
type Answer = any;

export interface FleetNode {
  readonly address: string;
  readonly home: string;
  readonly process: ChildProcess;
  /** What it printed besides its answer. */
  readonly said: readonly string[];
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Answer }>;
  save(name: string, content: string): Promise<{ readonly status: number; readonly body: Answer }>;
  /** The names that a message recalls, best first. */
  recall(message: string): Promise<readonly string[]>;
  kill(): Promise<void>;
  /** As SIGTERM does. */
  stop(): Promise<void>;
}

/** The environment of a node's programs: nothing of the machine that the tests run on. */
export function nodeEnvironment({ database, home, env = {} }: NodeOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: home ?? "",
    REPERTOIRE_HOME: home ?? "",
    REPERTOIRE_DATABASE_URL: database,
    REPERTOIRE_BUNDLED: "false",
    REPERTOIRE_ENCODER: "off",
    ...env,
  };
}

/** Runs one command on a node's home folder and returns what it printed. */
export async function runOn(options: NodeOptions & { readonly home: string }, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: options.home,
    env: nodeEnvironment(options),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => {
    out += text;
  });
  child.stderr.on("data", (text) => {
    err += text;
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, out, err };
}

export async function startNode(options: NodeOptions): Promise<FleetNode> {
  const home = options.home ?? join(temporaryTree(), "home");
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, [PROGRAM, "serve", "--port", "0", "--json"], {
    cwd: home,
    env: nodeEnvironment({ ...options, home }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  onTestFinished(() => end("SIGKILL"));
  const said: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
  const first = once(createInterface({ input: child.stdout }), "line");
  const [line] = (await Promise.race([first, ended])) as [string];
  if (typeof line !== "string") throw new Error(`The node did not start: ${said.join("\n")}`);
  const { address, token: tokenPath } = JSON.parse(line) as { address: string; token: string };
  const authorization = `Bearer ${readFileSync(tokenPath, "utf8").trim()}`;
  const call: FleetNode["call"] = async (method, path, body) => {
    const response = await fetch(address + path, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  return {
    address,
    home,
    process: child,
    said,
    call,
    save: (name, content) => call("PUT", `/api/skills/${encodeURIComponent(name)}`, { content }),
    async recall(message) {
      const { body } = await call("POST", "/api/recall", { message });
      return (body.matches as { name: string }[]).map(({ name }) => name);
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
