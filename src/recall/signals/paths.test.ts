import { describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../../test/growth.ts";
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
  ])("%s matches %s", (glob, path) => {
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
  ])("%s does not match %s", (glob, path) => {
    expect(matchesGlob(glob, path)).toBe(false);
  });

  test.each<[string, (n: number) => unknown]>([
    ["a longer path against stars", (n) => matchesGlob(`${"*a".repeat(200)}b`, "a".repeat(n * 20))],
    ["more stars", (n) => matchesGlob(`${"*a".repeat(n * 2)}b`, "a".repeat(2000))],
    [
      "a deeper path against folder stars",
      (n) => matchesGlob(`${"**/".repeat(200)}b`, `${"a/".repeat(n * 2)}c`),
    ],
    ["more folder stars", (n) => matchesGlob(`${"**/".repeat(n * 2)}b`, `${"a/".repeat(200)}c`)],
    ["more braces", (n) => matchesGlob("{a,b}".repeat(n), "a".repeat(100))],
    ["deeper braces", (n) => matchesGlob(`${"{".repeat(n * 10)}${"}".repeat(n * 10)}`, "a")],
  ])("takes linear time on hostile input: %s", async (_, match) => {
    expect(await growth((n) => () => match(n), 25)).toBeLessThan(LINEAR);
  });

  test("with many wildcards does not match a path that lacks its last part", () => {
    expect(matchesGlob(`${"*a".repeat(200)}b`, "a".repeat(2000))).toBe(false);
    expect(matchesGlob(`${"**/".repeat(200)}b`, `${"a/".repeat(200)}c`)).toBe(false);
  });
});

describe("the paths signal", () => {
  const skill = skillOf("terraform", { paths: ["*.tf", "infra/**"] });
  const judge = (files: string[]) =>
    pathsSignal.judge(skill, { message: "", frame: { name: "task", confidence: 1 }, files } satisfies Query);

  test("claims a skill whose files are open, and notes the file and the glob", () => {
    expect(judge(["README.md", "infra/vars.json"])).toEqual({
      kind: "claim",
      value: WORTH.paths,
      note: expect.stringMatching(/infra\/vars\.json.*infra\/\*\*/),
    });
  });

  test("does not apply to other files, or without files", () => {
    expect(judge(["README.md"])).toBeUndefined();
    expect(judge([])).toBeUndefined();
  });
});
