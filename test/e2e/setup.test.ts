// `repertoire setup` on homes with configurations of their own: merged, idempotent, undone byte for byte.

import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SETUP_HOSTS } from "../../src/adapters/hooks/setup/hosts.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();

/** Odd on purpose: tabs, a BOM, no last line break, entries of other people, a hook on the same event. */
const EXISTING = {
  ".claude/settings.json":
    '{\n\t"model": "opus",\n\t"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "mine.sh"}]}]}}',
  ".claude.json": '\ufeff{"numStartups": 3, "mcpServers": {"other": {"command": "other"}}}\n',
  ".codex/config.toml": '# mine\nmodel = "o5"\n\n[mcp_servers.other]\ncommand = "other"',
  ".codex/hooks.json": '{\n    "hooks": {}\n}\n',
  ".cursor/mcp.json": '{"mcpServers": {}}',
  ".config/opencode/opencode.json":
    '{\n  "$schema": "https://opencode.ai/config.json",\n  "theme": "dark"\n}\n',
  ".vscode/mcp.json": '{\r\n  "servers": {\r\n    "other": {"command": "other"}\r\n  }\r\n}\r\n',
};

function snapshot(home: string): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\.repertoire/.test(path));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, "latin1")]));
}

/** A folder with a command `repertoire`, as an installed package has it. */
const INSTALLED = mkdtempSync(join(tmpdir(), "repertoire-installed-"));
writeFileSync(join(INSTALLED, "repertoire"), "#!/bin/sh\n", { mode: 0o755 });
afterAll(() => rmSync(INSTALLED, { recursive: true }));
const PATH = `${INSTALLED}:${process.env.PATH}`;

const setup = (home: string, ...args: string[]) => program.run(["setup", ...args], { home, env: { PATH } });
/** The paths that a setup wrote. */
const written = async (home: string, ...args: string[]): Promise<string[]> =>
  JSON.parse((await setup(home, ...args, "--json")).out).written;
const json = (home: string, path: string) => JSON.parse(readFileSync(join(home, path), "utf8"));

describe.each(SETUP_HOSTS)("setup %s", (host) => {
  it.each([
    ["a home with configurations", EXISTING],
    ["an empty home", {}],
  ])(
    "in %s: a dry run writes nothing, a second run changes nothing, undo restores every byte",
    async (_, files) => {
      const home = temporaryTree(files);
      const before = snapshot(home);
      const dry = await setup(home, host, "--dry-run");
      expect(dry).toMatchObject({ code: 0, err: "" });
      expect(dry.out).toMatch(/^\+.*repertoire/m);
      expect(snapshot(home)).toEqual(before);
      expect(await written(home, host)).not.toEqual([]);
      const after = snapshot(home);
      expect(after).not.toEqual(before);
      expect(await written(home, host)).toEqual([]);
      expect(snapshot(home)).toEqual(after);
      expect(await written(home, host, "--undo")).not.toEqual([]);
      expect(snapshot(home)).toEqual(before);
      expect(await written(home, host, "--undo")).toEqual([]);
      expect(snapshot(home)).toEqual(before);
    },
    120_000,
  );
});

describe("setup", () => {
  it("keeps the user's own hooks and servers beside ours", async () => {
    const home = temporaryTree(EXISTING);
    await setup(home, "claude-code");
    const { model, hooks } = json(home, ".claude/settings.json");
    const commands = hooks.UserPromptSubmit.flatMap((entry: { hooks: { command: string }[] }) =>
      entry.hooks.map(({ command }) => command),
    );
    expect({ model, commands }).toEqual({
      model: "opus",
      commands: ["mine.sh", "repertoire hook claude-code"],
    });
    expect(Object.keys(hooks).sort()).toEqual([
      "PostToolUse",
      "PostToolUseFailure",
      "SessionStart",
      "Stop",
      "UserPromptSubmit",
    ]);
    writeFileSync(
      join(home, ".claude.json"),
      readFileSync(join(home, ".claude.json"), "utf8").replace("\ufeff", ""),
    );
    expect(json(home, ".claude.json").mcpServers).toEqual({
      other: { command: "other" },
      repertoire: { type: "stdio", command: "repertoire", args: ["mcp", "--consent", "ask"] },
    });
  });

  it("takes only its own entries out of a file that was edited since", async () => {
    const home = temporaryTree(EXISTING);
    await setup(home, "claude-code");
    const edited = { ...json(home, ".claude/settings.json"), model: "sonnet" };
    writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(edited));
    await setup(home, "claude-code", "--undo");
    expect(json(home, ".claude/settings.json")).toEqual({
      model: "sonnet",
      hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "mine.sh" }] }] },
    });
  });

  it("leaves a file that is not JSON alone, and every other file with it", async () => {
    const home = temporaryTree({ ...EXISTING, ".claude.json": '{"a": [1,\n' });
    const before = snapshot(home);
    const { code, out } = await setup(home, "claude-code", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out).error).toMatchObject({
      code: "setup-unfit",
      message: expect.stringMatching(/\.claude\.json.*JSON.*\b2\b/),
    });
    expect(snapshot(home)).toEqual(before);
  });

  it("leaves a read-only file alone, and every other file with it", async () => {
    const home = temporaryTree(EXISTING);
    chmodSync(join(home, ".claude.json"), 0o444);
    const before = snapshot(home);
    const { code, out } = await setup(home, "claude-code", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out).error).toMatchObject({
      code: "setup-unfit",
      message: expect.stringContaining(".claude.json"),
    });
    expect(snapshot(home)).toEqual(before);
  });

  it("does not overwrite a plugin of the same name that somebody else wrote", async () => {
    const home = temporaryTree({ ".pi/agent/extensions/repertoire.js": "// mine\n" });
    expect(JSON.parse((await setup(home, "pi", "--json")).out).error.code).toBe("setup-not-ours");
    expect(readFileSync(join(home, ".pi/agent/extensions/repertoire.js"), "utf8")).toBe("// mine\n");
  });

  it("writes the command that works if `repertoire` is not on the path, and undo finds it", async () => {
    const home = temporaryTree(EXISTING);
    const before = snapshot(home);
    await program.run(["setup", "codex"], { home, env: { PATH: "/usr/bin:/bin" } });
    const [, node, bin] = /command = "(.*)"\nargs = \["(.*)", "mcp"\]/.exec(
      readFileSync(join(home, ".codex/config.toml"), "utf8"),
    )!;
    expect([node, bin]).toEqual([process.execPath, resolve("dist/bin.cjs")]);
    await setup(home, "codex", "--undo");
    expect(snapshot(home)).toEqual(before);
  });

  it("keeps the tables that Codex wrote behind ours, and plans nothing for a second run", async () => {
    const home = temporaryTree(EXISTING);
    await setup(home, "codex");
    const path = join(home, ".codex/config.toml");
    const theirs = '\n[projects."/p"]\ntrust_level = "trusted"\n';
    writeFileSync(path, readFileSync(path, "utf8") + theirs);
    expect(await written(home, "codex")).toEqual([]);
    await setup(home, "codex", "--undo");
    expect(readFileSync(path, "utf8")).toBe(`${EXISTING[".codex/config.toml"]}\n${theirs}`);
  });

  it("switches the host's own list off in the mode replace, and back on in another one or by undo", async () => {
    const home = temporaryTree(EXISTING);
    const before = snapshot(home);
    await setup(home, "claude-code", "--mode", "replace");
    const replaced = json(home, ".claude/settings.json");
    expect(replaced.permissions.deny).toEqual(["Skill"]);
    expect(replaced.hooks.Stop[0].hooks[0].command).toBe("repertoire hook claude-code --mode replace");
    await setup(home, "claude-code", "--mode", "off");
    const off = json(home, ".claude/settings.json");
    expect([off.permissions.deny, Object.keys(off.hooks)]).toEqual([undefined, ["UserPromptSubmit"]]);
    await setup(home, "claude-code", "--undo");
    expect(snapshot(home)).toEqual(before);
    const { code, out } = await setup(home, "pi", "--mode", "replace", "--json");
    expect([code, JSON.parse(out).error.code]).toEqual([1, "setup-mode"]);
  });

  it("finds the hosts that are here, shows what each would get, and writes nothing unasked", async () => {
    const home = temporaryTree({ ".codex/config.toml": "", ".qwen/settings.json": "{}", ".zed/x": "" });
    const before = snapshot(home);
    const asked = await program.run(["setup", "--json"], { home, env: { PATH: "/nowhere" } });
    const found = JSON.parse(asked.out);
    expect([asked.code, found.hosts, found.written]).toEqual([1, ["codex", "qwen"], []]);
    expect(snapshot(home)).toEqual(before);
    const agreed = await program.run(["setup", "--yes", "--json"], { home, env: { PATH: "/nowhere" } });
    expect(JSON.parse(agreed.out).written).toHaveLength(3);
    const undone = await program.run(["setup", "--yes", "--undo", "--json"], {
      home,
      env: { PATH: "/nowhere" },
    });
    expect(undone.code).toBe(0);
    expect(snapshot(home)).toEqual(before);
  });

  it("lists the hosts: installed, version, connected, heard and what is missing", async () => {
    const home = temporaryTree({ "bin/codex": "#!/bin/sh\necho codex-cli 0.169.0\n" });
    chmodSync(join(home, "bin/codex"), 0o755);
    const env = { PATH: `${join(home, "bin")}:${PATH}` };
    await setup(home, "codex");
    const list = async (...args: string[]) =>
      JSON.parse((await program.run([...args, "--json"], { home, env })).out).hosts;
    const codex = (hosts: { host: string }[]) => hosts.find(({ host }) => host === "codex");
    const hosts = await list("setup", "--list");
    expect(hosts.map(({ host }: { host: string }) => host)).toEqual(SETUP_HOSTS);
    expect(codex(hosts)).toMatchObject({
      installed: true,
      version: "0.169.0",
      connected: true,
      evidence: "run",
    });
    expect(codex(hosts)).toMatchObject({ missing: [expect.any(String)] });
    const input = JSON.stringify({ session_id: "s", hook_event_name: "Stop", cwd: home });
    await program.run(["hook", "codex"], { home, input });
    expect(codex(await list("doctor"))).toMatchObject({ heardAt: expect.any(Number), missing: [] });
  });

  it("names the hosts when asked for an unknown one", async () => {
    const { code, err } = await setup(temporaryTree(), "emacs");
    expect(code).toBe(2);
    expect(err).toContain(SETUP_HOSTS.join(", "));
  });
});

describe("the plugins that setup writes", () => {
  /** Runs a plugin as its host does, with our program first on the path. */
  async function load(host: "opencode" | "pi", file: string, script: string): Promise<string> {
    const home = temporaryTree({
      ".repertoire/repertoire.config.json": '{"sources": {"bundled": false}}',
      "p/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
      "run.mjs": script,
      "package.json": '{"type": "module"}',
    });
    writeFileSync(join(home, "repertoire"), `#!/bin/sh\nexec "${process.execPath}" "${program.bin}" "$@"\n`, {
      mode: 0o755,
    });
    await setup(home, host);
    expect(existsSync(join(home, file))).toBe(true);
    const child = spawn(process.execPath, [join(home, "run.mjs"), join(home, file), join(home, "p")], {
      env: { PATH: `${home}:${process.env.PATH}`, REPERTOIRE_HOME: home },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (part) => {
      out += part;
    });
    await new Promise((settle) => child.on("close", settle));
    return out;
  }

  it("opencode's adds the skills as a part of the message", async () => {
    const script = `const { Repertoire } = await import(process.argv[2]);
      const hooks = await Repertoire({ directory: process.argv[3] });
      const part = { id: "p1", sessionID: "s", messageID: "m", type: "text", text: "plan a meeting with the team" };
      const output = { message: { id: "m" }, parts: [part] };
      await hooks["chat.message"]({ sessionID: "s" }, output);
      console.log(JSON.stringify(output.parts[1]));`;
    const part = JSON.parse(await load("opencode", ".config/opencode/plugins/repertoire.js", script));
    expect(part).toMatchObject({ sessionID: "s", messageID: "m", type: "text", synthetic: true });
    expect(part.text).toContain("- plan-meeting: ");
  });

  it("pi's adds the skills as a message before the agent starts", async () => {
    const script = `const handlers = {};
      (await import(process.argv[2])).default({ on: (name, handler) => (handlers[name] = handler) });
      const ctx = { cwd: process.argv[3], sessionManager: { getSessionId: () => "s" } };
      const event = { prompt: "plan a meeting with the team" };
      console.log(JSON.stringify(await handlers.before_agent_start(event, ctx)));`;
    const { message } = JSON.parse(await load("pi", ".pi/agent/extensions/repertoire.js", script));
    expect(message.content).toContain("- plan-meeting: ");
  });
});
