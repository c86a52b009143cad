// Walks what a dream says about skills that nobody learned here, and about requests that no skill answers; without a model.

import { readFileSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { skillText } from "../skill-tree.ts";
import { dreaming, type SeedSession, sessionsOf } from "./support/dreaming.ts";

const PLACE = "p/.claude/skills";
const KEPT = {
  name: "invoice",
  description: "Writes an invoice.",
  content: "Writes an invoice.\n\n1. Ask for the hours.\n2. Send it.\n",
};
const CONFIG = "home/.repertoire/repertoire.config.json";

/** Sessions of these days in which only the kept skill was used. */
const busy = (count: number): SeedSession[] =>
  Array.from({ length: count }, (_, at) => ({
    session: `s${at}`,
    daysAgo: 1 + at / 10,
    turns: [{ message: `write invoice ${at}`, recalled: ["invoice"], used: ["invoice"] }],
  }));

const neglected = async (files: Readonly<Record<string, string>>, sessions: readonly SeedSession[] = []) => {
  const { dreams } = await dreaming({ files, sessions, skills: [KEPT] });
  return (await dreams.report()).neglected;
};

describe("a skill is broken", () => {
  it.each([
    ["it has no instructions", "name: a\ndescription: Says nothing.\n", "\n"],
    ["its front matter is not YAML", "- name: a\n- description: Half of a list\n", "Do it.\n"],
    [
      "its text links a file that is missing",
      "description: Reads.\n",
      "Read [the guide](references/g.md).\n",
    ],
    ["its text names a script that is missing", "description: Runs.\n", "Run `scripts/go.sh` first.\n"],
    ["its toolset does not exist", "description: T.\ntoolsets: ['toolsets/index:Tools']\n", "Use them.\n"],
    ["its script does not exist", "description: S.\nscripts: [scripts/go.sh]\n", "Run it.\n"],
  ])("if %s", async (_, front, body) => {
    const files = { [`${PLACE}/a/SKILL.md`]: `---\n${front}---\n\n${body}` };
    expect(await neglected(files)).toMatchObject([{ name: "a", why: "broken", flaws: [expect.any(String)] }]);
  });

  it("and the proposal to switch it off says why", async () => {
    const files = { [`${PLACE}/a/SKILL.md`]: skillText("Reads.", "", "Read [it](references/g.md).\n") };
    const { dreams } = await dreaming({ files });
    const [proposal] = (await dreams.run()).proposals;
    expect(proposal?.kind).toBe("disable");
    expect(JSON.stringify(proposal)).toContain("references/g.md");
  });

  it("but not for addresses, examples, places outside, or files that are there", async () => {
    const body = `Read [the guide](references/my%20guide.md#part), [a page](https://example.org/a.md), [above](../b/SKILL.md),
[here](#part) and \`references/my guide.md\`. Run \`scripts/*.sh\`.\n
\`\`\`sh\nscripts/example.sh\n\`\`\`\n\nSee \`scripts/run.sh\`, and write \`[link](references/x.md)\`.\n`;
    const files = {
      [`${PLACE}/a/SKILL.md`]: skillText("Reads.", "scripts: [run.sh]\n", body),
      [`${PLACE}/a/references/my guide.md`]: "Guide.\n",
      [`${PLACE}/a/scripts/run.sh`]: "echo\n",
    };
    expect(await neglected(files)).toEqual([]);
  });

  it("none of those that ship", async () => {
    const { dreams } = await dreaming({ values: { "sources.bundled": true } });
    expect((await dreams.report()).neglected).toEqual([]);
  });
});

describe("a skill that was never used", () => {
  const files = { [`${PLACE}/juggle/SKILL.md`]: skillText("Juggles balls.", "", "Throw three balls.\n") };
  const start = async (sessions: readonly SeedSession[], daysOld: number) => {
    const begun = await dreaming({ files, sessions, skills: [KEPT] });
    const at = (begun.clock.at - daysOld * 24 * 3_600_000) / 1000;
    utimesSync(begun.space.path(`${PLACE}/juggle/SKILL.md`), at, at);
    return begun;
  };

  it("is named after a month and ten sessions in which others were", async () => {
    const { dreams } = await start(busy(12), 40);
    const { proposals, evidence } = await dreams.run();
    expect(evidence.neglected).toMatchObject([{ name: "juggle", why: "never-used" }]);
    expect(proposals.map(({ kind, title }) => [kind, title.includes("juggle")])).toEqual([["disable", true]]);
  });

  it.each([
    ["it is new", 12, 3],
    ["there were few sessions", 4, 40],
  ])("is not named while %s", async (_, sessions, days) => {
    const { dreams } = await start(busy(sessions), days);
    expect((await dreams.report()).neglected).toEqual([]);
  });
});

describe("the undo of a switch", () => {
  it("needs no name while it is the last change, and leaves an earlier one alone", async () => {
    const files = { [`${PLACE}/hollow/SKILL.md`]: "---\nname: hollow\ndescription: Says nothing.\n---\n\n" };
    const { dreams, learned, clock } = await dreaming({ files });
    const save = (name: string) => learned.save({ name, content: `Brews ${name}.\n\n1. Boil the water.\n` });
    await save("tea");
    const { proposals } = await dreams.run();
    clock.at += 1_000;
    await dreams.accept(proposals);
    clock.at += 1_000;
    await save("coffee");
    expect((await dreams.nextUndo()).versions).toMatchObject([{ name: "coffee" }]);
    expect(await dreams.undo()).toMatchObject({ undone: [{ name: "coffee" }], settings: [] });
    expect(await dreams.nextUndo()).toMatchObject({
      versions: [],
      settings: [{ title: expect.any(String) }],
    });
    expect(await dreams.undo()).toMatchObject({ undone: [], settings: [expect.stringContaining("hollow")] });
    expect(await dreams.undo()).toMatchObject({ undone: [{ name: "tea" }], settings: [] });
  });

  const files = { [`${PLACE}/hollow/SKILL.md`]: skillText("Says nothing.", "", "\n") };

  it.each([
    ["nothing was switched", "{}\n", {}],
    ["it was switched on by name", '{ "enable": ["hollow", "other"] }\n', { enable: ["hollow", "other"] }],
    ["another was switched off", '{ "disable": ["other"] }\n', { disable: ["other"] }],
  ])("leaves the settings as they were: %s", async (_, text, before) => {
    const { dreams, space, engine } = await dreaming({ files: { ...files, [CONFIG]: text } });
    const { proposals } = await dreams.run();
    const { batch } = await dreams.accept(proposals);
    const settings = () => {
      const { $schema: _link, ...values } = JSON.parse(readFileSync(space.path(CONFIG), "utf8"));
      return values;
    };
    expect(settings().disable).toContain("hollow");
    await dreams.undo(batch);
    // A list that is empty says nothing.
    const sorted = (values: Record<string, string[]>) =>
      Object.fromEntries(
        Object.entries(values).flatMap(([key, names]) =>
          names.length > 0 ? [[key, [...names].sort()]] : [],
        ),
      );
    expect(sorted(settings())).toEqual(before);
    expect(engine.library.switchOf("hollow")).toBe(space.open().library.switchOf("hollow"));
  });
});

describe("five sessions that ask for the same in other words", () => {
  it.each([
    [
      "one of them in two words",
      [
        "convert this epub to an audiobook",
        "please convert my epub book into an audiobook",
        "audiobook from the epub file",
        "can you turn the epub into an audiobook",
        "epub audiobook!",
      ],
    ],
    [
      "one of them with one word in common",
      [
        "merge the duplicate contacts of my phone",
        "merge duplicate contacts",
        "remove the duplicates from my contacts",
        "my contacts have many duplicates, merge them",
        "the contacts are a mess with duplicates",
      ],
    ],
  ])("lead to an outline: %s", async (_, asked) => {
    const { dreams } = await dreaming({ sessions: sessionsOf(asked), skills: [KEPT] });
    const { proposals, evidence } = await dreams.run();
    expect(evidence.gaps).toMatchObject([{ sessions: { length: 5 } }]);
    expect(proposals.map(({ kind }) => kind)).toEqual(["draft"]);
  });

  it("do not take in what only shares a word", async () => {
    const asked = [
      "rotate the aws access keys",
      "our aws access keys need to be rotated",
      "time to rotate the access keys of the aws account",
      "the piano has sticky keys, clean them",
      "where did I leave my house keys",
    ];
    const { dreams } = await dreaming({ sessions: sessionsOf(asked), skills: [KEPT] });
    expect((await dreams.report()).gaps).toMatchObject([{ sessions: { length: 3 } }]);
  });
});
