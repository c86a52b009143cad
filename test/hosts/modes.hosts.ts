// The modes of `setup HOST --mode`, one after the other in one home: what the host lists by itself, what we list, and that undo
// leaves the home as it was.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOST_TABLE, type SetupHost } from "../../src/adapters/hooks/setup/hosts.ts";
import { type FakeModel, type Step, startFakeModel } from "./fake-model.ts";
import { chosenHosts, type Started } from "./hosts.ts";
import { type Place, placeWith, runHost, startedIn, writeAll } from "./run.ts";
import { HEADS, namesIn, paragraphsFrom } from "./section.ts";
import { note } from "./table.ts";
import { filesIn, isUndone } from "./undo.ts";

const MESSAGE = "please plan a meeting with the design team";
const ANSWER = "The meeting is planned.";

/** In the host's own folder, and far from the message. */
const NATIVE = { name: "water-orchids", description: "Waters orchids on the balcony." };

const skillText = ({ name, description }: { name: string; description: string }) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nSlowly.\n`;

/** The folder of each host's own skills, below the home. */
const FOLDERS: Readonly<Record<string, string>> = {
  "claude-code": ".claude/skills",
  codex: ".codex/skills",
  opencode: ".config/opencode/skills",
  gemini: ".gemini/skills",
  qwen: ".qwen/skills",
  copilot: ".copilot/skills",
  pi: ".pi/agent/skills",
};

const OURS = {
  ".repertoire/repertoire.config.json": JSON.stringify({ sources: { bundled: false } }),
  ".repertoire/skills/plan-meeting/SKILL.md": skillText({
    name: "plan-meeting",
    description: "Plans meetings. Use when people are to meet.",
  }),
};

const hosts = chosenHosts().filter(({ id }) => id in FOLDERS);

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
});
afterAll(() => model.close());

describe.each(hosts.map((host) => [host.title, host] as const))("%s", (_, host) => {
  let place: Place;
  let started: Started;
  let before: ReadonlyMap<string, string>;
  let setUp: ReadonlyMap<string, string>;
  beforeAll(() => {
    place = placeWith(OURS);
    started = startedIn(place, model, MESSAGE);
    writeAll(place.home, { [`${FOLDERS[host.id]}/${NATIVE.name}/SKILL.md`]: skillText(NATIVE) });
    writeAll(place.home, host.files?.(started) ?? {});
    before = filesIn(place.home);
  });
  afterAll(() => place.remove());

  /** What the model was sent in a mode: our two parts, and whether the host lists its skill outside of them. */
  async function seenIn(mode: string, steps: readonly Step[] = []) {
    place.repertoire("setup", host.id, "--mode", mode);
    setUp ??= filesIn(place.home);
    model.begin([...steps, { say: ANSWER }]);
    expect(await runHost(host, place, started)).toContain(ANSWER);
    const { texts, request } = model.sent[0]!;
    const catalog = paragraphsFrom(HEADS.catalog, texts.join("\n"));
    const message = paragraphsFrom(HEADS.message, texts.join("\n"));
    const times = (text: string) => text.split(NATIVE.description).length - 1;
    const listedByHost = times(request) > times(catalog) + times(message);
    return { catalog, message, listedByHost };
  }

  it("lists its own skills in the mode complement, and we do not list them again", async () => {
    const { catalog, message, listedByHost } = await seenIn("complement");
    expect(listedByHost).toBe(true);
    expect(namesIn(catalog)).not.toContain(NATIVE.name);
    expect(namesIn(message)).toEqual(["plan-meeting"]);
  });

  const replaces = HOST_TABLE[host.id as SetupHost].replaces !== undefined;

  it.skipIf(replaces)("refuses the mode replace, because its own list cannot be switched off", () => {
    expect(() => place.repertoire("setup", host.id, "--mode", "replace")).toThrow();
  });

  it.runIf(replaces)(
    "lists none of its own in the mode replace, and our catalog has them if its hook can show one",
    async () => {
      const { catalog, message, listedByHost } = await seenIn("replace");
      expect(listedByHost).toBe(false);
      if (catalog !== "") expect(namesIn(catalog)).toContain(NATIVE.name);
      expect(namesIn(message)).toEqual(["plan-meeting"]);
    },
  );

  it("lists its own again in the mode off, gets nothing of us but the tools, and is as it was after undo", async () => {
    const hasServer = host.shell === undefined;
    const recall = { call: "recall_skills", args: { message: MESSAGE } };
    expect(await seenIn("off", hasServer ? [recall] : [])).toEqual({
      catalog: "",
      message: "",
      listedByHost: true,
    });
    if (hasServer) expect(model.sent.at(-1)!.results.join("\n")).toContain("plan-meeting");
    const used = filesIn(place.home);
    place.repertoire("setup", host.id, "--undo");
    expect(isUndone({ before, setUp, used, undone: filesIn(place.home) })).toEqual([]);
    note(host.id, { modes: replaces ? "complement, replace, off" : "complement, off" });
  });
});

it.each(chosenHosts().filter(({ id }) => !(id in FOLDERS)))(
  "knows no mode in $title, which has no hook",
  ({ id }) => note(id, { modes: "none" }),
);
