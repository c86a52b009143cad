import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sandbox, type Workspace, workspace } from "../../test/activation-workspace.ts";
import type { ConsentAsker } from "../activate/consents.ts";
import { type AgentToolResult, DEFAULT_TOOLS, type ToolChoice } from "./agent.ts";

const ALIAS = { values: { "tools.aliases": ["load_skill"] } };

async function tools(options: Workspace & { ask?: ConsentAsker; choice?: ToolChoice } = {}) {
  const space = await workspace({ ...ALIAS, ...options });
  const toolbox = await space.engine.toolbox(options.choice ?? "all");
  const list = toolbox.served({ task: "t", ask: options.ask });
  const call = (name: string, args?: unknown): Promise<AgentToolResult> =>
    list.find((tool) => tool.name === name)!.run(args);
  return { ...space, toolbox, list, call };
}

describe("the toolbox", () => {
  it("serves the chosen tools, and aliases of activate_skill if they are configured", async () => {
    const names = async (choice: ToolChoice) => (await tools({ choice })).list.map(({ name }) => name);
    expect((await names("default")).sort()).toEqual(
      [...DEFAULT_TOOLS, ...(sandbox.ok ? ["run_skill_script"] : []), "load_skill"].sort(),
    );
    expect(await names(["list_skills"])).toEqual(["list_skills"]);
    expect(await names("all")).toEqual([
      "recall_skills",
      "activate_skill",
      "read_skill_file",
      "run_skill_script",
      "list_skills",
      "save_skill",
      "get_skill",
      "delete_skill",
      "report_outcome",
      "should_have_been",
      "dream_questions",
      "submit_dream",
      "list_proposals",
      "enrich_questions",
      "submit_enrichment",
      "load_skill",
    ]);
  });

  it("describes arguments with JSON Schema that every host accepts", async () => {
    const { list } = await tools();
    for (const { inputSchema, description } of list) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(Object.keys(inputSchema)).not.toContain("$schema");
      expect(description).toMatch(/\.$/);
    }
    expect(list.find(({ name }) => name === "recall_skills")!.inputSchema).toEqual({
      type: "object",
      properties: {
        message: { type: "string", description: expect.any(String) },
        limit: { type: "integer", minimum: 1, maximum: 50, description: expect.any(String) },
      },
      required: ["message"],
      additionalProperties: false,
    });
    expect(list.find(({ name }) => name === "list_skills")!.inputSchema.properties).toEqual({
      prefix: { type: "string", description: expect.any(String) },
      offset: { type: "integer", minimum: 0, description: expect.any(String) },
    });
    expect(list.find(({ name }) => name === "report_outcome")!.inputSchema.properties).toMatchObject({
      outcome: { type: "string", enum: ["success", "failure", "neutral"] },
    });
  });
});

describe("the tools", () => {
  it.skipIf(!sandbox.ok)(
    "recall, activate, read and run, with text for the model and data for the host",
    async () => {
      const { call, toolbox } = await tools({ ask: () => true });
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
      const [greet] = toolbox.brought({ task: "t" });
      expect(await greet!.run({ who: "Ada" })).toMatchObject({ text: "Hello Ada" });
      const ran = await call("run_skill_script", { name: "demo", script: "say.sh", args: ["x"] });
      if (sandbox.ok) expect(ran.text).toMatch(/^said x .*\n\[isolation: bubblewrap\]$/);
      else expect(ran).toMatchObject({ isError: true, data: { code: "no-sandbox" } });
    },
  );

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

  it("answer a refusal with a result that says what to do next", async () => {
    const { call } = await tools();
    const refused = await call("activate_skill", { name: "demo" });
    expect(refused).toMatchObject({ isError: true, data: { error: { code: "consent-required" } } });
    // A model could run what it reads, and so agree in the person's name.
    expect(refused.text).not.toMatch(/repertoire (?:activate|trust)|--/);
    expect((await call("activate_skill", { name: "secret" })).text).toContain("Visible: demo,");
    expect(await call("run_skill_script", { name: "demo", script: "say.sh" })).toMatchObject({
      isError: true,
      data: { code: "not-consented" },
    });
  });

  it.each([
    ["activate_skill", {}, ["name"]],
    ["activate_skill", undefined, ["name"]],
    ["activate_skill", { name: " " }, ["name"]],
    ["activate_skill", { name: null }, ["name"]],
    ["activate_skill", "demo", [""]],
    ["activate_skill", ["demo"], [""]],
    ["activate_skill", { name: "demo", skill: 1, task: 2 }, ["skill", "task"]],
    ["run_skill_script", { name: "demo", script: "x", args: "x" }, ["args"]],
    ["run_skill_script", { name: "demo", script: "x", args: ["x", 1] }, ["args.1"]],
    ["recall_skills", { message: "x", limit: "many" }, ["limit"]],
    ["recall_skills", { message: "x", limit: 51 }, ["limit"]],
    ["list_skills", { offset: -1 }, ["offset"]],
    ["list_skills", { offset: 1.5 }, ["offset"]],
    ["report_outcome", { outcome: "great" }, ["outcome"]],
  ])("refuse the wrong arguments of %s %j by their names", async (name, args, wrong) => {
    const { text, data, isError } = await (await tools()).call(name, args);
    const value = wrong.map((argument) => ({ argument, problem: expect.any(String) }));
    expect({ data, isError }).toEqual({
      data: { error: { code: "invalid-arguments", message: text, value } },
      isError: true,
    });
    for (const argument of wrong) expect(text).toContain(argument === "" ? "object" : `"${argument}"`);
  });

  it("say which arguments a tool accepts", async () => {
    const { call } = await tools();
    expect((await call("recall_skills", {})).text).toContain("message (string), limit (integer, optional)");
  });

  it("ignore arguments that a model filled with null or an empty string", async () => {
    const { call } = await tools();
    const filled = await call("list_skills", { prefix: "", offset: null });
    expect(filled.isError).toBeUndefined();
    expect(filled).toEqual(await call("list_skills"));
  });
});
