// Walks the tools of the second design, and how their use is remembered, as an agent has them: over MCP.

import { describe, expect, it } from "vitest";
import { hostsProgram } from "../e2e/hosts-program.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace } from "./support/design-workspace.ts";
import { mcpAgent } from "./support/mcp-agent.ts";

const program = hostsProgram();
const CONFIG = {
  "home/.repertoire/repertoire.config.json": '{"sources": {"bundled": false}, "consent": {"allow": ["*"]}}',
};
const EMAIL = "Sends an e-mail through the mail server.\n\n1. Ask for the address.\n2. Send it.\n";

async function agent() {
  const space = designWorkspace(CONFIG);
  return { space, ...(await mcpAgent({ bin: program.bin, ...space })) };
}

describe("the tools of an agent", () => {
  it("are there to load, save, list and delete skills", async () => {
    const { toolNames } = await agent();
    expect(await toolNames()).toEqual(
      expect.arrayContaining(["get_skill", "save_skill", "list_skills", "delete_skill"]),
    );
  });

  it("save needs a name and a text alone, and creates or updates", async () => {
    const { call } = await agent();
    const first = await call("save_skill", { name: "mcp/email", content: EMAIL });
    expect(first.data).toMatchObject({ name: "mcp/email", result: "created" });
    const better = await call("save_skill", { name: "mcp/email", content: `${EMAIL}3. Say so.\n` });
    expect(better.data).toMatchObject({ name: "mcp/email", result: "updated" });
    expect((await call("get_skill", { name: "mcp/email" })).text).toContain("3. Say so.");
  });

  it("get returns the whole procedure, and says which skills there are when the name is wrong", async () => {
    const { call } = await agent();
    await call("save_skill", { name: "mcp/email", content: EMAIL });
    const { text, data } = await call("get_skill", { name: "mcp/email" });
    expect(text).toContain("1. Ask for the address.\n2. Send it.");
    expect(data).toMatchObject({ name: "mcp/email", summary: "Sends an e-mail through the mail server." });
    const wrong = await call("get_skill", { name: "mcp/mail" });
    expect(wrong).toMatchObject({
      isError: true,
      data: { error: { code: "skill-not-found" } },
      text: expect.stringContaining("mcp/email"),
    });
  });

  it("list names every skill with its summary", async () => {
    const { call } = await agent();
    await call("save_skill", { name: "mcp/email", content: EMAIL, summary: "Mails things" });
    await call("save_skill", { name: "plan", content: "Plans meetings.\n\n1. Ask when.\n" });
    expect((await call("list_skills")).text.split("\n").sort()).toEqual([
      "- mcp/email: Mails things",
      "- plan: Plans meetings.",
    ]);
  });

  it("delete takes a skill away, and a person can have it back", async () => {
    const { call, space, close } = await agent();
    await call("save_skill", { name: "mcp/email", content: EMAIL });
    expect((await call("delete_skill", { name: "mcp/email" })).isError).toBe(false);
    expect((await call("list_skills")).data).toMatchObject({ skills: [], total: 0 });
    expect((await call("delete_skill", { name: "mcp/email" })).isError).toBe(true);
    await close();
    expect((await space.cli("restore", "mcp/email")).code).toBe(0);
    expect((await space.open().library.find("mcp/email")).manifest.description).toContain("Sends an e-mail");
  });
});

describe("the use of a skill", () => {
  it("is an event for each loading, with skill, session and time, handed out as JSON lines a session", async () => {
    const { call, space, close } = await agent();
    const began = Date.now();
    await call("save_skill", { name: "mcp/email", content: EMAIL });
    await call("get_skill", { name: "mcp/email" });
    await call("get_skill", { name: "mcp/email" });
    await close();
    const [first] = await space.open().journal.query({ kinds: ["activated"] });
    const { out } = await space.cli("journal", "export", first!.session!);
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const used = events.filter(({ kind }) => kind === "activated");
    expect(used).toHaveLength(2);
    for (const event of used) {
      expect(event).toMatchObject({ skillName: "mcp/email", sessionId: first!.session });
      expect(Date.parse(String(event.timestamp))).toBeGreaterThanOrEqual(began);
    }
  });
});

describe("a configuration for this system", () => {
  const config = JSON.stringify({
    sources: { only: ["bundled", "~/.repertoire/skills"] },
    style: "index",
    consent: { allow: ["*@bundled", "*@~/.repertoire/skills"] },
  });

  it("names the learned skills, the starters and the index, and lets an agent load what was learned", async () => {
    const space = designWorkspace({
      "home/.repertoire/repertoire.config.json": config,
      "p/.agents/skills/elsewhere/SKILL.md": skillText("Sends e-mail."),
    });
    const { call } = await mcpAgent({ bin: program.bin, ...space });
    await call("save_skill", { name: "mcp/email", content: EMAIL });
    expect((await call("get_skill", { name: "mcp/email" })).isError).toBe(false);
    const { out } = await space.cli("prompt", "send an e-mail");
    expect(out).toMatch(/^Available skills \(use activate_skill to load full instructions\):\n- /);
    expect(out).toContain("- mcp/email: Sends an e-mail through the mail server.");
    expect(out).toContain("- skills-and-rules: ");
    expect(out).toContain("Relevant skills for this message: mcp/email");
    expect(out).not.toContain("elsewhere");
  });

  it("counts what an index of 30,000 characters cannot name", async () => {
    const many = Array.from({ length: 500 }, (_, at) => [
      `home/.repertoire/skills/helper-${at}/SKILL.md`,
      skillText(`Helps with matter number ${at}, of which there is more to say than fits here.`),
    ]);
    const space = designWorkspace(Object.fromEntries(many));
    const { text, omitted } = await space
      .open({ values: { style: "index" } })
      .turn({ message: "hello" })
      .prompt();
    expect(text.length).toBeLessThanOrEqual(30_000);
    expect(omitted).toBeGreaterThan(0);
    expect(text).toContain(`… and ${omitted} more skills; search them with recall_skills`);
  });
});
