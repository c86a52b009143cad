import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import { openRepertoire } from "../engine/engine.ts";

async function found(sources: Record<string, unknown>) {
  const root = temporaryTree({
    "home/.repertoire/repertoire.config.json": JSON.stringify({ sources: { bundled: false, ...sources } }),
    "p/skills/plan/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
  });
  const { skills, diagnostics } = await openRepertoire({
    dir: join(root, "p"),
    home: join(root, "home"),
    env: {},
  }).library.list();
  const told = diagnostics.filter(({ code }) => code === "source-unknown");
  return { skills: skills.length, told, path: join(root, "home/.repertoire/repertoire.config.json") };
}

describe("an id that names no source", () => {
  it("is told with the list it stands in, the file, and the ids there are", async () => {
    const { skills, told, path } = await found({ only: ["./skils"] });
    expect(skills).toBe(0);
    expect(told).toMatchObject([
      { severity: "warning", path, message: 'sources.only names "./skils", which is no source here.' },
    ]);
    expect(told[0]!.fix).toContain("~/.claude/skills");
    expect(told[0]!.fix).toContain("./skills");
  });

  it("is told of every list", async () => {
    const { told } = await found({ drop: ["~/.claud/skills"], order: ["team"] });
    expect(told.map(({ message }) => message.split(",")[0])).toEqual([
      'sources.drop names "~/.claud/skills"',
      'sources.order names "team"',
    ]);
  });
});

it("is silent on ids that there are, on added ones, and on those that another project has", async () => {
  const { skills, told } = await found({
    add: [{ path: "~/team", id: "team" }],
    only: ["./skills", "team"],
    drop: ["bundled", "../skills"],
  });
  expect({ skills, told }).toEqual({ skills: 1, told: [] });
});
