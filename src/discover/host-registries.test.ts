import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { hostSkills } from "./discover.ts";

function machine() {
  const [home, project] = [temporaryTree(), temporaryTree()];
  const write = (path: string, content: string | object) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content));
  };
  return { home, write, read: () => hostSkills({ home, project, env: {} }) };
}

describe("what the person disabled in Codex", () => {
  const skills = (path: string, rest = "enabled = false") => `[[skills.config]]\npath = "${path}"\n${rest}\n`;

  it("is disabled by its path, of the SKILL.md or of its folder, and by its name", () => {
    const { home, write, read } = machine();
    const root = join(home, ".codex/skills");
    mkdirSync(join(root, "team/deploy"), { recursive: true });
    const rules = (text: string) => {
      write(".codex/config.toml", text);
      return read().disabled;
    };
    expect(rules(skills(join(root, "team/deploy/SKILL.md")))).toEqual(["team/deploy@~/.codex/skills"]);
    expect(rules(skills(join(root, "team/deploy")))).toEqual(["team/deploy@~/.codex/skills"]);
    expect(rules('[[skills.config]]\nname = "release"\nenabled = false\n')).toContain(
      "release@~/.codex/skills",
    );
    expect(rules(skills(join(root, "team"), "enabled = true"))).toEqual([]);
    expect(rules(`${skills(join(root, "team"), "")}[tui]\nenabled = false\n`)).toEqual([]);
    expect(rules(skills("/elsewhere/x/SKILL.md"))).toEqual([]);
  });
});

describe("a plugin of Claude Code without a file of its own", () => {
  const place = (settings: object, plugins: object = {}) => {
    const { home, write, read } = machine();
    const market = join(home, ".claude/plugins/marketplaces/market");
    write(".claude/settings.json", { enabledPlugins: settings });
    write(".claude/plugins/installed_plugins.json", { plugins });
    write(".claude/plugins/known_marketplaces.json", {
      market: { source: { source: "github", repo: "team/market" }, installLocation: market },
    });
    write(".claude/plugins/marketplaces/market/.claude-plugin/marketplace.json", {
      plugins: [
        { name: "office", source: "./", strict: false, skills: ["./skills/pdf", "./skills/xlsx"] },
        { name: "tools", source: "./plugins/tools" },
        { name: "escape", source: "../../../..", skills: ["./secret"] },
        { name: "elsewhere", source: { source: "github", repo: "team/elsewhere" } },
      ],
    });
    return { market, folders: read().folders.map(({ id, root }) => [id, root]) };
  };

  it("has what its marketplace says, at the place where it is installed", () => {
    const { folders } = place({}, { "office@market": [{ scope: "user", installPath: "/cache/office" }] });
    expect(folders).toEqual([
      ["claude-plugin:office@market", "/cache/office/skills/pdf"],
      ["claude-plugin:office@market/xlsx", "/cache/office/skills/xlsx"],
    ]);
  });

  it("is found in its marketplace if it is enabled and not in the registry", () => {
    const { market, folders } = place({ "tools@market": true, "office@market": false });
    expect(folders).toEqual([["claude-plugin:tools@market", join(market, "plugins/tools/skills")]]);
  });

  it("belongs to the project if only the project's file enables it", () => {
    const { home, write, read } = machine();
    const project = temporaryTree({
      ".claude/settings.json": JSON.stringify({ enabledPlugins: { "a@m": true, "b@m": true, "c@m": true } }),
    });
    write(".claude/plugins/known_marketplaces.json", { m: { installLocation: join(home, "m") } });
    write("m/.claude-plugin/marketplace.json", { plugins: [{ name: "a", source: "./a" }] });
    write(".claude/plugins/installed_plugins.json", {
      plugins: { "b@m": [{ installPath: "/cache/b" }], "c@m": [{ installPath: "/cache/c" }] },
    });
    write(".claude/settings.json", { enabledPlugins: { "c@m": false } });
    const { folders } = hostSkills({ home, project, env: {} });
    expect(folders.map(({ id, scope }) => [id, scope])).toEqual([
      ["claude-plugin:b@m", "user"],
      ["claude-plugin:c@m", "project"],
      ["claude-plugin:a@m", "project"],
    ]);
    expect(read().folders.map(({ id }) => id)).toEqual(["claude-plugin:b@m"]);
  });

  it("is not looked for outside its marketplace", () => {
    expect(place({ "escape@market": true, "elsewhere@market": true, "tools@unknown": true }).folders).toEqual(
      [],
    );
  });
});
