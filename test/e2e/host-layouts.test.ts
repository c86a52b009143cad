// The claim of the README: the skills of every agent on the machine are found, as these agents lay them out, and what an agent has
// switched off stays off.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openRepertoire } from "../../src/engine/engine.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";

/** A folder of skills of each agent, for the person and in a project. */
const FOLDERS = {
  home: {
    "claude code": ".claude/skills",
    codex: ".codex/skills",
    "several agents": ".agents/skills",
    gemini: ".gemini/skills",
    qwen: ".qwen/skills",
    copilot: ".copilot/skills",
    cursor: ".cursor/skills",
    opencode: ".config/opencode/skills",
    "opencode before": ".config/opencode/skill",
    openclaw: ".openclaw/skills",
    "openclaw workspace": ".openclaw/workspace/skills",
    hermes: ".hermes/skills/devops",
    pi: ".pi/agent/skills",
    continue: ".continue/skills",
    cline: ".cline/skills",
    windsurf: ".codeium/windsurf/skills",
    "claude plugin": ".claude/plugins/cache/market/superpowers/1.2.3/skills",
    "claude plugin, its own folder": ".claude/plugins/cache/market/superpowers/1.2.3/more",
    "gemini extension": ".gemini/extensions/charts/skills",
    "pi package of npm": ".pi/agent/npm/node_modules/@team/pack/skills",
    "pi package of git": ".pi/agent/git/github.com/team/tools/extra",
  },
  project: {
    "a project's own": "skills",
    copilot: ".github/skills",
    claude: ".claude/skills",
    gemini: ".gemini/skills",
    qwen: ".qwen/skills",
    cursor: ".cursor/skills",
    opencode: ".opencode/skills",
    pi: ".pi/skills",
    continue: ".continue/skills",
    cline: ".cline/skills",
    windsurf: ".windsurf/skills",
  },
};

function write(root: string, files: Readonly<Record<string, string | object>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
  }
}

function machine() {
  const home = temporaryTree();
  const project = temporaryTree();
  const named = (scope: string, owner: string) => `${scope}-${owner.replace(/\W+/g, "-")}`;
  const names: string[] = [];
  for (const [scope, root] of [
    ["home", home],
    ["project", project],
  ] as const) {
    for (const [owner, folder] of Object.entries(FOLDERS[scope])) {
      const name = named(scope, owner);
      names.push(name);
      write(root, { [`${folder}/${name}/SKILL.md`]: skillText(`The skill of ${owner}.`) });
    }
  }
  const plugin = join(home, ".claude/plugins/cache/market/superpowers/1.2.3");
  write(home, {
    ".claude/plugins/installed_plugins.json": {
      version: 2,
      plugins: { "superpowers@market": [{ scope: "user", installPath: plugin, version: "1.2.3" }] },
    },
    ".claude/settings.json": { enabledPlugins: { "superpowers@market": true } },
    ".pi/agent/settings.json": { packages: ["npm:@team/pack@1.0.0", "git:github.com/team/tools@v2"] },
    ".pi/agent/git/github.com/team/tools/package.json": { pi: { skills: ["./extra"] } },
  });
  write(plugin, { ".claude-plugin/plugin.json": { name: "superpowers", skills: "./more" } });
  return { home, project, names };
}

async function states(home: string, dir: string): Promise<Map<string, string>> {
  const engine = openRepertoire({ home, dir, env: {}, values: { "sources.bundled": false } });
  onTestFinished(() => engine.close());
  const { skills } = await engine.library.list();
  return new Map(skills.map(({ skill, state }) => [skill.name.split("/").at(-1)!, state]));
}

it("finds the skills of every agent", async () => {
  const { home, project, names } = machine();
  const found = await states(home, project);
  expect(names.filter((name) => found.get(name) !== "active")).toEqual([]);
  expect(found.size).toBe(names.length);
});

it("leaves off what an agent has switched off", async () => {
  const { home, project } = machine();
  write(home, {
    ".claude/settings.json": {
      enabledPlugins: { "superpowers@market": false },
      permissions: { deny: ["Skill(home-claude-code)"] },
    },
    ".gemini/settings.json": { skills: { disabled: ["home-gemini"] } },
    ".gemini/extensions/extension-enablement.json": { charts: { overrides: ["!/*"] } },
    ".codex/config.toml": `[[skills.config]]\npath = "${home}/.codex/skills/home-codex/SKILL.md"\nenabled = false\n`,
    ".config/opencode/opencode.json": { permission: { skill: { "home-opencode": "deny" } } },
    ".openclaw/openclaw.json": `{\n  // mine\n  "skills": { "entries": { "home-openclaw": { "enabled": false } } },\n}`,
    ".hermes/config.yaml": "model: x\nskills:\n  disabled:\n    - home-hermes # not now\nother: 1\n",
    ".pi/agent/settings.json": {
      packages: [{ source: "npm:@team/pack", skills: [] }, "git:github.com/team/tools"],
    },
  });
  const found = await states(home, project);
  for (const name of ["claude-code", "gemini", "codex", "opencode", "openclaw", "hermes"])
    expect([name, found.get(`home-${name}`)]).toEqual([name, "disabled"]);
  const gone = ["claude-plugin", "claude-plugin-its-own-folder", "gemini-extension", "pi-package-of-npm"];
  expect(gone.filter((name) => found.has(`home-${name}`))).toEqual([]);
  expect(found.get("home-pi-package-of-git")).toBe("active");
  expect(found.get("home-qwen")).toBe("active");
});

it("takes a project's own packages as the project's, and none from outside it", async () => {
  const { home, project } = machine();
  const outside = temporaryTree({ "skills/outside/SKILL.md": skillText("Outside.") });
  write(project, {
    ".pi/settings.json": { packages: [outside, "./own"] },
    ".pi/own/skills/inside/SKILL.md": skillText("Inside."),
  });
  const found = await states(home, project);
  expect([found.get("inside"), found.get("outside")]).toEqual(["active", undefined]);
});

it("reads nothing from files that are not what they should be", async () => {
  const { home, project, names } = machine();
  write(home, {
    ".claude/plugins/installed_plugins.json": "{",
    ".openclaw/openclaw.json": "[]",
    ".hermes/config.yaml": "skills: [",
  });
  mkdirSync(join(home, ".qwen/settings.json"));
  const found = await states(home, project);
  const plugins = names.filter((name) => name.includes("claude-plugin"));
  expect(names.filter((name) => !found.has(name))).toEqual(plugins);
});
