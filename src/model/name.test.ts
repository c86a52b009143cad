import { describe, expect, it } from "vitest";
import { lookupKey, parentName, toSkillName } from "./name.ts";

const nameOf = (path: string) => {
  const result = toSkillName(path);
  return result.ok ? result.name : result.code;
};

describe("toSkillName", () => {
  it.each([
    ["Repo Survey", "repo-survey"],
    ["  Foo  Bar!! ", "foo-bar"],
    ["foo/bar", "foo/bar"],
    ["git_workflow", "git-workflow"],
    ["node.js", "node.js"],
    [".system/Plan", "system/plan"],
    ["café-crème", "cafe-creme"],
    ["a--b", "a-b"],
    ["sven/implement/research", "sven/implement/research"],
  ])("%s -> %s", (path, name) => expect(nameOf(path)).toBe(name));

  it.each([
    ["..", "name-traversal"],
    ["a/../b", "name-traversal"],
    ["a/./b", "name-traversal"],
    ["", "name-empty"],
    ["a//b", "name-empty"],
    ["!!!", "name-empty"],
    ["日本語", "name-empty"],
    ["x".repeat(256), "name-too-long"],
    ["pаypal", "name-confusable"],
    ["ｐlan", "name-confusable"],
  ])("refuses %s: %s", (path, code) => expect(nameOf(path)).toBe(code));

  it("accepts names of other scripts that do not imitate ASCII", () => {
    expect(nameOf("über-uns")).toBe("uber-uns");
    expect(nameOf("план")).toBe("name-empty");
  });
});

describe("lookupKey", () => {
  it("ignores case, underscores, spaces and a leading slash", () => {
    expect(lookupKey("/Git_Workflow")).toBe(lookupKey("git workflow"));
    expect(lookupKey("Sven/PLAN")).toBe("sven/plan");
  });
});

describe("the hierarchy", () => {
  it("distinguishes children from grandchildren", () => {
    expect(parentName("sven/plan")).toBe("sven");
    expect(parentName("sven/implement/research")).toBe("sven/implement");
    expect(parentName("sven")).toBeUndefined();
  });
});
