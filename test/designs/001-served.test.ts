// Walks every text that a model reads and asserts that it names only tools that the model has.

import { describe, expect, it } from "vitest";
import { STYLES } from "../../src/index.ts";
import { skillText } from "../skill-tree.ts";
import { mcpClient } from "./support-b/mcp.ts";
import { DESIGNS, type Design, designWorkspace } from "./support-b/workspace.ts";

const FOLDERS: Readonly<Record<Design, string>> = {
  "000": "p/skills",
  "001": "home/.repertoire/skills",
  "002": "home/.agent/skills",
  "003": "p/skills",
  "004": "home/.sven/skills",
};
/** Everything that a text could name. */
const TOOLS =
  /\b(?:recall_skills|activate_skill|load_skill|get_skill|activateSkill|read_skill_file|run_skill_script|list_skills|save_skill|delete_skill|report_outcome|should_have_been)\b/g;

const files = (design: Design) =>
  Object.fromEntries(
    ["chimney", "chimney/brush", "gutter"].map((name) => [
      `${FOLDERS[design]}/${name}/SKILL.md`,
      skillText(`Cleans the ${name.replace("/", " ")}.`, `name: ${name.replace("/", "-")}\n`),
    ]),
  );

function named(text: string): string[] {
  return [...new Set(text.match(TOOLS) ?? [])];
}

const SERVED: readonly (readonly string[])[] = [
  ["recall_skills", "get_skill", "save_skill"],
  ["load_skill"],
  ["activateSkill", "list_skills"],
  ["list_skills"],
];

describe.each(SERVED)("an agent with the tool %s", (...served) => {
  const settings = { "tools.serve": served, "consent.allow": ["*"] };

  it("gets these tools, whose descriptions name no others", async () => {
    const { engine } = designWorkspace("003", { files: files("003"), values: settings });
    const tools = await engine.tools({ task: "t", session: "s" });
    expect(tools.map(({ name }) => name).sort()).toEqual([...served].sort());
    for (const { description, inputSchema } of tools)
      expect(served).toEqual(expect.arrayContaining(named(description + JSON.stringify(inputSchema))));
  });

  it.each(STYLES)("reads of no others in the style %s", async (style) => {
    const values = { ...settings, style };
    const { engine } = designWorkspace("003", { files: files("003"), values });
    for (const message of ["", "clean the chimney", "what can you do?"])
      for (const budget of [undefined, { tokens: 15 }, { tokens: 60 }]) {
        const { text } = await engine.turn({ message, session: "s" }).prompt({ budget });
        expect(served, text).toEqual(expect.arrayContaining(named(text)));
      }
  });

  it("reads of no others in what the tools answer", async () => {
    const { engine } = designWorkspace("003", { files: files("003"), values: settings });
    const tools = await engine.tools({ task: "t", session: "s" });
    for (const tool of tools) {
      const given = "message" in ((tool.inputSchema.properties as object) ?? {});
      const { text } = await tool.run(given ? { message: "clean the chimney" } : { name: "chimney" });
      expect(served, text).toEqual(expect.arrayContaining(named(text)));
    }
  });
});

describe.each(DESIGNS)("the MCP server with the settings of %s", (design) => {
  it("names no tool that it does not serve, in its instructions, descriptions and payloads", async () => {
    const workspace = designWorkspace(design, { files: files(design) });
    const { client, call } = await mcpClient(workspace, { agree: true });
    const { tools } = await client.listTools();
    const served = tools.map(({ name }) => name);
    const loader = served.find((name) => /^(?:activate_skill|get_skill)$/.test(name))!;
    const payload = await call(loader, { name: "chimney" });
    expect(payload.isError).toBe(false);
    const read = [client.getInstructions(), ...tools.map(({ description }) => description), payload.text];
    expect(served).toEqual(expect.arrayContaining(named(read.join("\n"))));
    expect(named(client.getInstructions() ?? "")).toContain(loader);
  });
});
