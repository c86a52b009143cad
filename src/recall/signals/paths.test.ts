import { describe, expect, test } from "vitest";
import { skillOf } from "../../../test/skills.fixture.ts";
import { matchesGlob, pathsSignal } from "./paths.ts";
import { type Query, WORTH } from "./signal.ts";

describe("a glob", () => {
  test.each([
    ["*.tf", "infra/main.tf"],
    ["*.tf", "main.tf"],
    ["**/*.sql", "a/b/c.sql"],
    ["**/*.sql", "c.sql"],
    ["src/**", "src/a/b.ts"],
    ["src/**/test/*.ts", "src/test/a.ts"],
    ["src/**/test/*.ts", "src/x/y/test/a.ts"],
    ["./src/*.ts", "src/a.ts"],
    ["/src/*.ts", "src/a.ts"],
    ["src/*.ts", "./src/a.ts"],
    ["src/*.ts", "src\\a.ts"],
    ["file-?.txt", "file-1.txt"],
    ["*.{ts,tsx}", "app.tsx"],
    ["{src,test}/**/*.{ts,js}", "test/a/b.js"],
    ["Dockerfile", "deploy/Dockerfile"],
    ["*.test.*", "a.test.ts"],
    ["a{b,{c,d}}e", "ade"],
  ])("%s fits %s", (glob, path) => {
    expect(matchesGlob(glob, path)).toBe(true);
  });

  test.each([
    ["*.tf", "main.tfvars"],
    ["src/*.ts", "src/a/b.ts"],
    ["src/*.ts", "lib/src/a.ts"],
    ["file-?.txt", "file-12.txt"],
    ["*.{ts,tsx}", "app.js"],
    ["a.c", "abc"],
    ["", "a"],
    ["[ab].ts", "a.ts"],
  ])("%s does not fit %s", (glob, path) => {
    expect(matchesGlob(glob, path)).toBe(false);
  });

  test("of a stranger costs little, however many stars and braces it has", () => {
    const before = process.cpuUsage();
    expect(matchesGlob(`${"*a".repeat(200)}b`, "a".repeat(2000))).toBe(false);
    expect(matchesGlob(`${"**/".repeat(200)}b`, `${"a/".repeat(200)}c`)).toBe(false);
    matchesGlob("{a,b}".repeat(100), "a".repeat(100));
    matchesGlob(`${"{".repeat(1000)}${"}".repeat(1000)}`, "a");
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

describe("the paths signal", () => {
  const skill = skillOf("terraform", { paths: ["*.tf", "infra/**"] });
  const judge = (files: string[]) =>
    pathsSignal.judge(skill, { message: "", frame: { name: "task", confidence: 1 }, files } satisfies Query);

  test("claims a skill whose files are open and says which one fits which glob", () => {
    expect(judge(["README.md", "infra/vars.json"])).toEqual({
      kind: "claim",
      value: WORTH.paths,
      note: "infra/vars.json fits infra/**",
    });
  });

  test("says nothing about other files, or without files", () => {
    expect(judge(["README.md"])).toBeUndefined();
    expect(judge([])).toBeUndefined();
  });
});
