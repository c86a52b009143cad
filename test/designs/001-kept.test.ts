// Walks what the second design keeps: saving again, reading back what was saved, the paths, and the tools that it serves.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { designWorkspace } from "./support/design-workspace.ts";
import { scriptedModel } from "./support/scripted-model.ts";

const TEA = "Brews tea for guests.\n\n1. Boil water.\n";
const COFFEE = "Brews coffee for the board.\n\n1. Grind beans.\n";

describe("saving a skill again", () => {
  const saveTwice = async (first: object, second: object) => {
    const engine = designWorkspace({}).open();
    await engine.learned.save({ name: "brew", content: TEA, author: "agent", ...first });
    const changed = await engine.learned.save({ name: "brew", content: COFFEE, author: "agent", ...second });
    const { manifest } = await engine.library.find("brew");
    return { changed, description: manifest.description, summary: manifest.summary };
  };

  it("derives description and summary anew, if nobody wrote them", async () => {
    expect(await saveTwice({}, {})).toMatchObject({
      description: "Brews coffee for the board.",
      summary: "Brews coffee for the board.",
      changed: { result: "updated" },
    });
  });

  it("keeps a description that somebody wrote, as argument or in the front matter", async () => {
    const description = "Makes hot drinks.";
    expect(await saveTwice({ description }, {})).toMatchObject({ description });
    const content = `---\nname: brew\ndescription: ${description}\n---\n${TEA}`;
    expect(await saveTwice({ content }, {})).toMatchObject({ description });
  });

  it("keeps a summary that somebody wrote", async () => {
    expect(await saveTwice({ summary: "Hot drinks" }, {})).toMatchObject({
      description: "Brews coffee for the board.",
      summary: "Hot drinks",
    });
  });

  it("replaces a summary that a model wrote for the old text, and never one that a person wrote", async () => {
    const answers = ["Boils water for tea.", "Grinds beans for coffee."];
    const { values, asked } = await scriptedModel((_, at) => answers[at] ?? "?");
    const engine = designWorkspace({}).open({ values });
    const summaryNow = async () => {
      await engine.learned.settled();
      await engine.library.refresh();
      return (await engine.library.find("brew")).manifest.summary;
    };
    await engine.learned.save({ name: "brew", content: TEA });
    expect(await summaryNow()).toBe("Boils water for tea.");
    const { summary } = await engine.learned.save({ name: "brew", content: COFFEE });
    expect(summary).toBe("Brews coffee for the board.");
    expect(await summaryNow()).toBe("Grinds beans for coffee.");
    await engine.learned.save({ name: "brew", content: COFFEE, seeAlso: ["cups"] });
    await engine.learned.save({ name: "brew", content: TEA, summary: "Hot drinks" });
    await engine.learned.save({ name: "brew", content: COFFEE });
    expect(await summaryNow()).toBe("Hot drinks");
    expect(asked).toHaveLength(2);
  });

  it.each(["see_also", "seeAlso"])("takes %s, as a tool and in the library", async (key) => {
    const space = designWorkspace({});
    const engine = space.open();
    const tools = await engine.tools({ task: "t1" });
    const save = tools.find(({ name }) => name === "save_skill");
    expect(await save?.run({ name: "brew", content: TEA, [key]: ["cups"] })).not.toHaveProperty("isError");
    await engine.learned.save({ name: "grind", content: COFFEE, [key]: ["cups"] });
    for (const name of ["brew", "grind"])
      expect((await engine.library.find(name)).manifest.seeAlso).toEqual(["cups"]);
    expect(readFileSync(join(space.home, ".repertoire/skills/brew/SKILL.md"), "utf8")).toContain(
      "see-also: cups",
    );
  });
});

describe("paths and tools", () => {
  const values = {
    "sources.only": ["learned"],
    "paths.learned": "kept",
    "paths.usage": "skill-usage",
    "tools.serve": ["get_skill", "save_skill", "list_skills", "delete_skill"],
    "consent.allow": ["*"],
  };

  it("are settings: learned skills, usage and what is served", async () => {
    const space = designWorkspace({});
    const engine = space.open({ values });
    const tools = await engine.tools({ task: "t1", session: "s/1" });
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "delete_skill",
      "get_skill",
      "list_skills",
      "save_skill",
    ]);
    const call = (name: string, args: object) => tools.find((tool) => tool.name === name)?.run(args);
    await call("save_skill", { name: "mcp/tea", content: TEA });
    expect(existsSync(join(space.home, ".repertoire/kept/mcp/tea/SKILL.md"))).toBe(true);
    expect((await call("list_skills", {}))?.text).toContain("mcp/tea: Brews tea for guests.");
    expect((await call("get_skill", { name: "mcp/tea" }))?.text).toContain("1. Boil water.");
    const usage = readFileSync(join(space.home, ".repertoire/skill-usage/s%2F1.jsonl"), "utf8");
    expect(JSON.parse(usage)).toEqual({
      skillName: "mcp/tea",
      sessionId: "s/1",
      timestamp: expect.any(String),
    });
    await call("save_skill", { name: "mcp/tea", content: COFFEE });
    await engine.learned.undo();
    expect((await engine.library.show("mcp/tea", { review: true })).body).toContain("Boil water");
    await call("delete_skill", { name: "mcp/tea" });
    expect(existsSync(join(space.home, ".repertoire/kept/mcp/tea/SKILL.md"))).toBe(false);
  });

  it("lead the directives of a dream to other files", async () => {
    const space = designWorkspace({ "home/.repertoire/prompts/gap.md": "Think as our house does.\n" });
    const engine = space.open({ values: { "dream.directives": { gap: "prompts/gap.md" } } });
    expect((await engine.dreams.prompts())[0]?.system).toBe("Think as our house does.");
  });

  it.each([
    [["~/.repertoire/skills"], "home/.repertoire/skills"],
    [["./skills"], "p/skills"],
    [["~/.claude/skills"], "home/.claude/skills"],
    [["learned"], "home/.repertoire/kept"],
  ])("make a new skill where the settings %j read", async (only, folder) => {
    const space = designWorkspace({});
    const engine = space.open({ values: { "sources.only": only, "paths.learned": "kept" } });
    const { directory, source } = await engine.learned.create("brew", { template: "basic" });
    expect(directory).toBe(space.path(`${folder}/brew`));
    expect(source).toBe(only[0]);
    expect((await engine.library.find("brew")).name).toBe("brew");
  });
});

describe("what an agent saved", () => {
  const agentOf = async (space: ReturnType<typeof designWorkspace>, values: object = {}) => {
    const engine = space.open({ values: { ...values } });
    const tools = await (await engine.toolbox("all")).all({ task: "t1", session: "s1" });
    const call = (name: string, args: object) => tools.find((tool) => tool.name === name)!.run(args);
    return {
      engine,
      call,
      codeOf: (result: { data: unknown }) => (result.data as { error?: { code: string } }).error?.code,
    };
  };

  it("is read back without a question", async () => {
    const { call } = await agentOf(designWorkspace({}));
    await call("save_skill", { name: "brew", content: TEA });
    expect((await call("get_skill", { name: "brew" })).text).toContain("1. Boil water.");
  });

  it("is asked about if the settings say so", async () => {
    const { call, codeOf } = await agentOf(designWorkspace({}), { "consent.learned": "ask" });
    await call("save_skill", { name: "brew", content: TEA });
    expect(codeOf(await call("get_skill", { name: "brew" }))).toBe("consent-required");
  });

  it.each([
    ["a rule of the person names it", {}, { "consent.ask": ["brew"] }],
    ["it has a script", { files: { "scripts/brew.sh": "#!/bin/sh\necho tea\n" } }, {}],
    [
      "it has a toolset",
      { content: `---\nname: brew\ndescription: Brews.\ntoolsets: tools/x:Y\n---\n${TEA}` },
      {},
    ],
  ])("is asked about if %s", async (_, save, values) => {
    const { engine, call, codeOf } = await agentOf(designWorkspace({}), values);
    await engine.learned.save({ name: "brew", content: TEA, author: "agent", ...save });
    expect(codeOf(await call("get_skill", { name: "brew" }))).toBe("consent-required");
  });

  it("is asked about once somebody else has changed a byte, and what was never saved here too", async () => {
    const space = designWorkspace({
      "home/.repertoire/skills/found/SKILL.md": `---\nname: found\ndescription: F.\n---\n${TEA}`,
    });
    const { engine, call, codeOf } = await agentOf(space);
    await engine.learned.save({ name: "brew", content: TEA, author: "agent" });
    space.write(
      "home/.repertoire/skills/brew/SKILL.md",
      `---\nname: brew\ndescription: Brews.\n---\nDo this instead.\n`,
    );
    await engine.library.refresh();
    for (const name of ["brew", "found"])
      expect(codeOf(await call("get_skill", { name }))).toBe("consent-required");
  });

  it("stays agreed to when the background summary comes", async () => {
    let answer = (_: string) => {};
    const thinking = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const model = await scriptedModel(() => thinking);
    const { engine, call, codeOf } = await agentOf(designWorkspace({}), {
      ...model.values,
      "consent.learned": "ask",
    });
    await engine.learned.save({ name: "brew", content: TEA, author: "agent" });
    await engine.consents.trust("brew", (await engine.consents.look("brew")).digest);
    answer("Boils water.");
    await engine.learned.settled();
    await engine.library.refresh();
    expect((await engine.library.find("brew")).manifest.summary).toBe("Boils water.");
    expect((await call("get_skill", { name: "brew" })).text).toContain("1. Boil water.");
    await engine.learned.save({ name: "brew", content: COFFEE, author: "agent", summary: "Coffee" });
    expect(codeOf(await call("get_skill", { name: "brew" }))).toBe("consent-required");
  });
});
