// Workspaces, servers and clients for the tests of MCP: the program in its own process, over standard input and output
// or over HTTP, with the SDK's client in both revisions.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished } from "vitest";
import type { ErrorCode } from "../../../src/model/errors.ts";
import { skillText, temporaryTree } from "../../skill-tree.ts";

export const REVISIONS = [
  ["2025-11-25", {}],
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
] as const;
export type Revision = (typeof REVISIONS)[number][1];

export type Answer = { action: "accept"; content: Record<string, never> } | { action: "decline" | "cancel" };
export const YES: Answer = { action: "accept", content: {} };

export function workspace(more: Readonly<Record<string, string>> = {}): string {
  const named = (name: string, lines = "") => `name: ${name}\n${lines}`;
  return temporaryTree({
    ".repertoire/repertoire.config.json": '{"sources": {"bundled": false}}',
    "p/.agents/skills/plan-meeting/SKILL.md": skillText(
      "Plans meetings. Use when people are to meet.",
      named("plan-meeting"),
    ),
    "p/.agents/skills/plan-meeting/references/agenda.md": "# Agenda\n",
    "p/.agents/skills/private-notes/SKILL.md": skillText(
      "Notes.",
      named("private-notes", "disable-model-invocation: true\n"),
    ),
    ...more,
  });
}

export interface ConnectOptions {
  readonly revision: Revision;
  readonly answer?: (message: string) => Answer;
  readonly clientName?: string;
}

/** How long the person reads a question; a host that answers by itself is faster. */
export const THINK_MS = 1_200;

function clientFor({ revision, answer, clientName = "test" }: ConnectOptions) {
  const client = new Client(
    { name: clientName, version: "1" },
    { ...revision, capabilities: answer ? { elicitation: { form: {} } } : {} },
  );
  const asked: string[] = [];
  const forms: unknown[] = [];
  if (answer)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      if ("requestedSchema" in params) forms.push(params.requestedSchema);
      await delay(THINK_MS);
      return answer(params.message);
    });
  const call = async (name: string, given: Record<string, unknown> = {}, meta?: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: given, _meta: { ...WITH_DATA, ...meta } });
    const [first] = result.content;
    return { ...result, text: first?.type === "text" ? first.text : "" };
  };
  return { client, call, asked, forms };
}

export function stdioCommand(bin: string, home: string, args: readonly string[] = []) {
  return {
    command: process.execPath,
    args: [bin, "--dir", join(home, "p"), "mcp", ...args],
    env: { PATH: process.env.PATH ?? "", REPERTOIRE_HOME: home },
  };
}

export async function connectStdio(
  bin: string,
  options: ConnectOptions & { readonly home: string; readonly args?: readonly string[] },
) {
  const made = clientFor(options);
  const transport = new StdioClientTransport({
    ...stdioCommand(bin, options.home, options.args),
    stderr: "pipe",
  });
  await made.client.connect(transport);
  onTestFinished(() => made.client.close());
  return { ...made, transport };
}

export async function serve(bin: string, home: string, args: readonly string[] = []) {
  const child = spawn(
    process.execPath,
    [bin, "--json", "--dir", join(home, "p"), "serve", "--port", "0", ...args],
    { env: { PATH: process.env.PATH, REPERTOIRE_HOME: home } },
  );
  const ended = new Promise<number | null>((settle) => child.on("close", settle));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const line = await new Promise<string>((settle) =>
    child.stdout.once("data", (part) => settle(String(part))),
  );
  const { mcp, token: tokenPath } = JSON.parse(line) as { mcp: string; token: string };
  const token = readFileSync(tokenPath, "utf8").trim();
  return { child, ended, home, url: new URL(mcp), token, tokenPath };
}

export async function connectHttp(
  { url, token }: { readonly url: URL; readonly token: string },
  options: ConnectOptions,
) {
  const made = clientFor(options);
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  await made.client.connect(transport);
  onTestFinished(() => made.client.close());
  return { ...made, transport };
}

/** Writes a new skill again and again until something holds: a server may still be taking up its watch. */
export async function writingSkills(home: string, holds: () => boolean): Promise<void> {
  await expect
    .poll(
      () => {
        const folder = join(home, "p/.agents/skills", `brew-tea-${Date.now()}`);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "SKILL.md"), skillText("Brews tea."));
        return holds();
      },
      { interval: 1_000 },
    )
    .toBe(true);
}

/** The tasks that have private copies. */
export function copiedTasks(home: string): string[] {
  try {
    return readdirSync(join(home, ".repertoire/private"));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw thrown;
  }
}

/** In the `_meta` of a call: the answer is wanted as data, too. */
export const WITH_DATA = { "repertoire/data": true } as const;

/** What a failed tool call comes back as. */
export const wrong = (code: ErrorCode) => ({ isError: true, structuredContent: { error: { code } } });
