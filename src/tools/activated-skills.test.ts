import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ActivatedSkill } from "../activate/activate.ts";
import { snapshotPackage } from "../package/package.ts";
import { ActivatedSkills } from "./activated-skills.ts";

const TOOLSET = `import { defineTool, z } from "repertoire/tools";
export const Set = [defineTool("one", { description: "x", parameters: z.object({}), execute: () => "ran" })];`;

/** A skill with a script and a toolset, on a machine without a sandbox. */
function withoutSandbox(unsandboxed: (digest: string) => string[]) {
  const mount = mkdtempSync(join(tmpdir(), "repertoire-activated-"));
  onTestFinished(() => rmSync(mount, { recursive: true, force: true }));
  mkdirSync(join(mount, "scripts"));
  writeFileSync(join(mount, "SKILL.md"), "---\nname: demo\ndescription: Demo.\n---\nBody\n");
  writeFileSync(join(mount, "scripts", "say.sh"), "echo ran");
  writeFileSync(join(mount, "t.ts"), TOOLSET);
  const snapshot = snapshotPackage(mount);
  const skill = { name: "demo", directory: mount, source: "x" };
  const manifest = { toolsets: ["t:Set"], scripts: [], requires: { env: [] } };
  const skills = new ActivatedSkills({
    activated: async () => ({ skill, snapshot, mount, manifest }) as unknown as ActivatedSkill,
    subject: () => ({ name: "demo" as never, source: "x", scope: "custom" }),
    record: async () => {},
    env: process.env,
    network: [],
    unsandboxed: unsandboxed(snapshot.digest),
    project: mount,
    system: { findSandbox: async () => ({ ok: false, reason: "there is none", fix: "Get one" }) },
  });
  onTestFinished(() => skills.close());
  return skills;
}

const IN_TASK = { task: "t" };

test.each([
  ["the whole digest", (digest: string) => [digest]],
  ["its beginning", (digest: string) => ["0".repeat(64), digest.slice(0, 16).toUpperCase()]],
])("without a sandbox, code runs if the person allowed %s", async (_what, unsandboxed) => {
  const skills = withoutSandbox(unsandboxed);
  const policy = { acceptUnsandboxed: false };
  expect(await skills.run("demo", "say.sh", { ...IN_TASK, policy })).toMatchObject({
    ok: true,
    isolation: "none",
  });
  const { result } = await skills.callOf("demo", { tool: "one", args: {} }, IN_TASK);
  expect(result).toMatchObject({ ok: true, output: "ran" });
});

test.each([
  ["nothing", () => []],
  ["another content", () => ["0".repeat(64)]],
  ["a beginning that is too short", (digest: string) => ["", digest.slice(0, 11)]],
])("without a sandbox, no code runs if the person allowed %s", async (_what, unsandboxed) => {
  const skills = withoutSandbox(unsandboxed);
  expect(await skills.run("demo", "say.sh", IN_TASK)).toMatchObject({ ok: false, code: "no-sandbox" });
  const { tools, diagnostics } = await skills.tools("demo", IN_TASK);
  expect(tools).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "toolset-no-sandbox" }]);
});

test("tools of one content are loaded once, also if they are asked for at the same time", async () => {
  const skills = withoutSandbox((digest) => [digest]);
  const [first, second] = await Promise.all([skills.tools("demo", IN_TASK), skills.tools("demo", IN_TASK)]);
  expect(second).toEqual(first);
  expect(first.diagnostics).toEqual([]);
  expect(first.tools.map(({ name }) => name)).toEqual(["demo__one"]);
});

test("tools of a task that ends while they are loaded are not offered", async () => {
  const skills = withoutSandbox((digest) => [digest]);
  const loading = skills.tools("demo", IN_TASK);
  await new Promise((resolve) => setTimeout(resolve, 20));
  skills.forget("t");
  expect((await loading).tools).toEqual([]);
  expect(skills.registry("t").list()).toEqual([]);
});
