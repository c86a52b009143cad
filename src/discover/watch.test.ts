import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import { openRepertoire } from "../engine/engine.ts";
import type { LibraryChanges } from "../library/diff.ts";

describe("watching the sources", () => {
  it("tells of added, changed and removed skills, also in a source that did not exist", async () => {
    const root = temporaryTree({ "p/skills/a/SKILL.md": skillText("First."), "home/x": "" });
    const repertoire = openRepertoire({
      dir: join(root, "p"),
      home: join(root, "home"),
      env: {},
      values: { "sources.bundled": false },
    });
    onTestFinished(() => repertoire.close());
    const seen: LibraryChanges[] = [];
    await repertoire.library.watch((changes) => seen.push(changes));
    const next = async (work: () => void, expected: Partial<LibraryChanges>) => {
      seen.length = 0;
      work();
      await expect.poll(() => seen).toContainEqual(expect.objectContaining(expected));
    };
    await next(
      () => {
        mkdirSync(join(root, "p/skills/b"));
        writeFileSync(join(root, "p/skills/b/SKILL.md"), skillText("Second."));
      },
      { added: ["b"] },
    );
    await next(() => writeFileSync(join(root, "p/skills/b/SKILL.md"), skillText("Second, changed.")), {
      changed: ["b"],
    });
    await next(() => rmSync(join(root, "p/skills/a"), { recursive: true }), { removed: ["a"] });
    await next(
      () => {
        mkdirSync(join(root, "p/.claude/skills/c"), { recursive: true });
        writeFileSync(join(root, "p/.claude/skills/c/SKILL.md"), skillText("Third."));
      },
      { added: ["c"] },
    );
  });

  it("tells of a change that another question found first", async () => {
    const root = temporaryTree({ "p/skills/a/SKILL.md": skillText("First."), "home/x": "" });
    const repertoire = openRepertoire({
      dir: join(root, "p"),
      home: join(root, "home"),
      env: {},
      values: { "sources.bundled": false },
    });
    onTestFinished(() => repertoire.close());
    const seen: LibraryChanges[] = [];
    await repertoire.library.watch((changes) => seen.push(changes));
    writeFileSync(join(root, "p/skills/a/SKILL.md"), skillText("First, changed."));
    await repertoire.library.refresh();
    expect(seen).toEqual([{ added: [], changed: ["a"], removed: [] }]);
  });

  it("goes on after a folder was replaced by another one of the same name", async () => {
    const root = temporaryTree({
      "p/skills/group/a/SKILL.md": skillText("First."),
      "other/a/SKILL.md": skillText("Another one."),
      "home/x": "",
    });
    const repertoire = openRepertoire({
      dir: join(root, "p"),
      home: join(root, "home"),
      env: {},
      values: { "sources.bundled": false },
    });
    onTestFinished(() => repertoire.close());
    const seen: LibraryChanges[] = [];
    await repertoire.library.watch((changes) => seen.push(changes));
    const group = join(root, "p/skills/group");
    const changed = { added: [], changed: ["group/a"], removed: [] };
    renameSync(group, join(root, "before"));
    renameSync(join(root, "other"), group);
    await expect.poll(() => seen).toEqual([changed]);
    // Time for the scan that follows the new folders: what changes before it is found by that scan.
    await new Promise((goOn) => setTimeout(goOn, 400));
    writeFileSync(join(group, "a/SKILL.md"), skillText("Edited in its new place."));
    await expect.poll(() => seen).toEqual([changed, changed]);
  });

  it("hears of a skill inside a skill, and of a source that went and came back", async () => {
    const root = temporaryTree({
      "p/skills/a/SKILL.md": skillText("First."),
      "p/skills/a/parts/notes.txt": "notes",
      "home/x": "",
    });
    const repertoire = openRepertoire({
      dir: join(root, "p"),
      home: join(root, "home"),
      env: {},
      values: { "sources.bundled": false },
    });
    onTestFinished(() => repertoire.close());
    const seen: LibraryChanges[] = [];
    await repertoire.library.watch((changes) => seen.push(changes));
    writeFileSync(join(root, "p/skills/a/parts/SKILL.md"), skillText("A part."));
    await expect.poll(() => seen).toContainEqual({ added: ["a/parts"], changed: [], removed: [] });
    renameSync(join(root, "p/skills"), join(root, "p/elsewhere"));
    await expect.poll(() => seen).toContainEqual({ added: [], changed: [], removed: ["a", "a/parts"] });
    renameSync(join(root, "p/elsewhere"), join(root, "p/skills"));
    await expect.poll(() => seen).toContainEqual({ added: ["a", "a/parts"], changed: [], removed: [] });
  });

  it("ends in the same place as a manual re-index", async () => {
    const root = temporaryTree({ "p/skills/a/SKILL.md": skillText("First."), "home/x": "" });
    const repertoire = openRepertoire({
      dir: join(root, "p"),
      home: join(root, "home"),
      env: {},
      values: { "sources.bundled": false },
    });
    expect(await repertoire.library.refresh()).toEqual({ added: ["a"], changed: [], removed: [] });
    expect(await repertoire.library.refresh()).toEqual({ added: [], changed: [], removed: [] });
    writeFileSync(join(root, "p/skills/a/SKILL.md"), skillText("First, changed."));
    expect(await repertoire.library.refresh()).toEqual({ added: [], changed: ["a"], removed: [] });
  });
});
