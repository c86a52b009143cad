import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { projectStanding, trustedProjects, trustProject } from "./discover.ts";

function place() {
  const root = realpathSync(
    temporaryTree({ "home/.keep": "", "work/p/.git/HEAD": "", "work/p/sub/.keep": "" }),
  );
  const home = join(root, "home");
  const project = join(root, "work/p");
  const write = (path: string, content: object | string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content));
  };
  const standing = (
    host: string | undefined,
    {
      dir = project,
      mode = "host" as const,
      env = {},
    }: { dir?: string; mode?: "host" | "ask" | "all"; env?: object } = {},
  ) => projectStanding({ mode, host, project: dir, home, env: env as Record<string, string> });
  return { root, home, project, write, standing };
}

describe("the host's decision about a folder", () => {
  it.each(["claude-code", "codex", "gemini-cli", "pi", "opencode", "cli", undefined])(
    "is none while %s has no file, so that descriptions are shown",
    (host) => {
      expect(place().standing(host)).toMatchObject({ shown: true, host: "none" });
    },
  );

  it("is read of Claude Code: accepted here or above, not decided otherwise", () => {
    const { project, write, standing } = place();
    write(".claude.json", { projects: { [project]: { hasTrustDialogAccepted: false } } });
    expect(standing("claude-code")).toMatchObject({ shown: false, host: "undecided" });
    expect(standing("cli").shown).toBe(true);
    write(".claude.json", { projects: { [project]: { hasTrustDialogAccepted: true } } });
    expect(standing("claude-code")).toMatchObject({ shown: true, host: "trusted" });
    expect(standing("claude-code", { dir: join(project, "sub") }).shown).toBe(true);
    write(".claude.json", { projects: { [dirname(project)]: { hasTrustDialogAccepted: true } } });
    expect(standing("claude-code").shown).toBe(true);
    write("elsewhere/.claude.json", { projects: {} });
    const env = { CLAUDE_CONFIG_DIR: join(dirname(dirname(project)), "home/elsewhere") };
    expect(standing("claude-code", { env }).shown).toBe(false);
  });

  it("is read of Codex: the nearest level decides", () => {
    const { project, write, standing } = place();
    write(".codex/config.toml", 'model = "x"\n[projects."/other"]\ntrust_level = "trusted"\n');
    expect(standing("codex")).toMatchObject({ shown: false, host: "undecided" });
    write(".codex/config.toml", `[projects."${project}"]\ntrust_level = "trusted" # yes\n[tui]\n`);
    expect(standing("codex-mcp-client")).toMatchObject({ shown: true, host: "trusted" });
    expect(standing("codex", { dir: join(project, "sub") }).shown).toBe(true);
    write(".codex/config.toml", `[projects.'${project}']\n[tui]\ntrust_level = "trusted"\n`);
    expect(standing("codex").shown).toBe(false);
    write(
      ".codex/config.toml",
      `[projects."${project}"]\ntrust_level = "untrusted"\n[projects."${dirname(project)}"]\ntrust_level = "trusted"\n`,
    );
    expect(standing("codex")).toMatchObject({ shown: false, host: "untrusted" });
  });

  it("is read of Codex: a folder above the repository says nothing about it", () => {
    const { home, project, write, standing } = place();
    for (const above of [dirname(project), home, "/"]) {
      write(".codex/config.toml", `[projects."${above}"]\ntrust_level = "trusted"\n`);
      expect(standing("codex"), above).toMatchObject({ shown: false, host: "undecided" });
    }
  });

  it("is read of Codex: a linked worktree has the level of its repository, but no folder that only says so", () => {
    const { root, project, write, standing } = place();
    const tree = join(root, "work/tree");
    const entry = join(project, ".git/worktrees/tree");
    write(".codex/config.toml", `[projects."${project}"]\ntrust_level = "trusted"\n`);
    mkdirSync(entry, { recursive: true });
    mkdirSync(tree);
    writeFileSync(join(tree, ".git"), `gitdir: ${entry}\n`);
    expect(standing("codex", { dir: tree })).toMatchObject({ shown: false, host: "undecided" });
    writeFileSync(join(entry, "gitdir"), `${join(tree, ".git")}\n`);
    expect(standing("codex", { dir: tree })).toMatchObject({ shown: true, host: "trusted" });
    mkdirSync(join(root, "work/fake"));
    writeFileSync(join(root, "work/fake/.git"), `gitdir: ${entry}\n`);
    expect(standing("codex", { dir: join(root, "work/fake") }).shown).toBe(false);
  });

  it("is read of Gemini CLI: the nearest rule, unless the feature is off", () => {
    const { project, write, standing } = place();
    write(".gemini/trustedFolders.json", { [project]: "DO_NOT_TRUST", [dirname(project)]: "TRUST_FOLDER" });
    expect(standing("gemini-cli-mcp-client")).toMatchObject({ shown: false, host: "untrusted" });
    write(".gemini/trustedFolders.json", { [join(dirname(project), "q")]: "TRUST_PARENT" });
    expect(standing("gemini-cli")).toMatchObject({ shown: true, host: "trusted" });
    write(".gemini/trustedFolders.json", {});
    expect(standing("gemini-cli").shown).toBe(false);
    write(".gemini/settings.json", { security: { folderTrust: { enabled: false } } });
    expect(standing("gemini-cli")).toMatchObject({ shown: true, host: "none" });
  });

  it("is read of Gemini CLI as it reads it: comments, and the rule with the longest path first", () => {
    const { project, write, standing } = place();
    write(".gemini/trustedFolders.json", `{ // mine\n ${JSON.stringify(project)}: "TRUST_FOLDER" }`);
    expect(standing("gemini").shown).toBe(true);
    for (const rules of [
      { [join(project, "sub")]: "TRUST_PARENT", [project]: "DO_NOT_TRUST" },
      { [project]: "DO_NOT_TRUST", [join(project, "sub")]: "TRUST_PARENT" },
    ]) {
      write(".gemini/trustedFolders.json", rules);
      expect(standing("gemini")).toMatchObject({ shown: true, host: "trusted" });
    }
  });

  it("is read of Qwen Code: only where the feature is on", () => {
    const { project, write, standing } = place();
    const rules = (content: object) => write(".qwen/trustedFolders.json", content);
    rules({ [project]: "DO_NOT_TRUST" });
    expect(standing("qwen")).toMatchObject({ shown: true, host: "none" });
    write(".qwen/settings.json", { security: { folderTrust: { enabled: true } } });
    expect(standing("qwen")).toMatchObject({ shown: false, host: "untrusted" });
    rules({ [dirname(project)]: "DO_NOT_TRUST" });
    expect(standing("qwen-code")).toMatchObject({ shown: false, host: "undecided" });
    rules({ [dirname(project)]: "TRUST_FOLDER" });
    expect(standing("qwen")).toMatchObject({ shown: true, host: "trusted" });
    rules({ [join(dirname(project), "q")]: "TRUST_PARENT" });
    expect(standing("qwen").shown).toBe(true);
  });

  it("is read of pi: the nearest decision, then the default", () => {
    const { project, write, standing } = place();
    write(".pi/agent/trust.json", { [project]: false, [dirname(project)]: true });
    expect(standing("pi")).toMatchObject({ shown: false, host: "untrusted" });
    write(".pi/agent/trust.json", { [dirname(project)]: true });
    expect(standing("pi")).toMatchObject({ shown: true, host: "trusted" });
    write(".pi/agent/trust.json", {});
    expect(standing("pi").shown).toBe(false);
    write(".pi/agent/settings.json", { defaultProjectTrust: "always" });
    expect(standing("pi").shown).toBe(true);
  });

  it.each([
    [".claude.json", "claude-code"],
    [".gemini/trustedFolders.json", "gemini-cli"],
    [".pi/agent/trust.json", "pi"],
  ])("in a broken %s is no permission", (path, host) => {
    const { project, write, standing } = place();
    for (const text of [
      `{"projects": {${JSON.stringify(project)}: `,
      `[${JSON.stringify(project)}]`,
      "null",
    ]) {
      write(path, text);
      expect(standing(host).shown, text).toBe(false);
    }
  });

  it("that is a folder instead of a file is no permission", () => {
    const { home, standing } = place();
    mkdirSync(join(home, ".claude.json"));
    expect(standing("claude-code").shown).toBe(false);
  });
});

describe("the person's own trust in a project", () => {
  it("is asked for where the settings say so, and bound to the real path of the repository", () => {
    const { root, home, project, standing } = place();
    const ask = (dir = project) => standing("claude-code", { mode: "ask", dir }).shown;
    expect(ask()).toBe(false);
    const { folder } = standing(undefined);
    expect(folder).toBe(project);
    expect(trustProject(home, folder, true)).toBe(true);
    expect(trustProject(home, folder, true)).toBe(false);
    expect([ask(), ask(join(project, "sub"))]).toEqual([true, true]);
    symlinkSync(project, join(root, "link"));
    expect(ask(join(root, "link"))).toBe(true);
    mkdirSync(join(root, "work/other"));
    expect(ask(join(root, "work/other"))).toBe(false);
    trustProject(home, folder, false);
    expect(trustedProjects(home)).toEqual([]);
    expect(ask()).toBe(false);
  });

  it("is asked for once, whatever the answer was", () => {
    const { home, project, standing } = place();
    const isOpen = () => standing("", { mode: "ask" }).isOpen;
    expect([isOpen(), standing("", { mode: "host" }).isOpen]).toEqual([true, false]);
    trustProject(home, project, false);
    expect(isOpen()).toBe(false);
    trustProject(home, project, true);
    expect([isOpen(), standing("", { mode: "ask" }).shown]).toEqual([false, true]);
  });

  it("counts where the host has not decided, and not against the host's no", () => {
    const { home, project, write, standing } = place();
    trustProject(home, project, true);
    write(".claude.json", { projects: {} });
    expect(standing("claude-code").shown).toBe(true);
    write(".codex/config.toml", `[projects."${project}"]\ntrust_level = "untrusted"\n`);
    expect(standing("codex").shown).toBe(false);
  });

  it("is not needed where the settings believe every folder", () => {
    const { write, standing } = place();
    write(".claude.json", { projects: {} });
    expect(standing("claude-code", { mode: "all" }).shown).toBe(true);
  });
});
