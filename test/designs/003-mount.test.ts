// The private mount of the third design: where it is, what it is called, that a second activation says so, which tools the
// text names, and that a crashed host leaves nothing behind.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox } from "../activation-workspace.ts";
import { mcpClient } from "./support-b/mcp.ts";
import { designWorkspace, person, skillFile } from "./support-b/workspace.ts";

const FILES = {
  "p/skills/survey/SKILL.md": skillFile("name: survey\ndescription: Surveys a house."),
  "p/skills/survey/scripts/count.sh": "echo 4\n",
  "p/skills/survey/attic/SKILL.md": skillFile("name: attic\ndescription: Surveys the attic."),
};
const TOOLS = /\b(?:activate_skill|read_skill_file|run_skill_script|get_skill)\b/g;

describe("the mount", () => {
  it.each(["42", "release_7.b", "Fix-Login-2"])(
    "of the task %s is private/<task>/.skills/<name>, literally",
    async (task) => {
      const { cli, trust, home } = designWorkspace("003", { files: FILES });
      await trust("survey");
      const payload = (await cli("activate", "survey", "--task", task, "--json")).json();
      const disk = join(home, ".repertoire", "private", task, ".skills", "survey");
      expect(payload).toMatchObject({ mountPath: "private:/.skills/survey", baseDirectory: disk });
      expect(readFileSync(join(disk, "scripts/count.sh"), "utf8")).toBe("echo 4\n");
    },
  );

  it.each(["../../out", "a/b", "a b", ""])("of an unsafe task %j stays below private", async (task) => {
    const { engine, trust, home } = designWorkspace("003", { files: FILES });
    await trust("survey");
    const { payload } = await engine.task(task).activate("survey");
    const folder = join(home, ".repertoire", "private");
    expect(payload.mountPath).toBe("private:/.skills/survey");
    expect(readdirSync(folder)).toHaveLength(1);
    expect(payload.baseDirectory).toBe(join(folder, readdirSync(folder)[0]!, ".skills/survey"));
  });
});

it("a second activation in a task says that the skill is already active, and gives the text again", async () => {
  const { agent } = designWorkspace("003", { files: FILES });
  const { call } = await agent(person());
  const first = await call("activateSkill", { name: "survey" });
  const second = await call("activateSkill", { name: "survey" });
  expect(first.text).not.toContain("already active");
  expect(second.text).toContain("already active");
  expect(second.text).toContain("Do it.");
});

describe("the text names", () => {
  it("no tool on the command line", async () => {
    const { cli, trust } = designWorkspace("003", { files: FILES });
    await trust("survey");
    const { out } = await cli("activate", "survey");
    expect(out).toContain("scripts/count.sh");
    expect(out.match(TOOLS)).toBeNull();
  });

  it("the tools that the agent has, and no other", async () => {
    const { engine, trust } = designWorkspace("003", { files: FILES });
    await trust("survey");
    const toolbox = await engine.toolbox(["activate_skill", "read_skill_file"]);
    const tool = toolbox.served({ task: "t" }).find(({ name }) => name === "activate_skill");
    const { text } = await tool!.run({ name: "survey" });
    // By name the attic is a skill of its own and no part of the survey, so nothing more is to be activated.
    expect(new Set(text.match(TOOLS))).toEqual(new Set(["read_skill_file"]));
  });

  it("those that the MCP server serves, which runs scripts where there is a sandbox", async () => {
    const { client, call } = await mcpClient(designWorkspace("003", { files: FILES }), { agree: true });
    const served = (await client.listTools()).tools.map(({ name }) => name);
    expect(served.includes("run_skill_script")).toBe(sandbox.ok);
    const { text } = await call("activate_skill", { name: "survey" });
    const named = text.match(TOOLS) ?? [];
    expect(named).toContain("read_skill_file");
    for (const name of named) expect(served).toContain(name);
  });
});

it("what a killed server left is removed when the next one starts; tasks of the command line stay", async () => {
  const place = designWorkspace("003", { files: FILES });
  await place.trust("survey");
  await place.cli("activate", "survey", "--task", "cli");
  const killed = await mcpClient(place, { agree: true });
  await killed.call("activate_skill", { name: "survey" });
  const tasks = () => readdirSync(join(place.home, ".repertoire/private")).sort();
  const [lasting, left] = tasks();
  expect([lasting, left]).toEqual(["cli", expect.stringMatching(/^mcp-/)]);
  await killed.kill();
  const alive = await mcpClient(place, { agree: true });
  await alive.call("activate_skill", { name: "survey" });
  await expect.poll(tasks, { timeout: 10_000 }).not.toContain(left);
  expect(tasks()).toHaveLength(2);
  const listed = (await place.cli("task", "list", "--json")).json().tasks.map(({ id }: { id: string }) => id);
  expect(listed).not.toContain(left);
  expect(listed).toContain("cli");
  expect(existsSync(place.mount("cli", "survey"))).toBe(true);
});
