import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import { openRepertoire } from "./engine.ts";

function opened() {
  const root = temporaryTree({ "p/skills/a/SKILL.md": skillText("First."), "home/x": "" });
  const options = { dir: join(root, "p"), home: join(root, "home"), env: {} };
  return openRepertoire({ ...options, values: { "sources.bundled": false } });
}

describe("switching a skill", () => {
  it("holds at once in an engine that goes on running, and can be taken back", async () => {
    const repertoire = opened();
    const state = async () => (await repertoire.library.list()).skills[0]?.state;
    expect(await state()).toBe("active");
    await repertoire.library.setEnabled("a", false);
    expect(await state()).toBe("disabled");
    await repertoire.library.setEnabled("a", true);
    expect(await state()).toBe("active");
  });
});
