// A host that runs our hook and our MCP server has one session: what was shown, activated and reported meets.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();

/** A host: it starts the server, sends its first message to the hook through a shell, and calls tools. */
const HOST = `
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
const [node, bin, dir, metadata] = JSON.parse(process.argv[2]);
const server = spawn(node, [bin, "--dir", dir, "mcp"], { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  const answer = JSON.parse(line);
  waiting.get(answer.id)?.(answer);
});
let sent = 0;
const call = (method, params) => {
  const id = ++sent;
  server.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\\n");
  return new Promise((settle) => waiting.set(id, settle));
};
const tool = (name, args) => call("tools/call", { name, arguments: args, ...(metadata && { _meta: metadata }) });
const clientInfo = { name: "some-host", version: "1" };
await call("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
const event = { session_id: "the-hosts-own", cwd: dir, hook_event_name: "UserPromptSubmit", prompt: "plan a meeting" };
spawnSync("sh", ["-c", '"$0" "$1" hook claude-code; true', node, bin], { input: JSON.stringify(event) });
console.log(JSON.stringify(await tool("recall_skills", { message: "agenda of a meeting" })));
console.log(JSON.stringify(await tool("activate_skill", { name: "plan-meeting" })));
console.log(JSON.stringify(await tool("report_outcome", { outcome: "success" })));
server.stdin.end();
`;

it.each([
  ["the process that started both", undefined],
  ["what the host sends along", { "x-codex-turn-metadata": { session_id: "the-hosts-own" } }],
])("are joined by %s", async (_, metadata) => {
  const home = temporaryTree({
    ".repertoire/repertoire.config.json": '{"sources": {"bundled": false}, "consent": {"allow": ["*"]}}',
    "p/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
  });
  writeFileSync(join(home, "host.mjs"), HOST);
  const given = JSON.stringify([process.execPath, program.bin, join(home, "p"), metadata ?? null]);
  const env = { PATH: process.env.PATH, HOME: home, REPERTOIRE_HOME: home };
  const { stdout, stderr } = spawnSync(process.execPath, [join(home, "host.mjs"), given], {
    env,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(stdout.split("\n")[2]).not.toContain('"isError":true');
  const { out } = await program.run(["--dir", join(home, "p"), "sessions", "--json"], { home });
  const { sessions } = JSON.parse(out);
  expect(sessions).toHaveLength(1);
  expect(sessions[0]).toMatchObject({
    session: "the-hosts-own",
    firstMessage: "plan a meeting",
    skills: ["plan-meeting"],
    successes: 1,
  });
});
