// Walks the toolsets and scripts of the third design, and its recipe for a new skill.

import { describe, expect, it } from "vitest";
import type { ActivationPayload, Repertoire } from "../../src/index.ts";
import { SCRIPT_LIMITS } from "../../src/tools/limits.ts";
import { policy, sandbox } from "../activation-workspace.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace, recalledFor } from "./support/design-workspace.ts";
import { AGREED } from "./support/outcomes.ts";

const SKILL = "home/.agent/skills/my-skill";
const MANIFEST = `---
name: my-skill
description: My own skill for processing.
toolsets:
  - "toolsets/index:MyToolset"
triggers:
  keywords: ["my", "custom"]
---

# My skill

Call my-tool with the input.
`;
const tool = (name: string) => `Tool.define("${name}", {
  description: "Does something useful",
  parameters: z.object({ input: z.string() }),
  execute: async (args, ctx) => ({ title: "Completed", metadata: {}, output: "Processed: " + args.input }),
})`;
const IMPORTS = `import { z } from "zod";\nimport { Tool } from "@agent/tools";\n`;
const TOOLSET = `${IMPORTS}export const myTool = ${tool("my-tool")};\nexport const MyToolset = [myTool];\n`;
const IN_TASK = { task: "t", session: "s" };

function recipe(toolset = TOOLSET, manifest = MANIFEST) {
  return { [`${SKILL}/SKILL.md`]: manifest, [`${SKILL}/toolsets/index.ts`]: toolset };
}

async function activated(engine: Repertoire): Promise<ActivationPayload> {
  const { tasks } = engine;
  return (await tasks.activate("my-skill", IN_TASK)).payload;
}

async function toolsOf(files: Readonly<Record<string, string>>) {
  const engine = designWorkspace(files).open({ values: AGREED });
  await activated(engine);
  const { tasks } = engine;
  return { tasks, ...(await tasks.tools("my-skill", IN_TASK)) };
}

describe("a new skill", () => {
  it.skipIf(!sandbox.ok)(
    "made by the recipe is found by its triggers, gives its instructions and brings its tool",
    async () => {
      const engine = designWorkspace(recipe()).open({ values: AGREED });
      expect(await recalledFor(engine, "a custom job")).toEqual(["my-skill"]);
      const toolbox = await engine.toolbox();
      const activate = toolbox.served(IN_TASK).find(({ name }) => name === "activate_skill");
      const { text } = await activate!.run({ name: "my-skill" });
      expect(text).toContain("Call my-tool with the input.");
      const [brought] = toolbox.brought(IN_TASK);
      expect(await brought!.run({ input: "x" })).toMatchObject({ text: "Processed: x" });
    },
  );
});

describe("a toolset", () => {
  it.skipIf(!sandbox.ok)(
    "is the named export of a module below the skill, and its tools are registered under the skill's name",
    async () => {
      const { tools, diagnostics, tasks } = await toolsOf(recipe());
      expect(diagnostics).toEqual([]);
      expect(tools).toMatchObject([
        {
          name: "my-skill__my-tool",
          skill: "my-skill",
          description: "Does something useful",
          inputSchema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
        },
      ]);
      expect((await tasks.registry("t")).has("my-skill__my-tool")).toBe(true);
      expect(await tasks.call("my-skill__my-tool", { input: "x" }, IN_TASK)).toMatchObject({
        ok: true,
        title: "Completed",
        metadata: {},
        output: "Processed: x",
      });
    },
  );

  it.skipIf(!sandbox.ok)("may be a class that holds its tools", async () => {
    const { tools } = await toolsOf(
      recipe(`${IMPORTS}export class MyToolset { tools = [${tool("one")}, ${tool("two")}]; }\n`),
    );
    expect(tools.map(({ name }) => name)).toEqual(["my-skill__one", "my-skill__two"]);
  });

  it.skipIf(!sandbox.ok)(
    "holds a call to its schema, and says what is wrong with the arguments",
    async () => {
      const { tasks } = await toolsOf(recipe());
      const result = await tasks.call("my-skill__my-tool", { input: 7 }, IN_TASK);
      expect(result).toMatchObject({ ok: false, code: "invalid-arguments" });
      expect(result.output).toContain("input");
    },
  );

  it.skipIf(!sandbox.ok).each([
    ["whose export is missing", recipe(TOOLSET.replaceAll("MyToolset", "Other")), "toolset-export-missing"],
    ["whose module is missing", { [`${SKILL}/SKILL.md`]: MANIFEST }, "toolset-not-found"],
    ["whose module fails", recipe("throw new Error('no');"), "toolset-load-failed"],
    [
      "that would leave the skill's folder",
      recipe(TOOLSET, MANIFEST.replace("toolsets/index:", "../../other/index:")),
      "toolset-path-refused",
    ],
  ])("%s is reported, and the skill itself still works", async (_, files, code) => {
    const { tools, diagnostics } = await toolsOf(files);
    expect(tools).toEqual([]);
    expect(diagnostics).toMatchObject([{ code, severity: "warning" }]);
  });

  it("is loaded after a person agreed, never by merely being found", async () => {
    const marked = `${TOOLSET}globalThis.toolsetWasLoaded = true;\n`;
    const engine = designWorkspace(recipe(marked)).open();
    await engine.turn({ message: "a custom job", session: "s" }).prompt({ style: "tiers" });
    const { tasks } = engine;
    await expect(tasks.activate("my-skill", IN_TASK)).rejects.toMatchObject({ code: "consent-required" });
    await expect(tasks.tools("my-skill", IN_TASK)).rejects.toMatchObject({ code: "not-consented" });
    expect(globalThis).not.toHaveProperty("toolsetWasLoaded");
  });
});

describe("a script", () => {
  const run = async (script: string, call: Record<string, unknown> = {}) => {
    const engine = designWorkspace({
      [`${SKILL}/SKILL.md`]: skillText("Runs things.", "scripts: [scripts/go.sh]\n"),
      [`${SKILL}/scripts/go.sh`]: `#!/bin/sh\n${script}\n`,
    }).open({ values: AGREED, env: { PATH: process.env.PATH, SECRET_OF_THE_HOST: "s3cret" } });
    await activated(engine);
    const { tasks } = engine;
    return tasks.run("my-skill", "scripts/go.sh", {
      ...IN_TASK,
      ...call,
      policy: { ...policy, ...(call.policy ?? {}) },
    });
  };

  it("runs as a process of its own, in the skill's folder, without the host's variables", async () => {
    const { ok, stdout } = await run('ls; echo "[$SECRET_OF_THE_HOST]"; echo $$');
    expect(ok).toBe(true);
    const lines = stdout.trim().split("\n");
    expect(lines.slice(0, 3)).toEqual(["SKILL.md", "scripts", "[]"]);
    expect(lines[3]).not.toBe(String(process.pid));
  });

  it("is stopped at its time limit, which is 60 seconds unless told", async () => {
    expect(await run("sleep 30", { policy: { timeoutMs: 200 } })).toMatchObject({
      ok: false,
      code: "timeout",
    });
    expect(SCRIPT_LIMITS.timeoutMs).toBe(60_000);
  });

  it("has its output cut at 1 MB, and says so", async () => {
    const { code, truncated, stdout } = await run("head -c 2000000 /dev/zero | tr '\\0' x");
    expect({ code, truncated }).toEqual({ code: "output-truncated", truncated: true });
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(1024 * 1024);
    expect(stdout.length).toBeGreaterThan(1_000_000);
  });

  it("takes 100 arguments and not one more", async () => {
    expect((await run('echo "$#"', { args: Array(100).fill("a") })).stdout).toBe("100\n");
    expect(await run('echo "$#"', { args: Array(101).fill("a") })).toMatchObject({
      ok: false,
      code: "args-too-large",
    });
  });

  it("takes arguments of 4,096 bytes together and not one more", async () => {
    expect((await run('printf %s "$1" | wc -c', { args: ["é".repeat(2048)] })).stdout.trim()).toBe("4096");
    expect((await run("true", { args: ["é".repeat(1024), "é".repeat(1024), "x"] })).code).toBe(
      "args-too-large",
    );
  });
});
