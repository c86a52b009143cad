// What `check` finds about a skill of the third design without loading anything, and what scripts may run.

import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sandbox } from "../activation-workspace.ts";
import { hostsProgram } from "../e2e/hosts-program.ts";
import { designWorkspace } from "./support/design-workspace.ts";
import { AGREED } from "./support/outcomes.ts";

const program = hostsProgram();

const skill = (lines: string) =>
  `---\nname: porter\ndescription: Opens doors.\n${lines}---\n\nOpen the door.\n`;
const PLACE = "p/.agent/skills/porter";

describe("check", () => {
  it.each([
    ['toolsets: ["toolsets/index:Doors"]\n', "toolset-not-found"],
    ["scripts: [open.sh]\n", "script-not-found"],
    ["version: next-week\n", "version-invalid"],
  ])("finds what is wrong with %j, at the source file", async (lines, code) => {
    const space = designWorkspace({ [`${PLACE}/SKILL.md`]: skill(lines) });
    for (const where of [[], [space.path(PLACE)]]) {
      const { diagnostics } = JSON.parse((await space.cli("--json", "check", ...where)).out);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ code, path: space.path(`${PLACE}/SKILL.md`) }),
      );
    }
  });

  it.each([
    ["export const Windows = [];\n", ["toolset-export-missing"]],
    ["export const Doors = [];\n", []],
    ["class Doors {}\nexport { Doors };\n", []],
    ['export * from "./doors.ts";\n', []],
  ])("reads what a module of toolsets exports, and runs none of it: %j", async (text, codes) => {
    const space = designWorkspace({
      [`${PLACE}/SKILL.md`]: skill('toolsets: ["toolsets/index:Doors"]\n'),
      [`${PLACE}/toolsets/index.ts`]: `throw new Error("run");\n${text}`,
    });
    const { diagnostics } = JSON.parse((await space.cli("--json", "check")).out);
    expect(diagnostics.map(({ code }: { code: string }) => code)).toEqual(codes);
  });

  it("finds a name over 64 characters and a description over 500", async () => {
    const text = skill("")
      .replace("porter", "n".repeat(65))
      .replace("Opens doors.", "Opens doors. ".repeat(50));
    const space = designWorkspace({ [`${PLACE}/SKILL.md`]: text });
    const { diagnostics } = JSON.parse((await space.cli("--json", "check")).out);
    const codes = diagnostics.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(expect.arrayContaining(["name-too-long", "description-long"]));
  });

  it("loads no code", async () => {
    const space = designWorkspace({
      [`${PLACE}/SKILL.md`]: skill('toolsets: ["toolsets/index:Doors"]\n'),
      [`${PLACE}/toolsets/index.ts`]: "",
    });
    const trace = space.path("loaded");
    writeFileSync(
      space.path(`${PLACE}/toolsets/index.ts`),
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(trace)}, ""); export const Doors = [];`,
    );
    expect(JSON.parse((await space.cli("--json", "check")).out).diagnostics).toEqual([]);
    expect(existsSync(trace)).toBe(false);
  });
});

describe("scripts", () => {
  const files = {
    [`${PLACE}/SKILL.md`]: skill("scripts: [open.sh]\n"),
    [`${PLACE}/scripts/open.sh`]: '#!/bin/sh\ncat\ntest -n "$1" && cat "$1"\nexit 7\n',
    [`${PLACE}/scripts/other.sh`]: "#!/bin/sh\necho other\n",
    "home/.repertoire/repertoire.config.json": JSON.stringify({ consent: { allow: ["*"] } }),
  };

  it.skipIf(!sandbox.ok)("are only those that the front matter lists, if it lists any", async () => {
    const engine = designWorkspace(files).open({ values: AGREED });
    const task = engine.task("t");
    await task.activate("porter");
    expect(await task.run("porter", "other.sh")).toMatchObject({ ok: false, code: "not-declared" });
    expect(await task.run("porter", "scripts/open.sh")).toMatchObject({ exitCode: 7 });
  });

  it.skipIf(!sandbox.ok)(
    "get standard input and files of the caller's folder, and give their exit code",
    () => {
      const space = designWorkspace({ ...files, "here/notes.txt": "from a file\n" });
      const cli = (args: string[], input?: string) =>
        spawnSync(process.execPath, [program.bin, "--dir", space.project, "--home", space.home, ...args], {
          input,
          cwd: space.path("here"),
          encoding: "utf8",
        });
      expect(cli(["activate", "porter"]).status).toBe(0);
      const run = cli(
        ["run", "porter", "open.sh", "--read", "notes.txt", "--", "notes.txt"],
        "from a pipe\n",
      );
      expect(run.stdout).toBe("from a pipe\nfrom a file\n");
      expect(run.status).toBe(7);
      expect(cli(["run", "porter", "open.sh", "--", "notes.txt"], "").stderr).toContain("--read notes.txt");
    },
  );
});
