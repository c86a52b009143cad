// The MCP server with clients that misbehave: broken and huge frames, calls taken back, clients that die, addresses that
// lead out of a skill, digests that do not fit.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { describe, expect, it, onTestFinished } from "vitest";
import { skillText } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";
import {
  connectHttp,
  connectStdio,
  copiedTasks,
  REVISIONS,
  serve,
  stdioCommand,
  workspace,
  YES,
} from "./support/mcp.ts";

const program = hostsProgram();
const [[, OLD]] = REVISIONS;

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const callOf = (id: number, name: string, args: Record<string, unknown>) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

/** A client that writes what it likes. */
function raw(home: string, args: readonly string[] = []) {
  const { command, args: all, env } = stdioCommand(program.bin, home, args);
  const child = spawn(command, all, { env });
  const ended = new Promise<number | null>((settle) => child.on("close", settle));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (part) => {
    out += part;
  });
  child.stderr.on("data", (part) => {
    err += part;
  });
  const answers = () =>
    out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id?: number; error?: unknown });
  return {
    child,
    ended,
    errors: () => err,
    send(...messages: readonly unknown[]) {
      for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    refused: () =>
      answers()
        .filter((one) => one.error !== undefined)
        .map(({ id }) => id),
    answered: (id: number) => expect.poll(() => answers().some((one) => one.id === id)).toBe(true),
    has: (id: number) => answers().some((one) => one.id === id),
  };
}

describe("over standard input and output", () => {
  it("a frame above the limit is refused by its id, and the next one is answered", async () => {
    const client = raw(workspace());
    client.send(INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" });
    await client.answered(1);
    const huge = callOf(2, "recall_skills", { message: "x".repeat(20 * 1024 * 1024) });
    client.send(huge);
    // The official client writes the id last.
    const { id, ...rest } = callOf(4, "recall_skills", { id: 5, message: "x".repeat(5 * 1024 * 1024) });
    client.send({ ...rest, id });
    client.child.stdin.write(`${"y".repeat(20 * 1024 * 1024)}\n`);
    client.send(callOf(3, "list_skills", {}));
    await client.answered(3);
    expect(client.refused()).toEqual([2, 4, null]);
    client.child.stdin.end();
    expect(await client.ended).toBe(0);
  });

  it("a call that is taken back is not answered, and the next one is", async () => {
    const home = workspace({
      "p/.agents/skills/sleeper/SKILL.md": skillText("Sleeps.", "name: sleeper\n"),
      "p/.agents/skills/sleeper/scripts/sleep.sh": "#!/bin/sh\nsleep 60\n",
    });
    const client = raw(home, ["--tools", "all", "--consent", "host"]);
    client.send(INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" });
    client.send(callOf(2, "activate_skill", { name: "sleeper" }));
    await client.answered(2);
    client.send(callOf(3, "run_skill_script", { name: "sleeper", script: "sleep.sh" }));
    client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } });
    client.send(callOf(4, "list_skills", {}));
    await client.answered(4);
    client.child.stdin.end();
    expect(await client.ended).toBe(0);
    expect(client.has(3)).toBe(false);
  });

  it("a client that dies in the middle of a question leaves nothing activated and no copies", async () => {
    const home = workspace();
    const client = raw(home);
    const params = { ...INITIALIZE.params, capabilities: { elicitation: {} } };
    client.send({ ...INITIALIZE, params }, { jsonrpc: "2.0", method: "notifications/initialized" });
    await client.answered(1);
    client.send(callOf(2, "activate_skill", { name: "plan-meeting" }));
    client.child.stdin.destroy();
    client.child.stdout.destroy();
    expect(await client.ended).toBe(0);
    expect(copiedTasks(home)).toEqual([]);
  });
});

describe("over HTTP", () => {
  it("goes on when a client dies in the middle of a question, and gives a stranger no session", async () => {
    const server = await serve(program.bin, workspace());
    const dying = await connectHttp(server, {
      revision: OLD,
      answer: () => {
        void dying.client.close();
        return YES;
      },
    });
    await expect(dying.call("activate_skill", { name: "plan-meeting" })).rejects.toThrow();
    const next = await connectHttp(server, { revision: OLD });
    expect((await next.call("list_skills")).text).toContain("plan-meeting");
    const headers = {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const body = JSON.stringify(callOf(1, "list_skills", {}));
    const status = async (more: Record<string, string>) =>
      (await fetch(server.url, { method: "POST", headers: { ...headers, ...more }, body })).status;
    expect(await status({})).toBe(400);
    expect(await status({ "mcp-session-id": "made-up" })).toBe(404);
    const gone = next.transport.sessionId!;
    expect(await status({ "mcp-session-id": gone })).toBe(200);
    expect(await status({ "mcp-session-id": gone, "mcp-protocol-version": "1999-01-01" })).toBe(400);
    await next.transport.terminateSession();
    expect(await status({ "mcp-session-id": gone })).toBe(404);
  });
});

describe.each(REVISIONS)("the Skills extension in revision %s", (_, revision) => {
  it("hands out files that fit their digests, and is caught when one does not", async () => {
    const home = workspace();
    const { client, call } = await connectStdio(program.bin, { home, revision, answer: () => YES });
    expect((await call("activate_skill", { name: "plan-meeting" })).isError).not.toBe(true);
    const skills = new SkillsClient(client);
    const { skill } = await skills.get("skill://plan-meeting/SKILL.md");
    expect(await skills.read(skill, "references/agenda.md")).toMatchObject({ verified: true });
    writeFileSync(join(home, "p/.agents/skills/plan-meeting/references/agenda.md"), "# Agendb\n");
    await expect(skills.read(skill, "references/agenda.md", { cacheMode: "refresh" })).rejects.toThrow(
      /digest|consent/i,
    );
  });

  it.each([
    "skill://plan-meeting/../private-notes/SKILL.md",
    "skill://plan-meeting/%2e%2e/private-notes/SKILL.md",
    "skill://plan-meeting/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "skill://plan-meeting//etc/passwd",
    "skill://plan-meeting/references\\agenda.md",
    "skill://plan-meeting/%zz",
    "skill:///SKILL.md",
    "file:///etc/passwd",
  ])("reads nothing at %s", async (uri) => {
    const { client } = await connectStdio(program.bin, { home: workspace(), revision });
    await expect(client.readResource({ uri })).rejects.toThrow();
  });
});
