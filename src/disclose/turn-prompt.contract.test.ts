import { describe, expect, test } from "vitest";
import { TRADES, type Workspace, workspace } from "../../test/recall-workspace.ts";
import { skillText } from "../../test/skill-tree.ts";
import type { Style } from "../model/turn.ts";
import type { Prompt } from "./turn-prompt.ts";

const FORM = "fill in this PDF form";
const BREAD = "bake sourdough bread";

/** One session of a host that appends; each message is answered by a new engine, as hooks in processes of their own would. */
function talk(space: Workspace, style: Style, session = "s") {
  // A person has agreed to all skills, so that the styles show all that they can.
  const agreed = { "consent.allow": ["*"] };
  return async (message: string) =>
    space.open(agreed).turns.prompt({ message, session }, { style, context: "append" });
}

const names = ({ matches }: Prompt) => matches.map(({ name }) => name);

describe("a session", () => {
  test("shows a match once, whichever process answers", async () => {
    const say = talk(workspace(TRADES), "adaptive");
    expect(names(await say(FORM))).toEqual(["pdf-forms"]);
    expect(names(await say(FORM))).toEqual([]);
  });

  test("shows it again when the message names it", async () => {
    const say = talk(workspace(TRADES), "tiers");
    expect((await say(FORM)).text).toContain('<skill_content name="pdf-forms"');
    const again = await say("once more with /pdf-forms");
    expect(names(again)).toEqual(["pdf-forms"]);
    expect(again.text).toContain('<skill_content name="pdf-forms"');
  });

  test("follows the topic, and keeps sessions apart", async () => {
    const space = workspace(TRADES);
    const say = talk(space, "adaptive");
    expect(names(await say(FORM))).toEqual(["pdf-forms"]);
    expect(names(await say(BREAD))).toEqual(["sourdough-bread"]);
    expect(names(await talk(space, "adaptive", "other")(FORM))).toEqual(["pdf-forms"]);
  });

  test("recalls from the turn before when a message only says to go on", async () => {
    const space = workspace(TRADES);
    const engine = space.open();
    await engine.turns.recall({ message: FORM, session: "s" });
    for (const message of ["yes, do it", "ok, go ahead"]) {
      const answer = await space.open().turns.recall({ message, session: "s" });
      expect(answer.message).toBe(message);
      expect(answer.matches[0]?.name).toBe("pdf-forms");
    }
    expect((await engine.turns.recall({ message: "yes, do it", session: "fresh" })).abstained).toBe(true);
    expect((await engine.turns.recall({ message: "yes, do it" })).abstained).toBe(true);
  });

  test("says that what fits was shown already, instead of that nothing fits", async () => {
    const space = workspace(TRADES);
    await talk(space, "adaptive")(FORM);
    const answer = await space.open().turns.recall({ message: FORM, session: "s" });
    expect(answer).toMatchObject({ matches: [], abstained: false });
  });

  test("shows everything again once the agent has lost its context", async () => {
    const space = workspace(TRADES);
    const say = talk(space, "adaptive");
    await say(FORM);
    await space.open().turns.sessions.forgetShown("s");
    expect(names(await say(FORM))).toEqual(["pdf-forms"]);
    expect(names(await say(FORM))).toEqual([]);
  });

  test("answers a model that asks in somebody's turn, with what it has seen marked, and begins no turn", async () => {
    const space = workspace(TRADES);
    const engine = space.open();
    await talk(space, "adaptive")(FORM);
    const ask = (message: string) => engine.turns.recall({ message, session: "s" }, { byModel: "in-turn" });
    expect(await ask(FORM)).toMatchObject({ matches: [{ name: "pdf-forms" }], seen: ["pdf-forms"] });
    expect(await ask("use /pdf-forms")).toMatchObject({ matches: [{ name: "pdf-forms" }], seen: [] });
    expect(await ask(BREAD)).toMatchObject({ matches: [{ name: "sourdough-bread" }], seen: [] });
    expect(await engine.turns.sessions.session("s")).toMatchObject({
      turn: 1,
      shown: ["pdf-forms", "sourdough-bread"],
    });
    expect((await talk(space, "adaptive")(BREAD)).matches).toEqual([]);
  });

  test("has a turn for each question of a model whose host sees no messages", async () => {
    const engine = workspace(TRADES).open();
    for (const message of [FORM, FORM, BREAD])
      expect(
        (await engine.turns.recall({ message, session: "s" }, { byModel: "as-turn" })).matches,
      ).toHaveLength(1);
    expect(await engine.turns.sessions.session("s")).toMatchObject({
      turn: 3,
      lastMessage: BREAD,
      recalled: ["sourdough-bread"],
    });
  });

  test("gives a match to one of several processes that are asked at once", async () => {
    const space = workspace(TRADES);
    await space.open().turns.recall({ message: FORM });
    const sections = await Promise.all(
      Array.from({ length: 4 }, () =>
        space.open().turns.prompt({ message: FORM, session: "s" }, { context: "append" }),
      ),
    );
    expect(sections.flatMap(names)).toEqual(["pdf-forms"]);
  });
});

describe("the style tiers", () => {
  const triggered = {
    greeter: skillText(
      "Greets people.",
      "triggers: [hello]\n",
      "# Greeter\n\nSay hello in their language.\n",
    ),
    ...TRADES,
  };

  test("shows nothing without skills", async () => {
    expect((await talk(workspace({}), "tiers")("anything")).text).toBe("");
  });

  test("leaves a breadcrumb when nothing matches, the registry when asked, the instructions when something does", async () => {
    const say = talk(workspace(triggered), "tiers");
    const none = await say("thanks!");
    expect(none.text).toContain("- pdf-forms: ");
    expect(none.text).not.toContain("greeter");
    expect(none.text.endsWith("\n\n[1 skill available]")).toBe(true);
    const list = await say("what can you do?");
    expect(list.text).toContain("- greeter: Greets people.");
    expect(list.text).toContain("- pdf-forms: ");
    const full = await say("hello there");
    expect(full.text).toContain("Say hello in their language.");
    expect(full.shown).toEqual([{ name: "greeter", level: "body" }]);
  });

  test("lists all skills when none has a trigger and nothing matches", async () => {
    expect((await talk(workspace(TRADES), "tiers")("thanks!")).text).toContain("- garden-calendar: ");
  });

  test("gives the instructions of three skills at most", async () => {
    const many = Object.fromEntries(
      ["salt", "pepper", "sugar", "lemon", "honey"].map((name) => [
        name,
        skillText(`Seasons with ${name}.`, "triggers: [season]\n", `# ${name}\n\nAbout ${name} ${name}.\n`),
      ]),
    );
    const { shown } = await talk(workspace(many), "tiers")("season the soup");
    expect(shown.filter(({ level }) => level === "body")).toHaveLength(3);
  });
});

describe("the style index", () => {
  const family = {
    ...TRADES,
    "mcp/email": skillText("Sends email through a mail server.", "see-also: [mcp/guide]\n"),
    "mcp/guide": skillText("Zzyzx."),
  };

  test("sends the whole index once a session, then names only, see-also marked", async () => {
    const say = talk(workspace(family), "index");
    const first = await say(FORM);
    expect(first.text).toContain("- mcp/email: Sends email through a mail server.");
    expect(first.text).toContain("Relevant skills for this message: pdf-forms");
    const second = await say("send an email with the attachment");
    expect(second.text).toBe(
      "Relevant skills for this message: mcp/email\nRelated skills (see-also): mcp/guide",
    );
    expect((await say("send an email with the attachment")).text).toBe("");
    expect((await say("thanks!")).text).toBe("");
  });

  test("names five skills a turn, unless configured otherwise", async () => {
    const many = Object.fromEntries(
      ["salt", "pepper", "sugar", "lemon", "honey", "mint", "sage"].map((name) => [
        name,
        skillText(`Seasons with ${name}.`, "triggers: [season]\n", `# ${name}\n\nAbout ${name} ${name}.\n`),
      ]),
    );
    const space = workspace(many);
    const turn = { message: "season the soup" };
    expect((await space.open().turns.prompt(turn, { style: "index" })).matches).toHaveLength(5);
    expect((await space.open().turns.prompt(turn, { style: "index", limit: 2 })).matches).toHaveLength(2);
    expect(
      (await space.open({ "recall.limit": 4 }).turns.prompt(turn, { style: "index" })).matches,
    ).toHaveLength(4);
    expect((await space.open().turns.prompt(turn, { style: "adaptive" })).matches).toHaveLength(3);
  });
});

describe("the style cards", () => {
  test("shows a compact card with head lines and the first section, once a session", async () => {
    const space = workspace({
      ...TRADES,
      "serper-search": skillText(
        "Searches the web.",
        "domain: research\ntools: [web_search, web_fetch]\ntriggers: [web search, look up]\n",
        "# Search\n\nIntro.\n\n## When to use\n\nWhen facts are needed.\n\n## How\n\nCall it.\n",
      ),
    });
    const say = talk(space, "cards");
    expect((await say("look up the opening hours")).text).toBe(
      [
        "[Skill: serper-search]",
        "Domain: research",
        "Tools: web_search, web_fetch",
        "Triggers: web search, look up",
        "---",
        "## When to use",
        "",
        "When facts are needed.",
      ].join("\n"),
    );
    expect((await say("look up the opening hours")).text).toBe("");
    expect((await say("thanks!")).text).toBe("");
  });
});

describe("working memory", () => {
  test("holds the cards of the turn's skills, most relevant first", async () => {
    const space = workspace(TRADES);
    const engine = space.open();
    await engine.turns.prompt({ message: "fill in this PDF form", session: "m" });
    const memory = await engine.workingMemory("m");
    expect(memory[0]).toMatchObject({ refId: "pdf-forms", refType: "skill" });
    expect(memory[0]?.content).toContain("[Skill: pdf-forms]");
  });
});

describe("one engine for several agents", () => {
  const agents = { baker: { skills: ["sourdough-bread"] }, clerk: { skills: ["pdf-forms"] } };

  test("shows and recalls for each only what it may see, and notes who asked", async () => {
    const engine = workspace(TRADES).open({ agents, agent: "clerk" });
    const shown = async (agent?: string) => {
      const { text } = await engine.turns.prompt(
        { message: "" },
        { style: "on-demand", ...(agent && { agent }) },
      );
      return [...text.matchAll(/^- (\S+)/gm)].map(([, name]) => name);
    };
    expect(await shown("baker")).toEqual(["sourdough-bread"]);
    expect(await shown()).toEqual(["pdf-forms"]);
    const recalled = await engine.turns.recall({ message: BREAD, session: "s" }, { agent: "baker" });
    expect(recalled.matches[0]?.name).toBe("sourdough-bread");
    expect((await engine.turns.recall({ message: BREAD })).matches).toEqual([]);
    expect(await engine.journal.query({ session: "s" })).toMatchObject([
      { kind: "recalled", agent: "baker" },
    ]);
    await engine.close();
  });
});
