import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { yamlServer } from "./edits.ts";

const inMap = yamlServer(
  "config.yaml",
  { holder: "extensions", name: "repertoire" },
  { server: { cmd: "repertoire", args: ["mcp"] }, begins: true },
);
const inList = yamlServer(
  "config.yaml",
  { holder: "mcpServers", name: "repertoire", list: true },
  { server: { command: "repertoire", args: ["mcp"] }, begins: false },
);

describe("a YAML entry", () => {
  it.each([
    "GOOSE_MODEL: x # mine\nextensions:\n  developer:\n    enabled: true\n    args: [a, b]\n# last\nother: 1\n",
    "extensions:\n    developer: {enabled: true}\n",
    "extensions:\n  a:\n    text: |\n      # not a comment\n\n  b: 1 # one\n\nother: 1\n",
    "extensions:\n",
    "a: 1\r\nextensions:\r\n  x:\r\n    y: 1\r\n",
    "# only a comment\n",
    "",
  ])("is added to a map of %j, and taken back", (text) => {
    const after = inMap.add(text)!;
    expect(parse(after).extensions.repertoire).toEqual({ cmd: "repertoire", args: ["mcp"] });
    expect(inMap.has(after)).toBe(true);
    expect(inMap.add(after)).toBe(after);
    expect(inMap.remove(after, text === "" ? undefined : text) ?? "").toBe(text);
    if (text.includes("\r\n")) expect(after).not.toMatch(/[^\r]\n/);
  });

  it.each([
    "models:\n  - name: m\nmcpServers:\n  - name: other\n    command: other\nrules: []\n",
    "mcpServers:\n- name: other\n  command: other\n",
    "name: x\n",
  ])("is added to a list of %j, and taken back", (text) => {
    const after = inList.add(text)!;
    expect(parse(after).mcpServers.at(-1)).toEqual({
      name: "repertoire",
      command: "repertoire",
      args: ["mcp"],
    });
    expect(inList.has(after)).toBe(true);
    expect(inList.remove(after, text)).toBe(text);
  });

  it.each([
    "extensions: {a: 1}\n",
    "extensions: [1]\n",
    "extensions: x\n",
    "- a\n",
    "a: [1\n",
    "a: 1\n---\nb: 2\n",
  ])("refuses %j", (text) => {
    expect(() => inMap.add(text)).toThrow(expect.objectContaining({ code: "setup-unfit" }));
  });

  it("keeps a comment that the person wrote beside it", () => {
    const after = inMap.add("a: 1\n")!.replace("extensions:\n", "extensions:\n  # mine\n");
    expect(inMap.remove(after)).toContain("  # mine\n");
  });

  it("begins no file for a host that takes its models from there", () => {
    expect(inList.add(undefined)).toBeUndefined();
    expect(inMap.add(undefined)).toContain("repertoire");
  });
});
