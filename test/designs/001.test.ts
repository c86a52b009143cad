// Walks the second design from top to bottom: procedures that an agent keeps, an index once a session, names for each
// message, and what belongs together. Its dreams are in `001-dream.test.ts`, its tools in `001-tools.test.ts`.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText } from "../skill-tree.ts";
import { DAY_MS, designWorkspace, recalledFor, settableClock } from "./support/design-workspace.ts";
import { AGREED, useSkills } from "./support/outcomes.ts";
import { scriptedModel } from "./support/scripted-model.ts";

const EMAIL = "Sends an e-mail through the mail server.\n\n1. Ask for the address.\n2. Send it.\n";
const PROJECT = "p/.agents/skills";
const OFFICE = {
  [`${PROJECT}/mcp/email/SKILL.md`]: skillText(
    "Sends e-mail through a mail server.",
    "see-also: [mcp/guide, minutes]\n",
  ),
  [`${PROJECT}/mcp/guide/SKILL.md`]: skillText("Which server is for what."),
  [`${PROJECT}/minutes/SKILL.md`]: skillText("Takes the minutes of a meeting."),
  [`${PROJECT}/plan-meeting/SKILL.md`]: skillText("Schedules meetings and invites attendees."),
};
const INDEX = { values: { style: "index" } };

describe("a skill as a record", () => {
  it("has name, summary, content, times of making, change and last use, and relations", async () => {
    const clock = settableClock(Date.UTC(2026, 2, 1));
    const engine = designWorkspace({}).open({ values: AGREED, clock });
    const { learned } = engine;
    await learned.save({ name: "mcp/email", content: EMAIL, seeAlso: ["mcp/guide"], author: "agent" });
    const record = async () => learned.text(await engine.library.find("mcp/email"));
    expect(await record()).toMatchObject({
      name: "mcp/email",
      summary: "Sends an e-mail through the mail server.",
      content: expect.stringContaining("1. Ask for the address."),
      createdAt: "2026-03-01T00:00:00.000Z",
      seeAlso: ["mcp/guide"],
    });
    expect(await record()).toMatchObject({ updatedAt: undefined, lastUsedAt: undefined });
    clock.at += DAY_MS;
    await learned.save({ name: "mcp/email", content: `${EMAIL}3. Say so.\n`, author: "agent" });
    clock.at += DAY_MS;
    await useSkills(engine, { session: "s", skills: ["mcp/email"] });
    expect(await record()).toMatchObject({
      createdAt: "2026-03-01T00:00:00.000Z",
      updatedAt: "2026-03-02T00:00:00.000Z",
      lastUsedAt: "2026-03-03T00:00:00.000Z",
      seeAlso: ["mcp/guide"],
    });
  });

  it("has a summary of fifteen words at most, whoever wrote it", async () => {
    const { learned } = designWorkspace({}).open();
    const twenty = Array.from({ length: 20 }, (_, at) => `word${at + 1}`).join(" ");
    for (const request of [
      { name: "by-itself", content: `${twenty}.\n\n1. Go on.\n` },
      { name: "by-hand", content: EMAIL, summary: twenty },
    ]) {
      const { summary } = await learned.save({ ...request, author: "agent" });
      expect(summary?.split(" ")).toHaveLength(15);
    }
  });

  it.each([
    ["plan-meeting", "plan-meeting"],
    ["mcp/email", "mcp/email"],
    ["research/papers/summarize", "research/papers/summarize"],
    ["Plan Meeting", "plan-meeting"],
  ])("named %j is called %s: lower case, hyphens, slashes between levels", async (spelling, name) => {
    const { learned } = designWorkspace({}).open();
    expect((await learned.save({ name: spelling, content: EMAIL })).name).toBe(name);
  });

  it.each(["../outside", "a/../b", "//", "mcp/…"])(
    "cannot be named %j, and nothing is written",
    async (name) => {
      const space = designWorkspace({});
      const { learned } = space.open();
      await expect(learned.save({ name, content: EMAIL })).rejects.toMatchObject({
        code: expect.stringMatching(/^name-/),
        value: name,
      });
      expect(existsSync(join(space.home, ".repertoire/skills"))).toBe(false);
    },
  );
});

describe("the store of skills", () => {
  it("keeps each in a folder of its name, slashes as folders, in a file that any agent reads", async () => {
    const space = designWorkspace({});
    const { learned } = space.open();
    await learned.save({ name: "mcp/email", content: EMAIL, author: "agent" });
    const text = readFileSync(join(space.home, ".repertoire/skills/mcp/email/SKILL.md"), "utf8");
    expect(text).toContain("2. Send it.");
    expect(await recalledFor(space.open(), "send an e-mail to the mail server")).toEqual(["mcp/email"]);
  });

  it("loses nothing when several save at once", async () => {
    const engine = designWorkspace({}).open();
    const { learned } = engine;
    const numbers = Array.from({ length: 6 }, (_, at) => at + 1);
    await Promise.all(
      numbers.flatMap((at) => [
        learned.save({ name: `skill-${at}`, content: EMAIL }),
        learned.save({ name: "shared", content: `${EMAIL}\nEdition ${at}.\n` }),
      ]),
    );
    expect((await engine.library.list()).skills).toHaveLength(numbers.length + 1);
    expect((await learned.history("shared")).versions).toHaveLength(numbers.length);
  });
});

describe("the index of a session", () => {
  it("stands in the first section, a line for every skill, and not in the next", async () => {
    const engine = designWorkspace(OFFICE).open(INDEX);
    const first = await engine.turn({ message: "hello there", session: "s" }).prompt();
    expect(first.text).toBe(
      [
        "Available skills (use activate_skill to load full instructions):",
        "- minutes: Takes the minutes of a meeting.",
        "- plan-meeting: Schedules meetings and invites attendees.",
        "- mcp/email: Sends e-mail through a mail server.",
        "- mcp/guide: Which server is for what.",
      ].join("\n"),
    );
    expect((await engine.turn({ message: "and thanks", session: "s" }).prompt()).text).toBe("");
  });

  it("comes again with the next session", async () => {
    const engine = designWorkspace(OFFICE).open(INDEX);
    await engine.turn({ message: "hello there", session: "monday" }).prompt();
    const { text } = await engine.turn({ message: "hello there", session: "tuesday" }).prompt();
    expect(text).toContain("- minutes: ");
  });

  it("shows a learned skill with its summary", async () => {
    const engine = designWorkspace({}).open(INDEX);
    const { learned } = engine;
    await learned.save({ name: "mail", content: EMAIL, summary: "Mails things" });
    const { text } = await engine.turn({ message: "hello", session: "s" }).prompt();
    expect(text.split("\n")).toContain("- mail: Mails things");
  });
});

describe("the names for a message", () => {
  const later = async (files: Readonly<Record<string, string>>) => {
    const engine = designWorkspace(files).open(INDEX);
    await engine.turn({ message: "hello there", session: "s" }).prompt();
    return async (message: string) => (await engine.turn({ message, session: "s" }).prompt()).text;
  };

  it("follow the topic of the conversation, each named once a session", async () => {
    const say = await later(OFFICE);
    expect(await say("schedule a meeting with the attendees")).toContain(
      "Relevant skills for this message: plan-meeting",
    );
    expect(await say("now send it through the mail server")).toContain(
      "Relevant skills for this message: mcp/email",
    );
    expect(await say("send one more e-mail through the mail server")).not.toContain("mcp/email");
  });

  it("are five at most", async () => {
    const soups = ["pea", "leek", "fish", "beet", "corn", "bean", "rice"].map((kind) => [
      `${PROJECT}/${kind}-soup/SKILL.md`,
      skillText(`Cooks ${kind} soup.`, "triggers: [soup]\n", `# Soup\n\nTake the ${kind} first.\n`),
    ]);
    const text = await (await later(Object.fromEntries(soups)))("cook a soup");
    expect(text).toMatch(/^Relevant skills for this message: (?:[a-z]+-soup, ){4}[a-z]+-soup$/);
  });

  it("are found by the words of a name, slashes and hyphens read as spaces", async () => {
    const files = {
      ...OFFICE,
      [`${PROJECT}/research/summarize-paper/SKILL.md`]: skillText("Comes to the key points."),
    };
    expect(await recalledFor(designWorkspace(files).open(), "summarize this research paper")).toContain(
      "research/summarize-paper",
    );
  });

  it("are found by the words of the sentence that became the summary", async () => {
    const engine = designWorkspace(OFFICE).open();
    const { learned } = engine;
    const content = "Dispatches parcels overseas.\n\n1. Weigh it.\n";
    const { summary } = await learned.save({ name: "harbour", content });
    expect(summary).toBe("Dispatches parcels overseas.");
    expect((await recalledFor(engine, "dispatch these parcels overseas"))[0]).toBe("harbour");
  });

  it("bring along what a found skill points to, although the message would not lead there", async () => {
    const text = await (await later(OFFICE))("send it through the mail server");
    expect(text).toBe(
      "Relevant skills for this message: mcp/email\nRelated skills (see-also): mcp/guide, minutes",
    );
  });

  it("bring along only what the session has not seen", async () => {
    const say = await later(OFFICE);
    expect(await say("take the minutes of the meeting")).toContain("minutes");
    expect(await say("send it through the mail server")).toMatch(/\(see-also\): mcp\/guide$/);
  });
});

describe("the summary of a saved skill", () => {
  it("is the model's, in the background: the save does not wait for it", async () => {
    let answer = (_: string) => {};
    const thinking = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const { values, asked } = await scriptedModel(() => thinking);
    const engine = designWorkspace({}).open({ values });
    const { learned } = engine;
    const saved = await learned.save({ name: "mail", content: EMAIL, author: "agent" });
    expect(saved.summary).toBe("Sends an e-mail through the mail server.");
    await engine.library.refresh();
    expect((await engine.library.find("mail")).manifest.summary).toBe(
      "Sends an e-mail through the mail server.",
    );
    answer("Delivers messages by electronic mail.");
    await learned.settled();
    await engine.library.refresh();
    expect((await engine.library.find("mail")).manifest.summary).toBe(
      "Delivers messages by electronic mail.",
    );
    expect(asked).toHaveLength(1);
  });

  it("is cut to fifteen words when the model says more", async () => {
    const { values } = await scriptedModel(() => "very ".repeat(30));
    const engine = designWorkspace({}).open({ values });
    const { learned } = engine;
    await learned.save({ name: "mail", content: EMAIL });
    await learned.settled();
    await engine.library.refresh();
    expect((await engine.library.find("mail")).manifest.summary?.split(" ")).toHaveLength(15);
  });

  it("stays the first sentence when the model fails", async () => {
    const { values, asked } = await scriptedModel(() => undefined);
    const engine = designWorkspace({}).open({ values });
    const { learned } = engine;
    await learned.save({ name: "mail", content: EMAIL });
    await learned.settled();
    await engine.library.refresh();
    expect(asked).toHaveLength(1);
    expect((await engine.library.find("mail")).manifest.summary).toBe(
      "Sends an e-mail through the mail server.",
    );
  });
});

describe("starter skills", () => {
  const guide = (text: string, version: string) => ({
    id: "host",
    skills: () => [
      { name: "door-guide", version, content: `Opens the ${text} door.\n\n1. Turn the knob.\n` },
    ],
  });

  it("explain skills, memory and MCP tools from the first start", async () => {
    const engine = designWorkspace({}).open({ values: { "sources.bundled": true } });
    const names = (await engine.library.list()).skills.map(({ skill }) => skill.name);
    expect(names).toEqual(expect.arrayContaining(["skills-and-rules", "memory-systems", "mcp-tool-guide"]));
  });

  it("of a host are written once, and never over a skill that is there", async () => {
    const engine = designWorkspace({}).open();
    const { learned } = engine;
    expect(await learned.seed([guide("front", "1")])).toEqual([{ name: "door-guide", fate: "seed" }]);
    expect(await learned.seed([guide("front", "1")])).toEqual([{ name: "door-guide", fate: "current" }]);
    await learned.save({
      name: "door-guide",
      content: "Opens no door.\n\n1. Walk away.\n",
      author: "person",
    });
    expect(await learned.seed([guide("back", "2")])).toEqual([{ name: "door-guide", fate: "edited" }]);
    await engine.library.refresh();
    expect((await engine.library.show("door-guide", { review: true })).body).toContain("1. Walk away.");
  });

  it("that ship give way to a copy that somebody wrote under the same name", async () => {
    const engine = designWorkspace({
      "home/.repertoire/skills/memory-systems/SKILL.md": skillText("Our own memory rules."),
    }).open({ values: { "sources.bundled": true } });
    expect((await engine.library.find("memory-systems")).manifest.description).toBe("Our own memory rules.");
  });
});
