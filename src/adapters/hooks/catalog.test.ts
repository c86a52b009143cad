import { describe, expect, it } from "vitest";
import type { SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import { catalogChoice, hostsReading, nativeTo } from "./catalog.ts";

const SOURCES = [
  { id: "user", root: "/home/me/.claude/skills", scope: "user" },
  { id: "own", root: "/home/me/.repertoire/skills", scope: "user" },
  { id: "project", root: "/p/skills", scope: "project" },
  { id: "nested", root: "/p/deep/skills", scope: "project" },
] as const;
const turns = {
  sources: SOURCES,
  scopeOf: (id: string) => SOURCES.find((source) => source.id === id)!.scope,
} as unknown as Parameters<typeof nativeTo>[0]["turns"];

const skill = (name: string, source: string, always = false) =>
  ({ name: name as SkillName, source, manifest: { always } }) as unknown as Skill;
const many = (count: number, source: string) =>
  Array.from({ length: count }, (_, n) => skill(`${source}-${n}`, source));
const namesOf = (skills: readonly Skill[]) => skills.map(({ name }) => name as string);

describe("the catalog of a host", () => {
  it("leaves out what the host lists itself, and what lies deeper in its folder if the host looks there", () => {
    const isNative = nativeTo({ host: "claude-code", turns });
    expect([
      isNative(skill("a", "user")),
      isNative(skill("a/b", "user")),
      isNative(skill("a", "own")),
    ]).toEqual([true, false, false]);
    const toOpencode = nativeTo({ host: "opencode", turns });
    expect([toOpencode(skill("a", "user")), toOpencode(skill("a/b", "user"))]).toEqual([true, true]);
    const needs = { host: "claude-code", turns, uses: () => 0 } as const;
    const all = [...many(3, "project"), ...many(4, "user")];
    expect(catalogChoice({ ...needs, mode: "complement" })(all)).toEqual({
      listed: many(3, "project"),
      counted: 0,
    });
    expect(catalogChoice({ ...needs, mode: "replace" })(all)).toEqual({ listed: all, counted: 0 });
  });

  it("tells a folder of the home from one of the same name in the project", () => {
    const folder = { root: "/home/me/.claude/skills" };
    expect(hostsReading({ ...folder, scope: "user" })).not.toContain("copilot");
    expect(hostsReading({ ...folder, scope: "project" })).toContain("copilot");
    expect(hostsReading({ ...folder, scope: "custom" })).toEqual([]);
  });

  it("lists of a large library what is always shown, then what is used, then what is near, and counts the rest", () => {
    const used = new Map([
      ["own-4000", 2],
      ["own-7", 9],
    ]);
    const choose = catalogChoice({
      host: "codex",
      mode: "replace",
      turns,
      uses: (name) => used.get(name) ?? 0,
    });
    const { listed, counted } = choose([
      skill("first", "own", true),
      ...many(2, "project"),
      ...many(5_000, "own"),
    ]);
    expect(namesOf(listed)).toEqual(["first", "own-7", "own-4000", "project-0", "project-1"]);
    expect(counted).toBe(4_998);
  });

  it("lists nothing of a large library of which nothing is known, instead of a piece of the alphabet", () => {
    const choose = catalogChoice({ host: "codex", mode: "replace", turns, uses: () => 0 });
    expect(choose(many(5_000, "own"))).toEqual({ listed: [], counted: 5_000 });
  });

  it("lists a folder of the project whole or not at all, however many skills it has", () => {
    const choose = catalogChoice({ host: "codex", mode: "replace", turns, uses: () => 0 });
    const { listed, counted } = choose([...many(4_900, "project"), ...many(3, "nested"), ...many(97, "own")]);
    expect(namesOf(listed)).toEqual(["nested-0", "nested-1", "nested-2"]);
    expect(counted).toBe(4_997);
  });
});
