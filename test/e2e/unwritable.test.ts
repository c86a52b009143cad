// Owns how the program behaves where it cannot write: it says so in words, answers what it can, and its hook goes on.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const PROGRAM = resolve("dist/bin.cjs");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-unwritable-"));
  mkdirSync(join(folder, "project"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(home: string, args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: join(folder, "project"),
    env: { PATH: process.env.PATH, HOME: home, REPERTOIRE_HOME: home },
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Homes whose state cannot be written, whoever asks: tests run as root, too. */
const HOMES: Readonly<Record<string, (home: string) => void>> = {
  "a file in place of the folder": (home) => writeFileSync(join(home, ".repertoire"), "x"),
  "a folder in place of the database": (home) =>
    mkdirSync(join(home, ".repertoire", "repertoire.db"), { recursive: true }),
};

describe.each(Object.entries(HOMES))("%s", (name, spoil) => {
  const home = () => {
    const made = mkdtempSync(join(folder, "home-"));
    spoil(made);
    return made;
  };

  test("is told with a code, a file and a next step, and no stack trace", () => {
    const own = home();
    const text = "# Plan\n\nPlans meetings of teams and sends invitations.\n";
    for (const args of [["save", "plan"], ["undo"], ["history", "plan"], ["archive"], ["tidy"]]) {
      const { status, stdout, stderr } = run(own, [...args, "--json"], text);
      const said = stdout + stderr;
      expect({ args, status }).toEqual({ args, status: 1 });
      expect(said).toContain(".repertoire");
      expect(said).not.toMatch(/unexpected|\n\s+at /);
      expect(JSON.parse(said)).toMatchObject({
        error: { code: expect.stringMatching(/^[a-z-]+$/), next: expect.any(String) },
      });
    }
  });

  test("keeps nobody from reading, and doctor names it", () => {
    const own = home();
    expect(run(own, ["list"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("test-first-fix"),
    });
    expect(run(own, ["recall", "fix the failing test"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("test-first-fix"),
    });
    const doctor = run(own, ["doctor", "--json"]);
    expect(doctor.status).toBe(1);
    const { checks } = JSON.parse(doctor.stdout) as { checks: { code?: string; path?: string }[] };
    expect(checks).toContainEqual(
      expect.objectContaining({ code: "state-wrong-kind", path: expect.stringContaining(".repertoire") }),
    );
  });

  test("lets the hook answer", () => {
    const input = {
      hook_event_name: "UserPromptSubmit",
      session_id: name.replaceAll(" ", "-"),
      prompt: "fix the failing test",
      cwd: join(folder, "project"),
    };
    const { status, stdout, stderr } = run(home(), ["hook", "claude-code"], JSON.stringify(input));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("test-first-fix");
  });
});

test("doctor --fix moves aside what stands in place of the database, and the store works again", () => {
  const own = mkdtempSync(join(folder, "home-"));
  HOMES["a folder in place of the database"]!(own);
  expect(run(own, ["doctor", "--fix", "--json"]).status).toBe(0);
  expect(readdirSync(join(own, ".repertoire")).some((name) => name.includes(".corrupt-"))).toBe(true);
  expect(run(own, ["save", "plan"], "# Plan\n\nPlans meetings of teams.\n").status).toBe(0);
  expect(run(own, ["doctor", "--json"]).status).toBe(0);
});
