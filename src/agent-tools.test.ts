import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sandbox, type Workspace, workspace } from "../test/activation-workspace.ts";
import type { ConsentAsker } from "./activate/consent.ts";
import { type AgentToolResult, agentTools, skillTools } from "./agent-tools.ts";
import type { TaskPart } from "./engine/engine.ts";

describe("the agent tools", () => {
  async function tools(options: Workspace & { ask?: ConsentAsker } = {}) {
    const space = await workspace(options);
    const host = Object.assign(Object.create(space.engine), { tasks: space.tasks }) as typeof space.engine & {
      tasks: TaskPart;
    };
    const list = agentTools(host, { task: "t", ask: options.ask, aliases: ["load_skill"] });
    const call = (name: string, args?: unknown): Promise<AgentToolResult> =>
      list.find((tool) => tool.name === name)!.run(args);
    return { ...space, host, list, call };
  }

  it("are one table with JSON schemas, and aliases where a host wants them", async () => {
    const { list } = await tools();
    expect(list.map(({ name }) => name)).toEqual([
      "recall_skills",
      "activate_skill",
      "read_skill_file",
      "run_skill_script",
      "list_skills",
      "load_skill",
    ]);
    for (const { inputSchema, description } of list) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(description).toMatch(/\.$/);
    }
  });

  it("recall, activate, read and run, with text for the model and data for the host", async () => {
    const { call, host } = await tools({ ask: () => true });
    const recalled = await call("recall_skills", { message: "please use the demo skill" });
    expect(recalled.text).toMatch(/^- demo \(\d\.\d\d\): A demo\. Use for demos\. \[/m);
    expect((await call("list_skills", { prefix: "demo/" })).text).toBe(
      "- demo/child: A child.\n- demo/child/grandchild: A grandchild.",
    );
    const activated = await call("load_skill", { name: "demo" });
    expect(activated.text).toMatch(
      /^<skill_content command="demo"[\s\S]*Tools of this skill:\n- demo__greet: Greets\.$/,
    );
    expect(activated.data).toMatchObject({ name: "demo", risk: "risky", tools: [{ name: "demo__greet" }] });
    expect(await call("read_skill_file", { name: "demo", path: "./references/notes.md" })).toMatchObject({
      text: "# Notes\n",
      data: { path: "references/notes.md", length: 8 },
    });
    const [greet] = skillTools(host, { task: "t" });
    expect(await greet!.run({ who: "Ada" })).toMatchObject({ text: "Hello Ada" });
    const ran = await call("run_skill_script", { name: "demo", script: "say.sh", args: ["x"] });
    if (sandbox.ok) expect(ran.text).toMatch(/^said x .*\n\[isolation: bubblewrap\]$/);
    else expect(ran).toMatchObject({ isError: true, data: { code: "no_sandbox" } });
  });

  it("read long files in pieces, and neither binaries nor anything outside the skill", async () => {
    const { call, skill } = await tools({ ask: () => true });
    writeFileSync(skill("demo/references/long.md"), "0123456789".repeat(10_001));
    await call("activate_skill", { name: "demo" });
    const first = await call("read_skill_file", { name: "demo", path: "references/long.md" });
    expect(first.text).toMatch(/\[cut: 10 more characters; go on with offset 100000\]$/);
    expect(
      (await call("read_skill_file", { name: "demo", path: "references/long.md", offset: 100_000 })).text,
    ).toBe("0123456789");
    for (const path of ["../SKILL.md", "/etc/passwd", "child/SKILL.md", "references", ""]) {
      expect(await call("read_skill_file", { name: "demo", path })).toMatchObject({ isError: true });
    }
    expect((await call("read_skill_file", { name: "demo", path: "assets/logo.bin" })).text).toContain(
      "not a text file",
    );
    expect((await call("read_skill_file", { name: "other", path: "SKILL.md" })).text).toContain(
      "is not activated",
    );
  });

  it("answer every mistake with a result that says what to do next", async () => {
    const { call } = await tools();
    expect(await call("activate_skill", { name: "demo" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("repertoire activate demo --task t"),
      data: { error: { code: "consent-required" } },
    });
    const mistakes: [string, unknown, string][] = [
      ["activate_skill", { name: "secret" }, '"secret" is not visible. Visible: demo,'],
      ["activate_skill", {}, 'activate_skill needs "name", a text.'],
      ["activate_skill", "demo", "takes an object"],
      ["activate_skill", { name: "demo", skill: 1 }, 'has no argument "skill"; it takes name'],
      ["run_skill_script", { name: "demo", script: "say.sh" }, "is not activated in the task"],
      ["run_skill_script", { name: "demo", script: "x", args: "x" }, "takes a list of texts"],
      ["recall_skills", { message: "x", limit: "many" }, "takes a whole number"],
    ];
    for (const [name, args, message] of mistakes) {
      expect(await call(name, args)).toMatchObject({ isError: true, text: expect.stringContaining(message) });
    }
  });
});
