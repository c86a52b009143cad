// Walks what the lists of the last two designs show for a message, and where the configured style is used.

import { describe, expect, it } from "vitest";
import { asksForList } from "../../src/disclose/disclose.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace } from "./support/design-workspace.ts";

const WORDS = ["amber", "basalt", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "jade"];
const MANY = Object.fromEntries([
  ...WORDS.flatMap((a) =>
    WORDS.map((b) => [
      `p/skills/${a}-${b}/SKILL.md`,
      skillText(`Sorts ${a} beside ${b}. ${`It says more about ${a} and ${b}. `.repeat(20)}`),
    ]),
  ),
  ["p/skills/zz-chimney/SKILL.md", skillText("Sweeps the chimney.", "triggers: [sweep the chimney]\n")],
]);

describe.each(["catalog", "on-demand"] as const)("the style %s", (style) => {
  it("shows the skill that the message is about first, and shortens descriptions before skills vanish", async () => {
    const engine = designWorkspace(MANY).open({ values: { style } });
    const turn = engine.turn({ message: "sweep the chimney" });
    const { shown, omitted, text } = await turn.prompt();
    expect(shown[0]?.name).toBe("zz-chimney");
    expect(omitted).toBe(0);
    expect(text.length).toBeLessThanOrEqual(30_000);
    const small = await engine.turn({ message: "sweep the chimney" }).prompt({ budget: { chars: 700 } });
    expect(small.shown.map(({ name }) => name)).toContain("zz-chimney");
    expect(small.omitted).toBeGreaterThan(0);
  });
});

describe("recall_skills", () => {
  it("lists all skills when asked what it can do", async () => {
    const engine = designWorkspace(MANY).open();
    const tools = await engine.tools({ task: "t", session: "s" });
    const recall = tools.find(({ name }) => name === "recall_skills")!;
    expect(asksForList("what can you do?")).toBe(true);
    const { text, data } = await recall.run({ message: "what can you do?" });
    expect(data).toMatchObject({ total: 101 });
    expect(text).toContain("- zz-chimney: Sweeps the chimney.");
  });
});
