// Packs the package and uses it in an empty folder, as `npx repertoire` does, without a network.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "repertoire-packed-"));
const home = join(folder, "home");
const project = join(folder, "project");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = {
  HOME: home,
  PATH: process.env.PATH,
  npm_config_offline: "true",
  npm_config_loglevel: "error",
  npm_config_update_notifier: "false",
};
const npx = (...args: string[]) =>
  execFileSync("npx", ["--no-install", "repertoire", ...args], { cwd: project, env, encoding: "utf8" });

// `npm test` has built `dist/`; without it there is nothing to pack.
describe.skipIf(!existsSync("dist/bin.cjs"))("the packed package", () => {
  let files: readonly string[];

  beforeAll(() => {
    mkdirSync(home);
    const installed = join(project, "node_modules/repertoire");
    mkdirSync(installed, { recursive: true });
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
        encoding: "utf8",
        env,
      }),
    ) as { filename: string; files: { path: string }[] }[];
    files = packed!.files.map(({ path }) => path);
    execFileSync("tar", ["-xzf", join(folder, packed!.filename), "-C", installed, "--strip-components=1"]);
    const { bin, dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    // What npm would download comes from this repository; nothing else of it is within reach.
    for (const name of Object.keys(dependencies))
      link(resolve("node_modules", name), join(project, "node_modules", name));
    link(join(installed, bin.repertoire), join(project, "node_modules/.bin/repertoire"));
  }, 120_000);

  it("holds the program, its data and its documents, and no sources or tests", () => {
    expect(files).toEqual(
      expect.arrayContaining(["package.json", "README.md", "LICENSE", "dist/bin.cjs", "dist/index.js"]),
    );
    expect(files.filter((path) => /^(?:src|test|evals|bench|scripts)\/|\.compiled$/.test(path))).toEqual([]);
  });

  it("finds, recalls, keeps and counts skills", () => {
    expect(npx("--version").trim()).toMatch(/^\d+\.\d+\.\d+$/);
    const { skills } = JSON.parse(npx("list", "--json")) as { skills: { name: string }[] };
    expect(skills.map(({ name }) => name)).toContain("test-first-fix");
    expect(JSON.parse(npx("recall", "fix the failing test", "-k", "1", "--json")).matches).toMatchObject([
      { name: "test-first-fix" },
    ]);
    expect(npx("new", "plan-meeting")).toContain("plan-meeting");
    expect(npx("stats")).toMatch(/\btokens\b/);
    expect(JSON.parse(npx("doctor", "--json")).checks).toContainEqual(
      expect.objectContaining({ check: "state", level: "ok" }),
    );
  });
});

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
