import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import type { Source } from "../model/source.ts";
import { discover, type Scan } from "./walk.ts";

const text = skillText("A skill.");
const source = (root: string, more: Partial<Source> = {}): Source => ({
  id: "test",
  root,
  scope: "custom",
  rootSkill: false,
  trustLinks: false,
  requireDescription: false,
  requireName: false,
  identity: "path",
  ...more,
});
function scanOf(...sources: Source[]): Scan {
  const walk = discover(sources);
  for (;;) {
    const step = walk.next();
    if (step.done) return step.value;
  }
}
const found = (...sources: Source[]) => scanOf(...sources).files.map(({ relativePath }) => relativePath);
const codes = (...sources: Source[]) => scanOf(...sources).diagnostics.map(({ code }) => code);

describe("the scan", () => {
  it("finds skills at any depth, also below folders without SKILL.md", () => {
    const root = temporaryTree({
      "git-workflow/SKILL.md": text,
      "sven/SKILL.md": text,
      "sven/scripts/helper.sh": "",
      "sven/plan/SKILL.md": text,
      "sven/implement/research/SKILL.md": text,
    });
    expect(found(source(root))).toEqual(["git-workflow", "sven", "sven/implement/research", "sven/plan"]);
  });

  it("takes the root for a skill only where the source says so", () => {
    const root = temporaryTree({ "SKILL.md": text, "a/SKILL.md": text });
    expect(found(source(root))).toEqual(["a"]);
    expect(found(source(root, { rootSkill: true }))).toEqual(["", "a"]);
  });

  it("does not look into .git and node_modules", () => {
    const root = temporaryTree({
      ".git/a/SKILL.md": text,
      "node_modules/b/SKILL.md": text,
      "c/SKILL.md": text,
    });
    expect(found(source(root))).toEqual(["c"]);
  });

  it("accepts the file name in any case and prefers SKILL.md", () => {
    const root = temporaryTree({ "a/skill.md": text, "b/SKILL.md": text, "b/Skill.md": text });
    const scan = scanOf(source(root));
    expect(scan.files.map(({ path }) => path)).toEqual([join(root, "a/skill.md"), join(root, "b/SKILL.md")]);
    expect(scan.diagnostics.map(({ code }) => code)).toEqual(["two-skill-files"]);
  });

  it("says nothing about a source that does not exist", () => {
    expect(scanOf(source("/nowhere/at/all"))).toMatchObject({ files: [], diagnostics: [] });
  });
});

describe("special files", () => {
  it("skips a FIFO and a folder named SKILL.md at once, with a diagnostic", () => {
    const root = temporaryTree({ "b/SKILL.md/inner.txt": "" });
    mkdirSync(join(root, "a"));
    execFileSync("mkfifo", [join(root, "a/SKILL.md")]);
    expect(found(source(root))).toEqual([]);
    expect(codes(source(root))).toEqual(["not-a-file", "not-a-file"]);
  });

  it("skips a broken link to SKILL.md", () => {
    const root = temporaryTree({ "a/x": "" });
    symlinkSync("gone.md", join(root, "a/SKILL.md"));
    expect(codes(source(root))).toEqual(["not-a-file"]);
  });
});

describe("links", () => {
  it("are followed once: a loop ends and a second way to a folder adds nothing", () => {
    const root = temporaryTree({ "b/SKILL.md": text });
    symlinkSync("..", join(root, "b/loop"));
    symlinkSync("b", join(root, "a"));
    expect(found(source(root))).toEqual(["b"]);
  });

  it("that point to themselves or to nothing are passed over", () => {
    const root = temporaryTree({ "a/SKILL.md": text });
    symlinkSync("self", join(root, "self"));
    symlinkSync("nowhere", join(root, "gone"));
    mkdirSync(join(root, "b"));
    symlinkSync("SKILL.md", join(root, "b/SKILL.md"));
    expect(found(source(root))).toEqual(["a"]);
    expect(codes(source(root))).toEqual(["not-a-file"]);
  });

  it("never lead out of the source, unless it is trusted", () => {
    const outside = temporaryTree({ "secret/SKILL.md": text });
    const root = temporaryTree({ "a/SKILL.md": text });
    symlinkSync(join(outside, "secret"), join(root, "linked"));
    mkdirSync(join(root, "file"));
    symlinkSync(join(outside, "secret/SKILL.md"), join(root, "file/SKILL.md"));
    expect(found(source(root))).toEqual(["a"]);
    expect(codes(source(root))).toEqual(["link-outside-source", "link-outside-source"]);
    expect(found(source(root, { trustLinks: true }))).toEqual(["a", "file", "linked"]);
  });

  it("into another source are left to that source", () => {
    const other = temporaryTree({ "shared/SKILL.md": text });
    const root = temporaryTree();
    symlinkSync(join(other, "shared"), join(root, "shared"));
    const scan = scanOf(source(root), source(other, { id: "other" }));
    expect(scan.files.map(({ source: from }) => from.id)).toEqual(["other"]);
    expect(scan.diagnostics).toMatchObject([{ code: "link-into-source", severity: "info" }]);
  });
});

describe("limits", () => {
  it("cut a tree that is too deep and say so", () => {
    const deep = Array.from({ length: 34 }, () => "d").join("/");
    const root = temporaryTree({ [`${deep}/SKILL.md`]: text });
    expect(found(source(root))).toEqual([]);
    expect(codes(source(root))).toEqual(["depth-limit"]);
  });
});

describe("containers", () => {
  it("lists the folders whose time reveals added or removed skills, the roots included", () => {
    const root = temporaryTree({
      "group/a/SKILL.md": text,
      "group/a/scripts/x.sh": "",
      "b/SKILL.md": text,
      "not-yet/notes.txt": "",
    });
    const { containers } = scanOf(source(root));
    expect([...containers.keys()]).toEqual([root, join(root, "group"), join(root, "not-yet")]);
  });

  it("has the time from before the walk went on, so that a later change shows", () => {
    const root = temporaryTree({ "group/a/SKILL.md": text, "group/b/SKILL.md": text });
    utimesSync(join(root, "group"), 1, 1);
    utimesSync(root, 1, 1);
    const walk = discover([source(root)]);
    walk.next();
    walk.next();
    mkdirSync(join(root, "group", "late"));
    let step = walk.next();
    while (!step.done) step = walk.next();
    expect(step.value.containers.get(join(root, "group"))).toBe(1000);
  });

  it("lists a root that is a skill itself, and the roots that do not exist", () => {
    const root = temporaryTree({ "SKILL.md": text });
    const scan = scanOf(source(root, { rootSkill: true }), source("/nowhere/at/all"));
    expect([...scan.containers.keys()]).toEqual([root]);
    expect(scan.missing).toEqual(["/nowhere/at/all"]);
  });
});
