// Walks the order of matches and the tiers of the third design: what comes first, what is listed, and what tier 3 brings.

import { describe, expect, it } from "vitest";
import { sandbox } from "../activation-workspace.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace } from "./support/design-workspace.ts";
import { AGREED, useSkills } from "./support/outcomes.ts";

const PLACE = "p/.agent/skills";
const TIERS = { values: { style: "tiers", ...AGREED } };
const TOOLSET = `import { z } from "zod";
import { Tool } from "@agent/tools";
export const ring = Tool.define("ring-bell", {
  description: "Rings the bell",
  parameters: z.object({ times: z.number() }),
  execute: async ({ times }) => ({ title: "Rung", metadata: {}, output: "Rung " + times }),
});
export const Bells = [ring];
`;
const BELL = `---
name: bell
description: Rings for guests.
toolsets: ["toolsets/index:Bells"]
triggers:
  keywords: ["call the porter"]
---

Ring twice.
`;

describe("the order of triggers", () => {
  const FILES = {
    [`${PLACE}/named/SKILL.md`]: skillText("Zzyzx.", "triggers: [qqq]\n"),
    [`${PLACE}/phrase/SKILL.md`]: skillText("Blorp.", "triggers: [water the roses]\n"),
    [`${PLACE}/used/SKILL.md`]: skillText("Quux.", "triggers: [roses]\n"),
    [`${PLACE}/rose-garden/SKILL.md`]: skillText("Waters the roses of the garden.", "triggers: [roses]\n"),
  };
  const MESSAGE = "/named water the roses in the garden";

  it.each([
    ["the style tiers", TIERS],
    ["recall.order", { values: { "recall.order": "triggers", ...AGREED } }],
  ])("of %s: named, exact phrase, recent use, score", async (_, how) => {
    const engine = designWorkspace(FILES).open(how);
    await useSkills(engine, { session: "before", message: "/used", skills: ["used"], ending: "success" });
    const { matches } = await engine.turn({ message: MESSAGE }).prompt({ limit: 4 });
    expect(matches.map(({ name }) => name)).toEqual(["named", "phrase", "used", "rose-garden"]);
  });

  it("counts an exact phrase as strong evidence by score too", async () => {
    const engine = designWorkspace(FILES).open({ values: AGREED });
    const { matches } = await engine.turn({ message: "water the roses" }).recall();
    expect(matches.find(({ name }) => name === "phrase")?.score).toBeGreaterThanOrEqual(0.6);
  });
});

describe("the tiers", () => {
  it("list the skills without triggers beside the breadcrumb of the others", async () => {
    const files = {
      [`${PLACE}/bell/SKILL.md`]: BELL,
      [`${PLACE}/bread/SKILL.md`]: skillText("Bakes sourdough bread."),
    };
    const { text } = await designWorkspace(files).open(TIERS).turn({ message: "thanks!" }).prompt();
    expect(text).toContain("- bread: Bakes sourdough bread.");
    expect(text).toContain("[1 skill available]");
    expect(text).not.toContain("bell");
  });

  const bell = { [`${PLACE}/bell/SKILL.md`]: BELL, [`${PLACE}/bell/toolsets/index.ts`]: TOOLSET };

  it.skipIf(!sandbox.ok)(
    "activate in tier 3: the tools are there in that turn, and the text names them",
    async () => {
      const engine = designWorkspace(bell).open(TIERS);
      const turn = engine.turn({ message: "call the porter", session: "s" });
      const { text } = await turn.prompt({ task: "t" });
      const brought = (await engine.toolbox()).brought({ task: "t", session: "s" });
      expect(brought).toHaveLength(1);
      expect(text).toContain(`Tools of this skill:\n- ${brought[0]!.name}: Rings the bell`);
      expect(await brought[0]!.run({ times: 2 })).toMatchObject({ text: "Rung 2" });
      expect(await turn.outcome("success")).toEqual(["bell"]);
    },
  );

  it("activate nothing that nobody agreed to", async () => {
    const engine = designWorkspace(bell).open({ values: { style: "tiers" } });
    const { text } = await engine.turn({ message: "call the porter", session: "s" }).prompt({ task: "t" });
    expect(text).not.toContain("Ring twice.");
    expect((await engine.toolbox()).brought({ task: "t", session: "s" })).toEqual([]);
  });
});
