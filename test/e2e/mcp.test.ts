// The MCP server with a real client, over standard input and output, in both protocol revisions.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../src/model/errors.ts";
import { sandbox } from "../activation-workspace.ts";
import { hostsProgram } from "./hosts-program.ts";
import { type Answer, connectStdio, REVISIONS, workspace, writingSkills, wrong, YES } from "./support/mcp.ts";

const program = hostsProgram();

/** An error of the protocol, by its JSON-RPC code. */
const INVALID_PARAMS: Error = expect.objectContaining({ code: -32602 });

/** What a model could run to agree by itself. */
const COMMAND = /`|--|repertoire (?:activate|trust)/;

const connect = (options: Parameters<typeof connectStdio>[1]) => connectStdio(program.bin, options);

describe.each(REVISIONS)("the MCP server in revision %s", (_, revision) => {
  it("offers few tools, and all of them when asked", async () => {
    const home = workspace();
    const { client } = await connect({ home, revision });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.sort()).toEqual([
      "activate_skill",
      "list_skills",
      "read_skill_file",
      "recall_skills",
      "report_outcome",
      ...(sandbox.ok ? ["run_skill_script"] : []),
      "save_skill",
    ]);
    const all = await connect({ home, revision, args: ["--tools", "all"] });
    const more = (await all.client.listTools()).tools.map(({ name }) => name);
    expect(more).toEqual(
      expect.arrayContaining(["run_skill_script", "delete_skill", "submit_dream", "submit_enrichment"]),
    );
  });

  it("lets an agent do the thinking of a dream, and leaves the decision to the person", async () => {
    const { call } = await connect({ home: workspace(), revision, args: ["--tools", "all"] });
    expect((await call("dream_questions")).isError).not.toBe(true);
    const refused = await call("submit_dream", { plan: "not a plan" });
    expect(refused).toMatchObject(wrong("plan-no-json"));
    const emptied = await call("submit_dream", {
      plan: JSON.stringify({ toSave: [], toDelete: ["plan-meeting"] }),
    });
    expect(emptied.structuredContent).toMatchObject({
      staged: [],
      declined: [{ refusals: [{ code: "no-absorber" }] }],
    });
    expect((await call("list_skills")).text).toContain("- plan-meeting:");
    expect((await call("list_proposals")).structuredContent).toEqual({ proposals: [] });
  });

  it("recalls, activates after the person agreed, reads a file, notes the outcome; asks once", async () => {
    const { call, asked } = await connect({ home: workspace(), revision, answer: () => YES });
    expect((await call("recall_skills", { message: "plan a meeting with the team" })).text).toContain(
      "plan-meeting",
    );
    const early = await call("read_skill_file", { name: "plan-meeting", path: "references/agenda.md" });
    expect(early).toMatchObject(wrong("not-consented"));
    const activated = await call("activate_skill", { name: "plan-meeting" });
    expect(activated.isError).toBeUndefined();
    expect(activated.text).toContain("Do it.");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/\bplan-meeting\b[\s\S]*\b[0-9a-f]{64}\b/);
    await call("activate_skill", { name: "plan-meeting" });
    expect(asked).toHaveLength(1);
    const file = await call("read_skill_file", { name: "plan-meeting", path: "references/agenda.md" });
    expect(file.text).toBe("# Agenda\n");
    expect((await call("report_outcome", { outcome: "success" })).structuredContent).toMatchObject({
      skills: ["plan-meeting"],
    });
  });

  it("asks once for calls at the same time", async () => {
    const { call, asked } = await connect({ home: workspace(), revision, answer: () => YES });
    const calls = [1, 2, 3].map(() => call("activate_skill", { name: "plan-meeting" }));
    for (const { isError, text } of await Promise.all(calls)) {
      expect(isError).toBeUndefined();
      expect(text).toContain("Do it.");
    }
    expect(asked).toHaveLength(1);
  });

  it.each<[string, Answer, ErrorCode]>([
    ["declines", { action: "decline" }, "consent-refused"],
    // So does a host that has nobody to ask.
    ["closes the question", { action: "cancel" }, "consent-required"],
  ])("does not activate when the person %s", async (_how, answer, code) => {
    const home = workspace();
    const { call } = await connect({ home, revision, answer: () => answer });
    const refused = await call("activate_skill", { name: "plan-meeting" });
    expect(refused).toMatchObject(wrong(code));
    expect(refused.text).not.toMatch(COMMAND);
    expect(existsSync(join(home, ".repertoire/private"))).toBe(false);
  });

  it("asks with a form without fields, so that Accept is the answer", async () => {
    const { call, forms } = await connect({ home: workspace(), revision, answer: () => YES });
    expect((await call("activate_skill", { name: "plan-meeting" })).isError).toBeUndefined();
    expect(forms).toEqual([{ type: "object", properties: {} }]);
  });

  it("gives the model text alone, data to a program that asks, and the sentence of a failure in both", async () => {
    const { client, call } = await connect({ home: workspace(), revision, answer: () => YES });
    const activate = { name: "activate_skill", arguments: { name: "plan-meeting" } };
    expect(await client.callTool(activate)).not.toHaveProperty("structuredContent");
    const asked = await call("activate_skill", { name: "plan-meeting" });
    expect(asked.structuredContent).toMatchObject({ name: "plan-meeting", alreadyActivated: true });
    const failed = await client.callTool({ ...activate, arguments: { name: "nothing-of-this-name" } });
    const [said] = failed.content;
    expect(failed.structuredContent).toMatchObject({
      error: { message: said?.type === "text" && said.text },
    });
  });

  it("lets hosts load a skill without a question of theirs, unless theirs is the consent", async () => {
    const home = workspace();
    const hints = async (args: readonly string[], answer?: () => Answer) => {
      const { client } = await connect({ home, revision, args, ...(answer && { answer }) });
      const { tools } = await client.listTools();
      return tools.find(({ name }) => name === "activate_skill")!.annotations;
    };
    const harmless = { readOnlyHint: true, openWorldHint: false };
    expect(await hints([], () => YES)).toEqual(harmless);
    expect(await hints([])).toEqual(harmless);
    expect(await hints(["--consent", "host"], () => YES)).toEqual(harmless);
    expect(await hints(["--consent", "host"])).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it("refuses when the client cannot ask, without a command that a model could run instead", async () => {
    const { call } = await connect({ home: workspace(), revision });
    const refused = await call("activate_skill", { name: "plan-meeting" });
    expect(refused).toMatchObject(wrong("consent-required"));
    expect(refused.text).not.toMatch(COMMAND);
  });

  it("saves a skill and lists it", async () => {
    const { call } = await connect({ home: workspace(), revision });
    const content = "Brews tea. Use when somebody is thirsty.\n\n1. Boil water.\n";
    expect((await call("save_skill", { name: "brew-tea", content })).structuredContent).toMatchObject({
      name: "brew-tea",
      result: "created",
    });
    expect((await call("list_skills")).text).toContain("- brew-tea:");
  });

  it("serves skills as prompts, the person's own ones too, and keeps those from the model", async () => {
    const home = workspace();
    const { client, call, asked } = await connect({ home, revision, answer: () => YES });
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names).toEqual(["plan_meeting", "private_notes", "learn", "dream"]);
    const unasked = await connect({ home, revision });
    await expect(unasked.client.getPrompt({ name: "plan_meeting" })).rejects.toThrow(INVALID_PARAMS);
    const { messages } = await client.getPrompt({
      name: "plan_meeting",
      arguments: { arguments: "for Monday" },
    });
    expect(messages[0]!.content).toMatchObject({
      text: expect.stringMatching(/Do it\.\n\nTask: for Monday$/),
    });
    expect(asked).toHaveLength(1);
    expect((await call("list_skills")).text).not.toContain("private-notes");
    await expect(client.getPrompt({ name: "nothing" })).rejects.toThrow(INVALID_PARAMS);
  });

  it("answers a wrong call with what is wrong with it, and goes on", async () => {
    const { client, call } = await connect({ home: workspace(), revision });
    await expect(client.callTool({ name: "fly" })).rejects.toThrow(INVALID_PARAMS);
    expect(await call("recall_skills", {})).toMatchObject(wrong("invalid-arguments"));
    const hidden = await call("activate_skill", { name: "private-notes" });
    expect(hidden).toMatchObject(wrong("skill-not-found"));
    expect(hidden.text).toMatch(/: plan-meeting\.$/);
    expect((await call("list_skills")).text).toContain("plan-meeting");
  });

  it("refuses a cursor that it did not hand out", async () => {
    const { client } = await connect({ home: workspace(), revision });
    const { SkillsClient } = await import("@modelcontextprotocol/client/ext/skills");
    for (const cursor of ["-1", "abc", "0.5"]) {
      await expect(client.listPrompts({ cursor })).rejects.toThrow(INVALID_PARAMS);
      await expect(new SkillsClient(client).list({ cursor })).rejects.toThrow(INVALID_PARAMS);
    }
  });

  it("serves the Skills extension with digests that fit the files, and hides what the model may not see", async () => {
    const { client, call } = await connect({ home: workspace(), revision, answer: () => YES });
    const { SkillsClient } = await import("@modelcontextprotocol/client/ext/skills");
    const skills = new SkillsClient(client);
    await expect(client.readResource({ uri: "skill://plan-meeting/SKILL.md" })).rejects.toThrow();
    await call("activate_skill", { name: "plan-meeting" });
    const { skills: listed } = await skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual(["skill://plan-meeting/SKILL.md"]);
    const resources = listed[0]!.resources as { uri: string; digest: string; size: number }[];
    expect(resources.map(({ uri }) => uri).sort()).toEqual([
      "skill://plan-meeting/SKILL.md",
      "skill://plan-meeting/references/agenda.md",
    ]);
    for (const { uri, digest } of resources) {
      const [content] = (await client.readResource({ uri })).contents;
      const held = content as { text?: string; blob?: string };
      const bytes = held.text === undefined ? Buffer.from(held.blob ?? "", "base64") : Buffer.from(held.text);
      expect(digest).toContain(createHash("sha256").update(bytes).digest("hex"));
    }
    await expect(client.readResource({ uri: "skill://private-notes/SKILL.md" })).rejects.toThrow();
    await expect(client.readResource({ uri: "skill://plan-meeting/../../../etc/passwd" })).rejects.toThrow();
  });
});

describe("the MCP server", () => {
  it("ends its task, and the copies in it, when the client goes", async () => {
    const home = workspace();
    const { client, call } = await connect({ home, revision: REVISIONS[0][1], answer: () => YES });
    await call("activate_skill", { name: "plan-meeting" });
    const folder = join(home, ".repertoire/private");
    expect(readdirSync(folder)).toHaveLength(1);
    await client.close();
    await expect.poll(() => readdirSync(folder)).toEqual([]);
  });

  it.each(REVISIONS)("tells a client of revision %s when a skill appears", async (_, revision) => {
    const home = workspace();
    const { client } = await connect({ home, revision });
    let told = 0;
    client.setNotificationHandler("notifications/prompts/list_changed", () => {
      told++;
    });
    // The newer revision tells those who subscribed.
    if ("versionNegotiation" in revision) await client.listen({ promptsListChanged: true });
    await writingSkills(home, () => told > 0);
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names.some((name) => name.startsWith("brew_tea"))).toBe(true);
  });

  it("lives through malformed frames, and prints nothing but the protocol", async () => {
    const home = workspace();
    const child = spawn(process.execPath, [program.bin, "--dir", join(home, "p"), "mcp"], {
      env: { PATH: process.env.PATH, REPERTOIRE_HOME: home },
    });
    let out = "";
    child.stdout.on("data", (part) => {
      out += part;
    });
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    };
    child.stdin.write(`garbage\n{"jsonrpc": "2.0"}\n[]\n\u0000\n${JSON.stringify(initialize)}\n`);
    await expect.poll(() => out.includes('"id":1')).toBe(true);
    child.stdin.end();
    const code = await new Promise((settle) => child.on("close", settle));
    expect(code).toBe(0);
    for (const line of out.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    expect(readFileSync(join(home, "p/.agents/skills/plan-meeting/SKILL.md"), "utf8")).toContain(
      "Plans meetings",
    );
  });
});
