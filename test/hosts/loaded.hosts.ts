// A skill that the host has loaded by itself, because its model called the host's own tool or the person typed its name, is not
// recommended later in the session.

import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FakeModel, type Step, startFakeModel } from "./fake-model.ts";
import { chosenHosts } from "./hosts.ts";
import { type Place, placeWith, runHost, startedIn, writeAll } from "./run.ts";
import { HEADS, namesIn, paragraphsFrom } from "./section.ts";
import { note } from "./table.ts";

const NAME = "water-orchids";
const FITTING = "please water the orchids on the balcony";
const ANSWER = "They are fine.";

interface Way {
  readonly folder: string;
  /** The host's own tool that loads a skill. */
  readonly tool?: Extract<Step, { call: string }> | undefined;
  /** The flags that let the host use its tool with nobody there. */
  readonly flags?: readonly string[] | undefined;
  /** What a person types to load it. */
  readonly typed?: string | undefined;
}

const WAYS: Readonly<Record<string, Way>> = {
  "claude-code": {
    folder: ".claude/skills",
    tool: { call: "Skill", args: { skill: NAME } },
    typed: `/${NAME}`,
  },
  codex: { folder: ".codex/skills", typed: `$${NAME}` },
  opencode: { folder: ".config/opencode/skills", tool: { call: "skill", args: { name: NAME } } },
  pi: { folder: ".pi/agent/skills", typed: `/skill:${NAME}` },
  gemini: {
    folder: ".gemini/skills",
    tool: { call: "activate_skill", args: { name: NAME } },
    flags: ["--yolo"],
  },
  qwen: {
    folder: ".qwen/skills",
    tool: { call: "skill", args: { skill: NAME } },
    flags: ["--yolo"],
    typed: `/${NAME}`,
  },
  copilot: { folder: ".copilot/skills", tool: { call: "skill", args: { skill: NAME } }, typed: `/${NAME}` },
};

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  return () => model.close();
});

const hosts = chosenHosts().flatMap((host) => {
  const way = WAYS[host.id];
  return way === undefined || host.goesOn === undefined ? [] : [[host.title, host, way] as const];
});

describe.each(hosts)("%s", (_, host, { folder, tool, typed, flags = [] }) => {
  let place: Place;
  afterEach(() => place.remove());

  /** The skills that are recommended for a fitting message, after another one in the same session. */
  async function recommendedAfter(first: string, steps: readonly Step[]): Promise<string[]> {
    place = placeWith({
      ".repertoire/repertoire.config.json": JSON.stringify({ sources: { bundled: false } }),
      [`${folder}/${NAME}/SKILL.md`]: `---\nname: ${NAME}\ndescription: Waters orchids on the balcony.\n---\n\nSlowly.\n`,
    });
    const [before, then] = [first, FITTING].map((message) => startedIn(place, model, message));
    writeAll(place.home, host.files?.(before!) ?? {});
    place.repertoire("setup", host.id);
    model.begin([...steps, { say: ANSWER }]);
    await runHost(host, place, before!, [...flags, ...host.args(before!)]);
    model.begin([{ say: ANSWER }]);
    expect(await runHost(host, place, then!, host.goesOn!(then!))).toContain(ANSWER);
    // The session still has its first message, so the last section is that of the second one.
    const texts = model.sent[0]!.texts.join("\n");
    return namesIn(paragraphsFrom(HEADS.message, texts.slice(texts.lastIndexOf(FITTING) - 5_000)));
  }

  it("recommends a skill that was not loaded", async () => {
    expect(await recommendedAfter("hello there", [])).toContain(NAME);
  });

  it.skipIf(tool === undefined)("does not recommend what its own tool has loaded", async () => {
    expect(await recommendedAfter("hello there", [tool!])).not.toContain(NAME);
    note(host.id, { loaded: typed === undefined ? "by tool" : "by tool, typed" });
  });

  it.skipIf(typed === undefined)(
    "does not recommend what the person has loaded by typing its name",
    async () => {
      expect(await recommendedAfter(`${typed} now`, [])).not.toContain(NAME);
      note(host.id, { loaded: tool === undefined ? "typed" : "by tool, typed" });
    },
  );
});

it.each(chosenHosts().filter(({ id }) => !(id in WAYS)))(
  "hears nothing from $title, which has no hook",
  ({ id }) => note(id, { loaded: "no hook" }),
);
