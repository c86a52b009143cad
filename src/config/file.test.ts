import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import type { SkillName } from "../model/name.ts";
import { CONFIG_FILE, loadConfig, switchSkill } from "./config.ts";

const NAME = "a" as SkillName;

/** A home folder whose configuration has the given text. */
function homeWith(text: string): { home: string; read: () => string } {
  const home = temporaryTree({ [`.repertoire/${CONFIG_FILE}`]: text });
  return { home, read: () => readFileSync(join(home, ".repertoire", CONFIG_FILE), "utf8") };
}

describe("enabling or disabling a skill in the person's file", () => {
  it("writes a file with the schema beside it if there is none", async () => {
    const home = temporaryTree({ x: "" });
    const path = await switchSkill({ home: home }, NAME, false);
    expect(path).toBe(join(home, ".repertoire", CONFIG_FILE));
    const { $schema, ...rest } = JSON.parse(readFileSync(path, "utf8"));
    expect(rest).toEqual({ disable: ["a"] });
    const schema = JSON.parse(readFileSync(join(home, ".repertoire", $schema), "utf8"));
    expect(schema.properties.disable.type).toBe("array");
    expect(loadConfig({ home, dir: home, env: {} }).disable).toEqual(["a"]);
  });

  it("moves the name to the other list, and leaves it there when repeated", async () => {
    const { home, read } = homeWith('{"disable": ["b", "a", "a"], "$schema": "./mine.json"}');
    await switchSkill({ home: home }, NAME, true);
    await switchSkill({ home: home }, NAME, true);
    expect(JSON.parse(read())).toEqual({ disable: ["b"], enable: ["a"], $schema: "./mine.json" });
    expect(existsSync(join(home, ".repertoire", "config.schema.json"))).toBe(false);
    await switchSkill({ home: home }, NAME, false);
    expect(JSON.parse(read())).toEqual({ disable: ["a", "b"], enable: [], $schema: "./mine.json" });
  });

  it("keeps comments, order and indentation", async () => {
    const { home, read } = homeWith(
      '{\n\t// how skills are shown\n\t"style": "cards",\n\t"disable": [\n\t\t"b" // not needed here\n\t]\n}\n',
    );
    await switchSkill({ home: home }, NAME, false);
    expect(read()).toBe(
      '{\n\t"$schema": "./config.schema.json",\n\t// how skills are shown\n\t"style": "cards",\n\t"disable": [\n\t\t"a",\n\t\t"b" // not needed here\n\t]\n}\n',
    );
  });

  it("keeps the other names in any layout of the lists", async () => {
    const gap = fc.constantFrom("", " ", "\n  ", "\r\n", " // x, [y]\n", "/* z */");
    const item = fc.tuple(gap, fc.constantFrom("a", "b", "c,", "//"), gap);
    const array = fc.array(item, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(array, array, gap, fc.boolean(), async (enable, disable, end, on) => {
        const print = (items: typeof enable) =>
          `[${items.map(([before, name, after]) => `${before}"${name}"${after}`).join(",")}${end}]`;
        const { home, read } = homeWith(`{"enable": ${print(enable)},${end}"disable": ${print(disable)}}`);
        await switchSkill({ home: home }, NAME, on);
        const config = loadConfig({ home, dir: home, env: {} });
        const others = (items: typeof enable) => items.map(([, name]) => name).filter((name) => name !== "a");
        expect(config.enable.filter((name) => name !== "a")).toEqual(others(enable));
        expect(config.disable.filter((name) => name !== "a")).toEqual(others(disable));
        expect([config.enable.includes("a"), config.disable.includes("a")]).toEqual([on, !on]);
        expect(read().endsWith("}")).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("leaves a file that is not valid JSON as it is", async () => {
    const { home, read } = homeWith("{ nope");
    await expect(switchSkill({ home: home }, NAME, true)).rejects.toMatchObject({ code: "config-not-json" });
    expect(read()).toBe("{ nope");
  });

  it("fails if the file cannot be written", async () => {
    const home = temporaryTree({ ".repertoire": "a file, not a folder" });
    await expect(switchSkill({ home: home }, NAME, true)).rejects.toMatchObject({
      code: "config-unwritable",
    });
  });
});
