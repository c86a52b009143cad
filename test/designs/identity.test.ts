// With `sources.identity: name` (the first and the fourth design) the front matter's name is the skill's identity.

import { describe, expect, it } from "vitest";
import { designWorkspace } from "./support/design-workspace.ts";
import { AGREED } from "./support/outcomes.ts";

const named = (name: string, about: string) =>
  `---\nname: ${name}\ndescription: ${about}\n---\n\n# Steps\n\n## When to use\n\nFor ${about}\n`;

const BY_NAME = { ...AGREED, "sources.identity": "name" };

describe("a skill that is known by the name in its front matter", () => {
  const space = () =>
    designWorkspace({
      "p/skills/folder-one/SKILL.md": named("Serper Search", "Searches the web with Serper."),
      "p/skills/deep/er/SKILL.md": named("weather", "Tells the weather of tomorrow."),
    });

  it("has that name in the list, in a card, in the payload and for activation", async () => {
    const engine = space().open({ values: BY_NAME });
    const { skills } = await engine.library.list();
    expect(skills.map(({ skill }) => [skill.name, skill.displayName])).toEqual([
      ["serper-search", "serper-search"],
      ["weather", "weather"],
    ]);
    const turn = engine.turn({ message: "search the web with serper" });
    expect((await turn.prompt({ style: "cards" })).text).toContain("[Skill: serper-search]");
    const { payload } = await engine.task("t").activate("serper-search");
    expect([payload.name, payload.displayName]).toEqual(["serper-search", "serper-search"]);
  });

  it("keeps its name when the snapshot on disk answers", async () => {
    const made = space();
    await made.open({ values: BY_NAME }).library.list();
    const again = await made.open({ values: BY_NAME }).library.list();
    expect(again.skills.map(({ skill }) => skill.displayName)).toEqual(["serper-search", "weather"]);
    expect((await made.open().library.list()).skills.map(({ skill }) => skill.name)).toEqual([
      "deep/er",
      "folder-one",
    ]);
  });

  it("covers an earlier one of the same name, with a warning", async () => {
    const made = designWorkspace({
      "p/skills/a/SKILL.md": named("twin", "The first one."),
      "p/skills/b/SKILL.md": named("twin", "The second one."),
    });
    const { skills, diagnostics } = await made.open({ values: BY_NAME }).library.list();
    expect(skills.find(({ state }) => state === "active")?.skill.path).toBe(made.path("p/skills/b/SKILL.md"));
    expect(diagnostics).toMatchObject([{ code: "duplicate-name", severity: "warning" }]);
  });

  it("is skipped with a warning if nothing of the name is left", async () => {
    const made = designWorkspace({ "p/skills/a/SKILL.md": named('"!!!"', "Nothing of its name is left.") });
    const { skills, diagnostics } = await made.open({ values: BY_NAME }).library.list();
    expect(skills).toEqual([]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: "name-empty", severity: "warning" }));
  });

  it("takes the folder's name without one of its own", async () => {
    const made = designWorkspace({
      "p/skills/plain/SKILL.md": "---\ndescription: Does it.\n---\n\nDo it.\n",
    });
    const { skills } = await made.open({ values: BY_NAME }).library.list();
    expect(skills.map(({ skill }) => skill.name)).toEqual(["plain"]);
  });
});

it("is not for a project to decide", () => {
  const space = designWorkspace({
    "p/repertoire.config.json": JSON.stringify({ sources: { identity: "name" } }),
  });
  expect(() => space.open()).toThrow(expect.objectContaining({ code: "config-not-for-projects" }));
});
