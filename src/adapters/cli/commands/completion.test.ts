import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostsProgram } from "../../../../test/e2e/hosts-program.ts";
import { skillText, temporaryTree } from "../../../../test/skill-tree.ts";
import { run } from "../main.ts";

const program = hostsProgram();

const FILES = {
  "p/skills/git-workflow/SKILL.md": skillText("Works with git."),
  "p/skills/sven/plan/SKILL.md": skillText("Plans."),
  ".repertoire/repertoire.config.json": JSON.stringify({ sources: { bundled: false } }),
};

async function complete(...words: string[]): Promise<readonly string[]> {
  const root = temporaryTree(FILES);
  let out = "";
  const take = (text: string) => {
    out += text;
  };
  const streams = { out: take, err: () => {}, terminal: false, width: 80 };
  const code = await run(["--dir", join(root, "p"), "--home", root, "complete", "--", ...words], streams);
  expect(code).toBe(0);
  return out.split("\n").filter((line) => line !== "");
}

describe("completion", () => {
  it.each([
    [["sho"], ["show"]],
    [["proposals", "a"], ["accept"]],
    [
      ["show", ""],
      ["git-workflow", "sven/plan"],
    ],
    [["show", "git"], ["git-workflow"]],
    [["--json", "why", "sven/"], ["sven/plan"]],
    [
      ["prompt", "--style", "ca"],
      ["cards", "catalog"],
    ],
    [["prompt", "--b"], ["--budget"]],
    [["outcome", "succ"], ["success"]],
    [["expand", "/git_"], ["/git_workflow"]],
    [["expand", "/git-"], ["/git-workflow"]],
    [["expand", "/sven/p"], ["/sven/plan"]],
    [["show", "nothing-like-it"], []],
  ])("of %j is %j", async (words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });

  it("works in bash", () => {
    const root = temporaryTree(FILES);
    const shim = join(root, "repertoire");
    writeFileSync(
      shim,
      `#!/bin/sh\nexec "${process.execPath}" "${program.bin}" --home "${root}" --dir "${root}/p" "$@"\n`,
    );
    chmodSync(shim, 0o755);
    const script =
      'eval "$(repertoire completion bash 2>/dev/null)"; COMP_WORDS=(repertoire show gi); COMP_CWORD=2; _repertoire; printf "%s" "$COMPREPLY"';
    const env = { PATH: `${root}:${process.env.PATH}` };
    expect(execFileSync("bash", ["-c", script], { env, encoding: "utf8" }).trim()).toBe("git-workflow");
  });
});

describe("flags that name something", () => {
  const told = async (...args: string[]) => {
    let out = "";
    const take = (text: string) => {
      out += text;
    };
    const streams = { out: take, err: () => {}, terminal: false, width: 80 };
    const code = await run(["--json", ...args], streams);
    return { code, error: JSON.parse(out).error };
  };

  it("fail for a folder or an agent that does not exist, with the agents there are", async () => {
    const root = temporaryTree({
      ...FILES,
      ".repertoire/repertoire.config.json": JSON.stringify({ agents: { reviewer: { skills: ["git-*"] } } }),
    });
    const place = ["--home", root, "--dir", join(root, "p")];
    for (const verb of [["list"], ["recall", "plan"], ["prompt", "plan"]]) {
      expect(await told("--home", root, "--dir", join(root, "none"), ...verb)).toMatchObject({
        code: 1,
        error: { code: "folder-missing" },
      });
      expect(await told(...place, "--agent", "nobody", ...verb)).toMatchObject({
        code: 1,
        error: { code: "agent-unknown", message: expect.stringContaining("reviewer") },
      });
    }
  });
});
