// Walks the first design from top to bottom: skills of the workspace that come to mind by themselves, as compact cards in
// working memory, favoured by the kind of turn. What their use does to them is `000-use.test.ts`.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FRAMES, type Frame } from "../../src/index.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace, recalledFor } from "./support/design-workspace.ts";
import { AGREED } from "./support/outcomes.ts";
import { BREAD, EQUALS, KEY, LIBRARY, WEATHER, WORDS_ALONE } from "./support/skills-000.ts";

describe("indexing the workspace's skills", () => {
  it("finds every folder below skills/ that holds a SKILL.md, and passes over all else", async () => {
    const space = designWorkspace({
      ...LIBRARY,
      "p/skills/README.md": "no skill",
      "p/skills/notes/todo.txt": "no skill either",
    });
    const { skills, diagnostics } = await space.open({ env: KEY }).library.list();
    expect(skills.map(({ skill }) => skill.name)).toEqual(["bread", "trains", "weather-desk"]);
    expect(diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  it("finds none, without complaint, where there is no skills folder", async () => {
    const engine = designWorkspace({}).open();
    expect(await engine.library.list()).toEqual({ skills: [], diagnostics: [] });
    expect(await recalledFor(engine, "will it rain tomorrow")).toEqual([]);
  });

  it("reads name, description, domain, triggers, frames, tools and requirements from the front matter", async () => {
    const { manifest } = await designWorkspace(LIBRARY).open({ env: KEY }).library.find("weather-desk");
    expect(manifest).toMatchObject({
      declaredName: "weather-desk",
      description: "Tells tomorrow's weather for a place.",
      domain: "forecasting",
      triggers: { keywords: ["weather report", "will it rain", "umbrella"], verbs: [], patterns: [] },
      frames: ["task", "debug"],
      tools: ["forecast_get", "map_show"],
      requires: { env: ["WEATHER_DESK_KEY"] },
    });
  });

  it("updates a skill that it knows instead of adding a second one", async () => {
    const space = designWorkspace(LIBRARY);
    const engine = space.open({ env: KEY });
    expect((await engine.library.list()).skills).toHaveLength(3);
    space.write("p/skills/bread/SKILL.md", skillText("Bakes rye bread."));
    expect(await engine.library.refresh()).toMatchObject({ added: [], changed: ["bread"], removed: [] });
    expect((await engine.library.list()).skills).toHaveLength(3);
    expect((await engine.library.find("bread")).manifest.description).toBe("Bakes rye bread.");
  });

  it("keeps skills of the file system for good: a lost database forgets none", async () => {
    const space = designWorkspace(LIBRARY);
    const engine = space.open({ env: KEY });
    await recalledFor(engine, "bake a loaf");
    await engine.journal.stats();
    await engine.close();
    rmSync(join(space.home, ".repertoire"), { recursive: true });
    expect(await recalledFor(space.open({ env: KEY }), "proof the sourdough loaf")).toEqual(["bread"]);
  });
});

describe("matching a message", () => {
  it("recalls by a trigger, by the words of the description, and nothing for what no skill is for", async () => {
    const engine = designWorkspace(LIBRARY).open({ env: KEY });
    expect(await recalledFor(engine, "do I need an umbrella for the parade?")).toEqual(["weather-desk"]);
    expect(await recalledFor(engine, "reserve a seat on a night train")).toEqual(["trains"]);
    expect(await recalledFor(engine, "refactor the login controller")).toEqual([]);
  });

  it("recalls by meaning where no word is shared", async () => {
    const space = designWorkspace(LIBRARY);
    const message = "book a railway ticket with a couchette";
    expect((await recalledFor(space.open({ env: KEY }), message))[0]).toBe("trains");
    const wordsAlone = space.open({ env: KEY, values: { "embedder.kind": "none" } });
    expect(await recalledFor(wordsAlone, message)).toEqual([]);
  });

  it("puts at most three forward, the best first, each name once", async () => {
    const soups = ["pea", "leek", "fish", "beet", "corn"].map((kind) => [
      `p/skills/${kind}-soup/SKILL.md`,
      skillText(`Cooks ${kind} soup.`, "triggers: [soup]\n", `# Soup\n\nTake the ${kind} first.\n`),
    ]);
    const { matches } = await designWorkspace(Object.fromEntries(soups))
      .open()
      .turn({ message: "cook a fish soup" })
      .recall();
    const names = matches.map(({ name }) => name);
    expect(names).toHaveLength(3);
    expect(names[0]).toBe("fish-soup");
    expect(new Set(names).size).toBe(3);
    expect(matches.map(({ score }) => score)).toEqual(
      matches.map(({ score }) => score).sort((a, b) => b - a),
    );
  });

  it("knows one skill by a name, however many sources have it", async () => {
    const engine = designWorkspace({ ...LIBRARY, "home/.agents/skills/bread/SKILL.md": BREAD }).open();
    expect(await recalledFor(engine, "score the sourdough loaf")).toEqual(["bread"]);
  });

  it("names conflicting triggers of two skills instead of choosing silently", async () => {
    const space = designWorkspace(EQUALS);
    for (const verb of ["check", "doctor"]) {
      const { diagnostics } = JSON.parse((await space.cli("--json", verb)).out);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({
          code: "trigger-conflict",
          message: expect.stringMatching(
            /"plants".*\balpha\b.*\bomega\b.*\balpha wins: the scores are equal/,
          ),
        }),
      );
      expect((await space.cli(verb)).out).toContain("alpha wins");
    }
  });
});

describe("the kind of turn", () => {
  it.each([
    ["deploy the new build", "task"],
    ["why does the import crash with a traceback?", "debug"],
    ["should we use Redis or Postgres here?", "decision"],
    ["write me a poem about autumn", "creative"],
    ["thanks, nice work!", "conversation"],
  ] as const)("of %j is %s, chosen before anything is recalled", async (message, frame) => {
    expect((await designWorkspace(LIBRARY).open().turn({ message }).recall()).frame.name).toBe(frame);
  });

  it("adds 0.2 to a skill that declares the frame, and to no other", async () => {
    const engine = designWorkspace(LIBRARY).open({ env: KEY });
    const scoreIn = async (frame: Frame) => {
      const [match] = (await engine.turn({ message: "the weather report for Graz", frame }).recall()).matches;
      return match!.score;
    };
    const plain = await scoreIn("creative");
    expect((await scoreIn("task")) - plain).toBeCloseTo(0.2, 3);
    expect((await scoreIn("debug")) - plain).toBeCloseTo(0.2, 3);
    expect(await scoreIn("conversation")).toBe(plain);
  });

  it.each([
    ["debugging", ["debug"]],
    ["code-review", ["debug"]],
    ["architecture", ["decision"]],
    ["process", ["decision"]],
    ["writing", ["creative"]],
    ["design", ["creative"]],
    ["gardening", []],
  ] as const)("favours the domain %s in %j, and never in a conversation", async (domain, favoured) => {
    const skill = skillText("Waters plants.", `domain: ${domain}\ntriggers: [plants]\n`);
    const engine = designWorkspace({ "p/skills/one/SKILL.md": skill }).open();
    const boosted: string[] = [];
    for (const frame of FRAMES) {
      const [match] = (await engine.turn({ message: "plants", frame }).recall()).matches;
      if (match?.reasons.some(({ signal }) => signal === "frame")) boosted.push(frame);
    }
    expect(boosted).toEqual(favoured);
  });

  it("takes any domain in a task, as long as the message is about it", async () => {
    const skill = skillText("Waters plants.", "domain: gardening\ntriggers: [plants]\n");
    const engine = designWorkspace({ "p/skills/one/SKILL.md": skill }).open();
    const [match] = (await engine.turn({ message: "gardening: plants", frame: "task" }).recall()).matches;
    expect(match?.reasons).toContainEqual({
      signal: "frame",
      value: 0.2,
      note: "task, domain gardening",
      boost: true,
    });
  });

  it("decides between skills that fit, but brings in none by itself", async () => {
    const omega = "p/skills/omega/SKILL.md";
    const made = EQUALS[omega].replace("triggers:", "frames: [debug]\ntriggers:");
    const engine = designWorkspace({ ...EQUALS, [omega]: made }).open({ values: WORDS_ALONE });
    const names = async (message: string, frame: Frame) =>
      (await engine.turn({ message, frame }).recall()).matches.map(({ name }) => name);
    expect((await names("plants", "task"))[0]).toBe("alpha");
    expect((await names("plants", "debug"))[0]).toBe("omega");
    expect(await names("refactor the login controller", "debug")).toEqual([]);
  });
});

describe("working memory", () => {
  it("gets each recalled skill as an item with its reference, its card and its relevance", async () => {
    const engine = designWorkspace(LIBRARY).open({ env: KEY });
    const { matches } = await engine
      .turn({ message: "will it rain on Sunday?", session: "s" })
      .prompt({ style: "cards" });
    expect((await engine.turns.sessions.session("s")).frame).toBe("question");
    expect(await engine.workingMemory("s")).toEqual([
      {
        refId: "weather-desk",
        refType: "skill",
        content: expect.stringContaining("[Skill: weather-desk]"),
        relevance: Math.min(1, matches[0]!.score),
      },
    ]);
  });

  it("holds a card: name, domain, tools, triggers, a rule, and the first H2 section alone", async () => {
    const { text } = await designWorkspace(LIBRARY)
      .open({ env: KEY, values: { style: "cards", ...AGREED } })
      .turn({ message: "will it rain on Sunday?" })
      .prompt();
    expect(text).toBe(
      [
        "[Skill: weather-desk]",
        "Domain: forecasting",
        "Tools: forecast_get, map_show",
        "Triggers: weather report, will it rain, umbrella",
        "---",
        "## When to use",
        "",
        "For questions about the sky of the coming days.",
      ].join("\n"),
    );
  });

  it("holds the description instead of the section for a skill that nobody agreed to", async () => {
    const engine = designWorkspace(LIBRARY).open({ env: KEY });
    const turn = engine.turn({ message: "will it rain on Sunday?", session: "s" });
    const { text, shown } = await turn.prompt({ style: "cards" });
    expect(shown).toEqual([{ name: "weather-desk", level: "short" }]);
    const [item] = await engine.workingMemory("s");
    for (const card of [text, item!.content]) {
      expect(card).toContain("[Skill: weather-desk]");
      expect(card).not.toContain("For questions about the sky");
    }
  });

  it("keeps three long skills within 400 tokens, and says where a card was cut", async () => {
    const long = (name: string) =>
      skillText(
        `Repairs ${name} bicycles.`,
        "triggers: [bicycle]\ndomain: workshop\n",
        `## When to use\n\n${`When the ${name} bicycle rattles or squeaks on the road. `.repeat(60)}\n`,
      );
    const files = ["red", "blue", "green"].map((name) => [`p/skills/${name}/SKILL.md`, long(name)]);
    const { text, tokens, shown } = await designWorkspace(Object.fromEntries(files))
      .open({ values: { style: "cards", ...AGREED } })
      .turn({ message: "repair the bicycle" })
      .prompt();
    expect(shown.map(({ level }) => level)).toEqual(["card", "card", "card"]);
    expect(tokens).toBeLessThanOrEqual(400);
    expect(text.match(/\[cut; activate_skill gives the rest\]/g)).toHaveLength(3);
  });

  it("leaves the full text on disk, at a path that the agent can read", async () => {
    const { path } = await designWorkspace(LIBRARY).open({ env: KEY }).library.find("weather-desk");
    expect(readFileSync(path, "utf8")).toBe(WEATHER);
  });

  it("stays empty when nothing fits: no card, no text", async () => {
    const engine = designWorkspace(LIBRARY).open({ env: KEY, values: { style: "cards" } });
    const { text } = await engine.turn({ message: "refactor the login controller", session: "s" }).prompt();
    expect(text).toBe("");
    expect(await engine.workingMemory("s")).toEqual([]);
  });
});

describe("a configuration for this system", () => {
  it("names the workspace's folder and the cards", async () => {
    const space = designWorkspace({
      ...LIBRARY,
      "home/.repertoire/repertoire.config.json": JSON.stringify({
        sources: { only: ["./skills"] },
        style: "cards",
        consent: { allow: ["*@./skills"] },
        recall: { limit: 3 },
      }),
      "home/.agents/skills/elsewhere/SKILL.md": skillText("Reserves seats on night trains."),
    });
    const { out } = await space.cli("prompt", "reserve a seat on a night train");
    expect(out).toMatch(/^\[Skill: trains\]\n/);
    expect(out).not.toContain("elsewhere");
  });
});
