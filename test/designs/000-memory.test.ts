// Walks the working memory of the first design: what stays in a prompt that is rebuilt at every turn, and what an appended
// context is not shown twice.

import { describe, expect, it } from "vitest";
import { skillText } from "../skill-tree.ts";
import { designWorkspace } from "./support/design-workspace.ts";
import { AGREED } from "./support/outcomes.ts";

const skill = (about: string, word: string, body = `Steps for ${word}.`) =>
  skillText(about, `domain: house\ntriggers: [${word}]\n`, `## When to use\n\n${body}\n`);
const HOUSE = {
  "p/skills/laundry/SKILL.md": skill("Washes shirts and towels.", "wash the towels"),
  "p/skills/chimney/SKILL.md": skill("Sweeps the chimney.", "sweep the chimney"),
};
const CARDS = { values: { style: "cards", ...AGREED } };
const cardsIn = (text: string) => [...text.matchAll(/^\[Skill: (.+)\]$/gm)].map(([, name]) => name);

describe("a prompt that is rebuilt", () => {
  it("keeps the cards of earlier turns, the turn's own first, until they have faded", async () => {
    const engine = designWorkspace(HOUSE).open(CARDS);
    const say = async (message: string) =>
      cardsIn((await engine.turn({ message, session: "s" }).prompt()).text);
    expect(await say("wash the towels")).toEqual(["laundry"]);
    expect(await say("sweep the chimney")).toEqual(["chimney", "laundry"]);
    expect(await say("yes, go on")).toEqual(["chimney", "laundry"]);
    for (let turn = 0; turn < 12; turn++) await say(`what do you think of number ${turn}?`);
    expect(await say("and of the last number?")).toEqual([]);
  });

  it("has the right card, and no noise, when a message only continues", async () => {
    const engine = designWorkspace(HOUSE).open(CARDS);
    const turn = (message: string) => engine.turn({ message, session: "s" }).prompt();
    const first = await turn("wash the towels");
    for (const message of ["yes, go on", "ok, continue", "ja, weiter"]) {
      const next = await turn(message);
      expect(next.text).toBe(first.text);
    }
  });

  it("keeps the whole instructions of earlier turns in the style tiers", async () => {
    const engine = designWorkspace(HOUSE).open({ values: { style: "tiers", ...AGREED } });
    const turn = (message: string) => engine.turn({ message, session: "s" }).prompt();
    await turn("wash the towels");
    const { shown } = await turn("sweep the chimney");
    expect(shown).toEqual([
      { name: "chimney", level: "body" },
      { name: "laundry", level: "body" },
    ]);
  });

  it("keeps to its budget", async () => {
    const long = (word: string) => skill(`Does ${word}.`, word, `One more step for ${word}. `.repeat(90));
    const words = ["wash the towels", "sweep the chimney", "mow the lawn", "feed the cat"];
    const files = words.map((word, at) => [`p/skills/chore-${at}/SKILL.md`, long(word)]);
    const engine = designWorkspace(Object.fromEntries(files)).open(CARDS);
    for (const message of words) {
      const { tokens, text } = await engine.turn({ message, session: "s" }).prompt();
      expect(tokens).toBeLessThanOrEqual(400);
      expect(cardsIn(text)[0]).toBe(`chore-${words.indexOf(message)}`);
    }
  });
});

describe("an appended context", () => {
  it.each([{ context: "append" as const }, {}])(
    "is shown nothing twice, told by option or setting",
    async (how) => {
      const values = { ...CARDS.values, ...(how.context === undefined && { context: "append" }) };
      const engine = designWorkspace(HOUSE).open({ values });
      const say = async (message: string) =>
        cardsIn((await engine.turn({ message, session: "s" }).prompt(how)).text);
      expect(await say("wash the towels")).toEqual(["laundry"]);
      expect(await say("wash the towels")).toEqual([]);
      expect(await say("yes, go on")).toEqual([]);
      expect(await say("sweep the chimney")).toEqual(["chimney"]);
    },
  );

  it("gets the list of all skills once", async () => {
    const engine = designWorkspace(HOUSE).open();
    const say = async (message: string) =>
      (await engine.turn({ message, session: "s" }).prompt({ context: "append" })).text;
    expect(await say("hello")).toContain("- laundry: ");
    expect(await say("sweep the chimney")).not.toContain("- laundry: ");
  });
});

describe("working memory", () => {
  it("holds the very cards that were shown, cut in the same places", async () => {
    const files = ["red", "blue", "green"].map((name) => [
      `p/skills/${name}/SKILL.md`,
      skill(
        `Repairs ${name} bicycles.`,
        "bicycle",
        `When the ${name} bicycle rattles or squeaks. `.repeat(60),
      ),
    ]);
    const engine = designWorkspace(Object.fromEntries(files)).open(CARDS);
    const { text } = await engine.turn({ message: "repair the bicycle", session: "s" }).prompt();
    const memory = await engine.workingMemory("s");
    expect(memory.map(({ content }) => content).join("\n\n")).toBe(text);
    expect(memory).toHaveLength(3);
  });
});
