import { describe, expect, it } from "vitest";
import { tomlServer, tomlSetting } from "./edits.ts";

const LINES = ['command = "repertoire"', 'args = ["mcp"]'];
const table = tomlServer("config.toml", ["mcp_servers", "repertoire"], LINES);
const setting = tomlSetting("config.toml", [["skills"], "include_instructions"], "false");

describe("a TOML table", () => {
  it.each([
    ["\n", "a = 1\n\n\n"],
    ["\r\n", "a = 1\r\n[b]\r\nc = 2\r\n"],
    ["\n", "a = '''\n[mcp_servers.repertoire]\n'''\nb = [\n  \"]\", # ]\n]\n"],
  ])("keeps line ends and blank lines, and is taken back to the byte", (lineEnd, text) => {
    const after = table.add(text)!;
    expect(after.startsWith(text)).toBe(true);
    expect(after.split(lineEnd).join("")).not.toMatch(/[\r\n]/);
    expect(table.add(after)).toBe(after);
    expect(table.remove(after)).toBe(text);
    expect(table.remove(`# new${lineEnd}${after}`)).toBe(`# new${lineEnd}${text}`);
  });

  it("is found by its name, so that what the host wrote behind it stays", () => {
    const theirs =
      '\n[projects."/home/me/p"]\ntrust_level = "trusted"\n\n[hooks.state."x:y"]\ntrusted_hash = "1"\n';
    const after = `${table.add('model = "o5"\n')}${theirs}`;
    expect(table.add(after)).toBe(after);
    expect(table.remove(after)).toBe(`model = "o5"\n${theirs}`);
  });

  it("goes with the tables below it, which the host wrote about our server", () => {
    const below = '[mcp_servers.repertoire.tools.activate_skill]\napproval_mode = "approve"\n';
    expect(table.remove(`${table.add("")}\n${below}\n[a]\nb = 1\n`)).toBe("\n[a]\nb = 1\n");
  });

  it("goes with the comments that enclosed it in earlier versions, and nothing between them that is not ours", () => {
    const theirs = "[projects.x]\nt = 1\n";
    const old = `a = 1\n\n# begin repertoire\n[mcp_servers.repertoire]\n${LINES.join("\n")}\n\n${theirs}# end repertoire\n`;
    expect(table.remove(old)).toBe(`a = 1\n\n\n${theirs}`);
  });

  it("is left alone if it runs another program", () => {
    const own = '[mcp_servers.repertoire]\ncommand = "npx"\nargs = ["repertoire"]\n';
    expect([table.add(own), table.remove(own)]).toEqual([own, own]);
  });

  it.each([
    'mcp_servers.repertoire.command = "x"\n',
    '[mcp_servers]\nrepertoire = { command = "x" }\n',
    "mcp_servers = {}\n",
    '[mcp_servers.repertoire.env]\nA = "1"\n',
    "[[mcp_servers]]\n",
    "a = [1,\n",
    'a = "open\n',
    "[a\n",
    "a = 1\nnonsense\n",
  ])("is not added to %j, which cannot be edited safely", (text) => {
    expect(() => table.add(text)).toThrow(
      expect.objectContaining({ code: "setup-unfit", value: "config.toml" }),
    );
  });
});

describe("a TOML key", () => {
  it.each(["", "a = 1\n", '[skills]\nmax = 3 # why\n\n[b]\nc = """\nx\n"""\n'])(
    "is added to %j, and taken back to the byte",
    (text) => {
      const after = setting.add(text)!;
      expect(setting.has(after)).toBe(true);
      expect(setting.add(after)).toBe(after);
      expect(setting.remove(after) ?? "").toBe(text);
    },
  );

  it("is not changed if the person has set it, and an empty table of theirs stays", () => {
    expect(() => setting.add("[skills]\ninclude_instructions = true\n")).toThrow(
      expect.objectContaining({ code: "setup-unfit" }),
    );
    expect(setting.remove(setting.add("[skills]\n")!, "[skills]\n")).toBe("[skills]\n");
  });
});
