// Walks the third design from top to bottom: manifests with triggers, four tiers of disclosure, and the places that skills
// come from. Its toolsets and scripts are in `002-tools.test.ts`.

import { describe, expect, it } from "vitest";
import { parseSkill } from "../../src/index.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace, recalledFor } from "./support/design-workspace.ts";
import { AGREED, useSkills } from "./support/outcomes.ts";
import { EQUALS, WORDS_ALONE } from "./support/skills-000.ts";

const PLACE = "p/.agent/skills";
const TIERS = { values: { style: "tiers", ...AGREED } };
const PORTER = `---
name: night-porter
description: Lets guests in after hours. Knows every key of the house.
version: 1.10.0
toolsets:
  - "toolsets/index:PorterToolset"
scripts:
  - scripts/count-keys.sh
triggers:
  keywords: ["late arrival", "front door", "porter"]
  verbs: ["unlock", "let in"]
  patterns: ["room\\\\s+\\\\d+"]
default_enabled: true
---

# Night porter

Ask for the name, then open.

## Keys

They hang behind the desk.
`;
const porterAlone = { [`${PLACE}/night-porter/SKILL.md`]: PORTER };
const manifestOf = (text: string) => parseSkill(text, "night-porter/SKILL.md").skill!.manifest;
const codesOf = (text: string, profile: "lenient" | "strict") =>
  parseSkill(text, "night-porter/SKILL.md", { profile }).diagnostics.map(({ code }) => code);

/** Skills that nothing but their triggers leads to. */
function triggered(triggers: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(triggers).map(([name, yaml]) => [
      `${PLACE}/${name}/SKILL.md`,
      skillText("Zzyzx qwv.", `triggers: ${yaml}\n`, `# Xq\n\nBlorp ${name.repeat(2)}.\n`),
    ]),
  );
}

describe("the manifest", () => {
  it("is read whole: version, toolsets, scripts, and three kinds of triggers", () => {
    expect(manifestOf(PORTER)).toMatchObject({
      declaredName: "night-porter",
      version: "1.10.0",
      toolsets: ["toolsets/index:PorterToolset"],
      scripts: ["scripts/count-keys.sh"],
      triggers: {
        keywords: ["late arrival", "front door", "porter"],
        verbs: ["unlock", "let in"],
        patterns: ["room\\s+\\d+"],
      },
      defaultEnabled: true,
    });
  });

  it("needs no optional key: enabled, without triggers, toolsets, scripts and version", () => {
    const manifest = manifestOf("---\nname: night-porter\ndescription: Lets guests in.\n---\n\nAsk.\n");
    expect(manifest).toMatchObject({
      defaultEnabled: true,
      toolsets: [],
      scripts: [],
      triggers: { keywords: [], verbs: [], patterns: [] },
    });
    expect(manifest.version).toBeUndefined();
  });

  it("makes the brief description from the first sentence, unless there is one", () => {
    expect(manifestOf(PORTER).brief).toBe("Lets guests in after hours.");
    expect(manifestOf(PORTER.replace("version:", "brief_description: Opens doors\nversion:")).brief).toBe(
      "Opens doors",
    );
  });

  it("requires a name by the strict profile; else the folder's name serves", async () => {
    const nameless = PORTER.replace("name: night-porter\n", "");
    expect(codesOf(nameless, "strict")).toContain("name-missing");
    const engine = designWorkspace({ [`${PLACE}/night-porter/SKILL.md`]: nameless }).open();
    expect((await engine.library.find("night-porter")).manifest.version).toBe("1.10.0");
  });

  it.each([
    ["n".repeat(65), "name-too-long"],
    ["night_porter", "name-characters"],
    ["Night-Porter", "name-uppercase"],
  ])("reports the name %s: letters, digits and hyphens, 64 at most", (name, code) => {
    const text = PORTER.replace("name: night-porter", `name: ${name}`);
    expect(codesOf(text, "lenient")).toContain(code);
    expect(parseSkill(text, "x/SKILL.md", { profile: "strict" }).skill).toBeUndefined();
  });

  it("accepts a name of 64 characters", () => {
    const text = PORTER.replace("name: night-porter", `name: ${"n".repeat(64)}`);
    expect(codesOf(text, "lenient")).toEqual([]);
  });

  it("requires a description by the strict profile; else the first paragraph serves, with a warning", () => {
    const silent = "---\nname: night-porter\n---\n\n# Night porter\n\nAsk for the name.\n";
    expect(codesOf(silent, "strict")).toContain("description-missing");
    expect(codesOf(silent, "lenient")).toEqual(["description-missing"]);
    expect(manifestOf(silent).description).toBe("Ask for the name.");
  });

  it("takes a description as long as the open specification does: 1,024 characters, not 500", () => {
    const described = (length: number) => skillText("d".repeat(length), "name: night-porter\n");
    expect(codesOf(described(501), "lenient")).toEqual([]);
    expect(codesOf(described(1024), "strict")).toEqual([]);
    expect(codesOf(described(1025), "lenient")).toEqual(["description-too-long"]);
  });
});

describe("the tier of a message", () => {
  const house = { ...porterAlone, [`${PLACE}/bread/SKILL.md`]: skillText("Bakes sourdough bread.") };

  it("is nothing where there are no skills", async () => {
    const { text, tokens } = await designWorkspace({})
      .open(TIERS)
      .turn({ message: "unlock the front door" })
      .prompt();
    expect([text, tokens]).toEqual(["", 0]);
  });

  it("is a breadcrumb of ten tokens at most where skills have triggers and none fits", async () => {
    const { text, tokens, shown } = await designWorkspace(porterAlone)
      .open(TIERS)
      .turn({ message: "thanks!" })
      .prompt();
    expect(text).toBe("[1 skill available]");
    expect(tokens).toBeLessThanOrEqual(10);
    expect(shown).toEqual([]);
  });

  it.each(["what can you do?", "list skills"])("is the list of names and briefs for %j", async (message) => {
    const { text } = await designWorkspace(house).open(TIERS).turn({ message }).prompt();
    expect(text.split("\n").slice(1).sort()).toEqual([
      "- bread: Bakes sourdough bread.",
      "- night-porter: Lets guests in after hours.",
    ]);
    expect(text).not.toContain("Ask for the name");
  });

  it("costs about fifteen tokens a skill in the list", async () => {
    const twenty = Array.from({ length: 20 }, (_, at) => [
      `${PLACE}/helper-${at}/SKILL.md`,
      skillText(`Helps guests with matter number ${at}. ${"More is said here. ".repeat(20)}`),
    ]);
    const { tokens } = await designWorkspace(Object.fromEntries(twenty))
      .open(TIERS)
      .turn({ message: "list skills" })
      .prompt();
    expect(tokens / 20).toBeLessThanOrEqual(18);
  });

  it("is the list as well where no skill has triggers and none fits", async () => {
    const { text } = await designWorkspace({
      [`${PLACE}/bread/SKILL.md`]: skillText("Bakes sourdough bread."),
    })
      .open(TIERS)
      .turn({ message: "thanks!" })
      .prompt();
    expect(text).toContain("- bread: Bakes sourdough bread.");
  });

  it("is the complete instructions as well where the text fits and no trigger does", async () => {
    const { shown } = await designWorkspace(house)
      .open(TIERS)
      .turn({ message: "bake a sourdough bread" })
      .prompt();
    expect(shown).toEqual([{ name: "bread", level: "body" }]);
  });

  it("is the brief instead of the instructions for a skill that nobody agreed to, and no activation", async () => {
    const engine = designWorkspace(house).open({ values: { style: "tiers" } });
    const { text, shown } = await engine
      .turn({ message: "a late arrival is waiting", session: "s" })
      .prompt();
    expect(text).not.toContain("Ask for the name, then open.");
    expect(shown).toEqual([{ name: "night-porter", level: "short" }]);
    expect((await engine.turns.sessions.session("s")).activated).toEqual([]);
  });

  it("is the complete instructions where a trigger fits, and that counts as an activation", async () => {
    const engine = designWorkspace(house).open(TIERS);
    const { text, shown } = await engine
      .turn({ message: "a late arrival is waiting", session: "s" })
      .prompt();
    const { body } = await engine.library.show("night-porter", { review: true });
    expect(text).toContain(body!.trim());
    expect(shown).toEqual([{ name: "night-porter", level: "body" }]);
    expect((await engine.turns.sessions.session("s")).activated).toEqual(["night-porter"]);
  });
});

describe("triggers", () => {
  // The words of a trigger are words of the skill too, so what counts is the reason.
  const match = async (yaml: string, message: string) => {
    const { matches } = await designWorkspace(triggered({ one: yaml }))
      .open()
      .turn({ message })
      .recall();
    return matches.some(({ reasons }) => reasons.some(({ signal }) => signal === "triggers"));
  };

  it.each([
    ["{keywords: [porter]}", "call the porter, please", true],
    ["{keywords: [porter]}", "PORTER!", true],
    ["{keywords: [porter]}", "the transporter is late", false],
    ["{keywords: [late arrival]}", "there is a late arrival tonight", true],
    ["{keywords: [late arrival]}", "the arrival was late", false],
    ["{verbs: [unlock]}", "unlock it now", true],
    ["{verbs: [unlock]}", "this is unlocked", false],
    ["{patterns: ['room\\s+\\d+']}", "a guest for Room 12", true],
    ["{patterns: ['room\\s+\\d+']}", "a room with a view", false],
    ["{keywords: [my, custom]}", "my bicycle", true],
  ])("%s on %j: %s", async (yaml, message, expected) => {
    expect(await match(yaml, message)).toBe(expected);
  });

  it("that are no regular expressions are reported, and the others of the skill still work", async () => {
    const engine = designWorkspace(triggered({ one: "{patterns: ['room(', 'key\\s+\\d+']}" })).open();
    expect(await engine.library.findings()).toMatchObject([{ code: "trigger-pattern", severity: "warning" }]);
    expect(await recalledFor(engine, "where is key 7")).toEqual(["one"]);
  });

  it("cost linear time, whatever the pattern", async () => {
    expect(await match("{patterns: ['(a+)+$']}", `${"a".repeat(5_000)}!`)).toBe(false);
  });
});

describe("the order of matches", () => {
  const opened = (files: Readonly<Record<string, string>>, values = {}) =>
    designWorkspace(files).open({ values });

  it("begins with a skill that the message names, however well another fits", async () => {
    const files = { ...triggered({ quiet: "{}" }), ...porterAlone };
    const names = await recalledFor(opened(files), "unlock the front door for the late arrival with /quiet");
    expect(names.slice(0, 2)).toEqual(["quiet", "night-porter"]);
  });

  it("puts a whole phrase before a single word", async () => {
    const files = triggered({ word: "{keywords: [door]}", phrase: "{keywords: [open the door]}" });
    expect(await recalledFor(opened(files), "open the door")).toEqual(["phrase", "word"]);
  });

  it("puts what was used last before its equal", async () => {
    const space = designWorkspace(EQUALS);
    const engine = space.open({ values: { ...AGREED, ...WORDS_ALONE } });
    expect(await recalledFor(engine, "plants")).toEqual(["alpha", "omega"]);
    await useSkills(engine, { session: "s", skills: ["omega"] });
    await engine.close();
    expect(await recalledFor(space.open({ values: WORDS_ALONE }), "plants")).toEqual(["omega", "alpha"]);
  });

  it("ends after three skills, or after as many as the configuration says", async () => {
    const five = triggered(Object.fromEntries(["aa", "bb", "cc", "dd", "ee"].map((n) => [n, "[door]"])));
    const bodies = async (values: Record<string, unknown>) => {
      const { shown } = await opened(five, { style: "tiers", ...AGREED, ...values })
        .turn({ message: "door" })
        .prompt();
      return shown.filter(({ level }) => level === "body").length;
    };
    expect(await bodies({})).toBe(3);
    expect(await bodies({ "recall.limit": 1 })).toBe(1);
    expect(await bodies({ "recall.limit": 5 })).toBe(5);
  });
});

describe("the places of skills", () => {
  it("are the package, the user's ~/.agent/skills and the project's ./.agent/skills, each above the one before", async () => {
    const space = designWorkspace({});
    const described = async () =>
      (await space.open({ values: { "sources.bundled": true } }).library.find("safe-edit")).manifest
        .description;
    const shipped = await described();
    space.write("home/.agent/skills/safe-edit/SKILL.md", skillText("The user's own."));
    expect(shipped).not.toBe("The user's own.");
    expect(await described()).toBe("The user's own.");
    space.write(`${PLACE}/safe-edit/SKILL.md`, skillText("The project's own."));
    expect(await described()).toBe("The project's own.");
  });

  it("can hold skills that wait until a person enables them", async () => {
    const space = designWorkspace({
      [`${PLACE}/night-porter/SKILL.md`]: PORTER.replace("default_enabled: true", "default_enabled: false"),
    });
    expect((await space.open().library.list()).skills).toMatchObject([{ state: "disabled" }]);
    expect(await recalledFor(space.open(), "unlock the front door")).toEqual([]);
    expect((await space.cli("enable", "night-porter")).code).toBe(0);
    expect(await recalledFor(space.open(), "unlock the front door")).toEqual(["night-porter"]);
  });
});

describe("a configuration for this system", () => {
  it("names the three places and the tiers", async () => {
    const space = designWorkspace({
      ...porterAlone,
      "home/.repertoire/repertoire.config.json": JSON.stringify({
        sources: { only: ["bundled", "~/.agent/skills", "./.agent/skills"] },
        style: "tiers",
        consent: { allow: ["*@./.agent/skills"] },
        recall: { limit: 3 },
      }),
      "p/.agents/skills/elsewhere/SKILL.md": skillText("Unlocks the front door."),
    });
    const { out } = await space.cli("prompt", "unlock the front door");
    expect(out).toContain('<skill_content name="night-porter"');
    expect(out).not.toContain("elsewhere");
  });
});
