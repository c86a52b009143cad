// Holds `docs/guides/designs.md` to its word: the settings of each design are accepted where the guide puts them, and
// give the system that it says. 003 and 004 are walked in tests of their own.

import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONFIG_FILE, loadConfig, openRepertoire, STYLES } from "../../src/index.ts";
import { hostsProgram } from "../e2e/hosts-program.ts";
import { withCode } from "../errors.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { DESIGNS, designWorkspace, settingsOf } from "./support-b/workspace.ts";

const program = hostsProgram();

const GUIDE = readFileSync("docs/guides/designs.md", "utf8");

/** Files in the recipes have headings too. */
function sectionOf(design: string): string {
  return GUIDE.split(/^## (?=\d{3} )/m).find((part) => part.startsWith(`${design} `)) ?? "";
}

describe.each(DESIGNS)("the settings of %s", (design) => {
  it("are accepted where the guide puts them, and set the style that its table names", () => {
    const { engine } = designWorkspace(design, { files: {} });
    const [, style] = new RegExp(`^\\| \\[${design}\\].* \\| \`([a-z-]+)\` \\|`, "m").exec(GUIDE) ?? [];
    expect(STYLES).toContain(style);
    expect(engine.config.style).toBe(style);
    expect(engine.config.files).toHaveLength(1);
  });

  it("name only sources that there are", () => {
    const { engine } = designWorkspace(design, { files: {} });
    expect(engine.turns.sources.map(({ id }) => id).sort()).toEqual([...engine.config.sources.only].sort());
  });
});

describe("000 to the letter", () => {
  const FILES = {
    "p/skills/serper/SKILL.md": skillText(
      "Google search via an API.",
      "name: serper-search\ntriggers: [web search]\n",
    ),
    "p/skills/fixer/SKILL.md": skillText("Finds the cause of an error.", "name: fixer\ndomain: debugging\n"),
  };

  it("calls a skill as its front matter says, not as its folder", async () => {
    const { engine } = designWorkspace("000", { files: FILES });
    const { text } = await engine.turn({ message: "do a web search for the tide" }).prompt();
    expect(text).toContain("[Skill: serper-search]");
  });

  it("takes 0.1 from a skill that failed each of six times, and recalls it all the same", async () => {
    const { engine } = designWorkspace("000", { files: FILES });
    const message = "find the cause of this error";
    const before = (await engine.turn({ message }).recall()).matches;
    for (let use = 0; use < 6; use++) {
      const session = `s${use}`;
      const turn = engine.turn({ message, session });
      await turn.recall();
      await engine.task(session, { session, askConsent: async () => true }).activate("fixer");
      await turn.outcome("failure");
    }
    const after = (await engine.turn({ message }).recall()).matches;
    expect([before, after].map(([first]) => first?.name)).toEqual(["fixer", "fixer"]);
    expect(after[0]!.score).toBeCloseTo(before[0]!.score - 0.1, 2);
  });
});

describe("the guide", () => {
  it("gives every design its settings, what they bring, and what is different", () => {
    for (const design of DESIGNS) {
      const section = sectionOf(design);
      for (const part of ["\n```json\n", "\n| you get | how |", "\n| different on purpose | why |\n"])
        expect(section, `${design}: ${part}`).toContain(part);
    }
  });

  it.each(DESIGNS)("is right that the settings of %s do not belong to a project", (design) => {
    const dir = temporaryTree({ [CONFIG_FILE]: settingsOf(design).text, "home/.keep": "" });
    expect(() => loadConfig({ dir, home: `${dir}/home`, env: {} })).toThrow(
      withCode("config-not-for-projects"),
    );
  });

  it("is right that without settings the style is adaptive", () => {
    const dir = temporaryTree({ "home/.keep": "" });
    expect(openRepertoire({ dir, home: `${dir}/home`, env: {} }).config.style).toBe("adaptive");
  });
});

describe.each(DESIGNS)("the recipe of %s", (design) => {
  it("works when it is pasted into a shell", () => {
    const section = sectionOf(design);
    const [, commands = "", printed = ""] =
      /^```sh\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/m.exec(section) ?? [];
    expect(commands).toContain("repertoire ");
    expect(printed).not.toBe("");
    const root = temporaryTree({
      "p/.keep": "",
      [`home/.repertoire/${CONFIG_FILE}`]: settingsOf(design).text,
      "bin/repertoire": `#!/bin/sh\nexec "${process.execPath}" "${program.bin}" "$@"\n`,
    });
    chmodSync(join(root, "bin/repertoire"), 0o755);
    const { status, stdout } = spawnSync("sh", ["-e", "-c", commands], {
      cwd: join(root, "p"),
      env: { PATH: `${join(root, "bin")}:${process.env.PATH}`, HOME: join(root, "home") },
      encoding: "utf8",
    });
    expect(status).toBe(0);
    // An ellipsis stands for what differs from machine to machine, or is left out.
    const expected = printed
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[\\s\\S]*?");
    expect(stdout).toMatch(new RegExp(`^${expected}$`));
  });
});

describe("the tables of what you get", () => {
  const rows = [
    ...GUIDE.matchAll(/\| you get \| how \| tested in `test\/designs` \|\n\|[-|]+\n((?:\|.*\n)+)/g),
  ].map(([, lines]) => lines!.trim().split("\n"));

  it("say of every promise where it is tested", () => {
    expect(rows).toHaveLength(DESIGNS.length);
    const files = readdirSync("test/designs");
    for (const row of rows.flat()) {
      const named =
        row
          .split(" | ")
          .at(-1)!
          .match(/[\w-]+\.test\.ts/g) ?? [];
      expect(named, row).not.toEqual([]);
      for (const file of named) expect(files).toContain(file);
    }
  });

  it("name every test of a design", () => {
    const tests = readdirSync("test/designs").filter((file) => /^\d{3}.*\.test\.ts$/.test(file));
    for (const file of tests) expect(rows.flat().join("\n")).toContain(`\`${file}\``);
  });
});

describe("what the other settings bring", () => {
  it("000: cards of three skills at most", async () => {
    const files = Object.fromEntries(
      ["rye", "spelt", "wheat", "corn"].map((grain) => [
        `p/skills/${grain}/SKILL.md`,
        skillText(`Bakes ${grain} bread.`, "domain: baking\ntriggers: [bake bread]\n"),
      ]),
    );
    const { engine } = designWorkspace("000", { files });
    const { text, matches } = await engine.turn({ message: "bake bread" }).prompt();
    expect(matches).toHaveLength(3);
    expect(text).toMatch(/^\[Skill: [a-z]+\]\nDomain: baking\n/);
  });

  it("001: what an agent saves is in the index, and loaded with get_skill", async () => {
    const { engine, agent, open } = designWorkspace("001", { files: {} });
    const { learned } = engine;
    await learned.save({ name: "brew-tea", content: "Brews tea for guests.\n\n1. Boil water.\n" });
    const { text } = await open().turn({ message: "", session: "s" }).prompt();
    expect(text).toContain("\n- brew-tea: Brews tea for guests.\n");
    expect(text).toContain("\n- skills-and-rules: ");
    const { call } = await agent({ ask: () => true });
    expect((await call("get_skill", { name: "brew-tea" })).text).toContain("1. Boil water.");
  });

  it("002: the whole instructions where a trigger fits, a count where none does", async () => {
    const files = {
      "home/.agent/skills/greeter/SKILL.md": skillText(
        "Greets.",
        "triggers: {keywords: [hello]}\n",
        "Wave.\n",
      ),
      "p/.agent/skills/cloned/SKILL.md": skillText("Bows.", "triggers: {keywords: [bow]}\n", "Bend low.\n"),
      "p/skills/elsewhere/SKILL.md": skillText("Not of this design."),
    };
    const { engine } = designWorkspace("002", { files });
    expect((await engine.turn({ message: "hello there" }).prompt()).text).toContain("Wave.");
    const { text, shown } = await engine.turn({ message: "bow to them" }).prompt();
    expect(text).not.toContain("Bend low.");
    expect(shown).toEqual([{ name: "cloned", level: "short" }]);
    expect((await engine.turn({ message: "thanks!" }).prompt()).text).toMatch(/^\[\d+ skills available\]$/);
    expect((await engine.library.current()).find("elsewhere")).toBeUndefined();
  });
});
