import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import { openRepertoire } from "../engine/engine.ts";

function library() {
  const root = temporaryTree({
    "p/skills/a/SKILL.md": skillText("First skill.", "metadata:\n  constructor: mine\n"),
    "p/skills/b/SKILL.md": skillText("Second skill.", "triggers: [one, two]\nversion: 1.10\n"),
    "home/x": "",
  });
  const open = () =>
    openRepertoire({
      dir: join(root, "p"),
      home: join(root, "home"),
      env: {},
      values: { "sources.bundled": false },
    });
  const cache = join(root, "home/.repertoire/cache");
  return { root, open, cacheFile: () => join(cache, readdirSync(cache)[0]!) };
}
const skills = (of: ReturnType<ReturnType<typeof library>["open"]>) => [...of.library.skills.values()];

describe("the record cache", () => {
  it("gives a second process the same skills", () => {
    const { open } = library();
    const first = skills(open());
    const second = skills(open());
    expect(second).toEqual(first);
    expect(second[1]?.manifest).toMatchObject({ version: "1.10", triggers: { keywords: ["one", "two"] } });
    expect(Object.getPrototypeOf(second[0]?.manifest.metadata)).toBeNull();
  });

  it("is not read again for an unchanged file, and is for a changed one", () => {
    const { open, root } = library();
    const path = join(root, "p/skills/a/SKILL.md");
    const time = new Date("2026-01-01");
    utimesSync(path, time, time);
    open().library;
    writeFileSync(path, skillText("Third skill.", "metadata:\n  constructor: mine\n"));
    utimesSync(path, time, time);
    expect(skills(open())[0]?.manifest.description).toBe("First skill.");
    utimesSync(path, time, new Date("2026-01-02"));
    expect(skills(open())[0]?.manifest.description).toBe("Third skill.");
  });

  it.each([
    ["cut off", (text: string) => text.slice(0, -20)],
    ["changed in one letter", (text: string) => text.replace("First", "Worst")],
    ["of another version", (text: string) => text.replace("repertoire-cache 1", "repertoire-cache 999")],
    ["not ours", () => "{}"],
    ["empty", () => ""],
  ])("is thrown away when it is %s", (_case, damage) => {
    const { open, cacheFile } = library();
    open().library;
    writeFileSync(cacheFile(), damage(readFileSync(cacheFile(), "utf8")));
    expect(skills(open())[0]?.manifest.description).toBe("First skill.");
  });

  it("never stops anybody where it cannot be written", () => {
    const root = temporaryTree({
      "p/skills/a/SKILL.md": skillText("First skill."),
      "home/.repertoire": "a file in the way",
    });
    const repertoire = openRepertoire({
      dir: join(root, "p"),
      home: join(root, "home"),
      env: {},
      values: { "sources.bundled": false },
    });
    expect(skills(repertoire)).toHaveLength(1);
  });
});
