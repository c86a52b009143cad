// Runs every example as its reader would: bundled, in a process of its own, in a project with a home of its own.

import { execFile } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { lastToolAnswer, scripted, systemOf } from "../ai-sdk-workspace.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";

interface Reader {
  /** Answers questions: each text, and the line that is typed then. */
  readonly answers?: readonly (readonly [question: string, line: string])[];
  readonly env?: Readonly<Record<string, string>>;
}

async function runExample(name: string, args: readonly string[] = [], reader: Reader = {}): Promise<string> {
  const root = temporaryTree({
    "home/.keep": "",
    "p/.agents/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
    "p/.agents/skills/empty/SKILL.md": "",
  });
  // Below the repository, so that packages are found from there.
  const outfile = join("node_modules", ".cache", `example-${name}-${process.pid}.mjs`);
  onTestFinished(() => rmSync(outfile, { force: true }));
  await build({
    entryPoints: [join("examples", name)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    define: {
      "import.meta.url": JSON.stringify(pathToFileURL("src/index.ts").href),
      "import.meta.filename": JSON.stringify(resolve("src/index.ts")),
      "import.meta.dirname": JSON.stringify(resolve("src")),
    },
    logLevel: "error",
  });
  const env = {
    PATH: process.env.PATH,
    REPERTOIRE_HOME: join(root, "home"),
    REPERTOIRE_DIR: join(root, "p"),
  };
  const words = [outfile, ...args.map((arg) => arg.replace("ROOT", root))];
  return new Promise((resolve, reject) => {
    const options = { encoding: "utf8", env: { ...env, ...reader.env } } as const;
    const child = execFile(process.execPath, words, options, (error, printed) =>
      error ? reject(error) : resolve(printed),
    );
    const waiting = [...(reader.answers ?? [])];
    let shown = "";
    child.stdout?.on("data", (part: string) => {
      shown += part;
      const [question, line] = waiting[0] ?? [];
      if (question === undefined || !shown.includes(question)) return;
      waiting.shift();
      shown = "";
      child.stdin?.write(`${line}\n`);
    });
  });
}

describe("the examples", () => {
  it("prompt.ts lists skills, names what is broken, and prints a section", async () => {
    const printed = await runExample("prompt.ts", ["ROOT/p", "plan a meeting"]);
    expect(printed).toMatch(/\bplan-meeting\b.*\bactive\b.*: Plans meetings\./);
    expect(printed).toMatch(/empty\/SKILL\.md: ./);
    expect(printed).toContain("## Skills");
    expect(printed).toMatch(/\d+ .*\d+ .*\d+ tokens\n$/);
  });

  it("views.ts shows an agent its own skills only", async () => {
    const printed = await runExample("views.ts", ["ROOT/p"]);
    expect(printed).toContain("reviewer: release/changelog, release/version-bump, safe-edit");
    expect(printed).toMatch(/"test-first-fix".*"reviewer".*: release\/changelog/);
  });

  it("parse.ts reads a broken skill and says how to mend it", async () => {
    expect(await runExample("parse.ts")).toMatch(
      /^Plans meetings: finds a time, invites people\nwarning yaml-unquoted-colon, line 3: .+\n$/,
    );
  });

  it("ai-sdk-agent.ts shows the model its skills, asks the person, and reports", async () => {
    const { endpoint, requests } = await scripted(
      [{ tool: "activate_skill", input: { name: "plan-meeting" } }],
      "Tuesday at ten.",
    );
    const printed = await runExample("ai-sdk-agent.ts", ["Plan a meeting with the team"], {
      env: { MODEL_URL: endpoint },
      answers: [
        ["Activate plan-meeting", "y"],
        ["Did that help?", "y"],
      ],
    });
    expect(systemOf(requests[0])).toMatch(/^Help the person\.[\s\S]+plan-meeting/);
    expect(lastToolAnswer(requests[1])).toContain("Do it.");
    expect(printed).toContain("Tuesday at ten.");
    expect(printed).toMatch(/: plan-meeting\n$/);
  });

  it("are all of them run here", () => {
    expect(readdirSync("examples").sort()).toEqual(["ai-sdk-agent.ts", "parse.ts", "prompt.ts", "views.ts"]);
  });
});
