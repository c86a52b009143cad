// Runs every host against the fake model and asserts what the model was sent.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readEvent } from "../../src/adapters/hooks/event.ts";
import { activateNameFor, toolNamesIn } from "../../src/adapters/tool-names.ts";
import { namedTools } from "../../src/model/agent-tool-alias.ts";
import { type FakeModel, type Step, startFakeModel } from "./fake-model.ts";
import { chosenHosts, type Host } from "./hosts.ts";
import { record } from "./recordings.ts";
import { type Place, placeWith, runHost, startedIn, writeAll } from "./run.ts";
import { HEADS, paragraphsFrom } from "./section.ts";
import { note, type Row, readTable } from "./table.ts";
import { filesIn, isUndone } from "./undo.ts";

const hosts = chosenHosts();
const records = process.env.REPERTOIRE_RECORD === "1";

const MESSAGE = "please plan a meeting with the design team";
const ANSWER = "The meeting is planned.";

/** With what JSON and XML would escape. */
const AGREED = '1. Ask "who" & <when>.\n2. Write the agenda.';
const UNAGREED = "1. Call the desk of the house.";

const SKILLS = {
  ".repertoire/repertoire.config.json": JSON.stringify({
    sources: { bundled: false },
    consent: { allow: ["plan-*"] },
  }),
  ".repertoire/skills/plan-meeting/SKILL.md": `---\nname: plan-meeting\ndescription: Plans meetings. Use when people are to meet.\n---\n\n${AGREED}\n`,
  ".repertoire/skills/book-room/SKILL.md": `---\nname: book-room\ndescription: Books a room in the house. Use when a meeting needs a place.\n---\n\n${UNAGREED}\n`,
};

/** What a model could run to agree by itself. */
const COMMAND = /`|--yes|--digest|repertoire (?:activate|trust)/;

/** A model that follows the hint: recalls, loads what was agreed to, then what was not. */
function stepsOf({ id, shell }: Host): readonly Step[] {
  const load = (name: string): Step =>
    shell === undefined
      ? { call: activateNameFor(id) ?? "activate_skill", args: { name } }
      : { call: shell, args: { command: `repertoire activate ${name}` } };
  const recall: Step = { call: "recall_skills", args: { message: MESSAGE } };
  return [...(shell === undefined ? [recall] : []), load("plan-meeting"), load("book-room"), { say: ANSWER }];
}

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
});
afterAll(() => model.close());

describe.each(hosts.map((host) => [host.title, host] as const))("%s", (_, host) => {
  let place: Place;
  let output: string;
  let before: ReadonlyMap<string, string>;
  let setUp: ReadonlyMap<string, string>;
  const known = () => readTable().find(({ host: id }) => id === host.id);

  beforeAll(async () => {
    place = placeWith(SKILLS);
    note(host.id, { title: host.title, version: host.version });
    const started = startedIn(place, model, MESSAGE);
    writeAll(place.home, host.files?.(started) ?? {});
    before = filesIn(place.home);
    place.repertoire("setup", host.id);
    setUp = filesIn(place.home);
    model.begin(stepsOf(host));
    output = await runHost(host, place, started);
    if (records) record(host, place);
  });
  afterAll(() => place.remove());

  const texts = () => model.sent[0]!.texts.join("\n");
  const results = () => model.sent.at(-1)!.results;
  const count = (text: string) => texts().split(text).length - 1;
  const name = toolNamesIn(host.id, namedTools()).activate!;

  it("talks to the model to the end", () => {
    expect(output).toContain(ANSWER);
  });

  it("shows the model each part of the section at most once, with a tool that it has", () => {
    const heads = Object.values(HEADS);
    const counts = heads.map(count);
    expect(Math.max(...counts)).toBeLessThanOrEqual(1);
    const section = counts.includes(1) ? "once" : "not at all";
    const parts = heads.map((head) => paragraphsFrom(head, texts())).filter((part) => part !== "");
    if (counts.includes(1)) expect(texts()).toContain(name);
    expect(section).toBe(known()?.section ?? section);
    note(host.id, { section, tools: name, seen: parts.join("\n\n") });
  });

  it("gives the model what was agreed to as text, and no second copy of it", () => {
    const given = results().filter((text) => text.includes("Write the agenda."));
    expect(given).toHaveLength(1);
    expect(plain(given[0]!)).toContain(AGREED);
    expect(given[0]!.split("Write the agenda.")).toHaveLength(2);
  });

  it("hands over nothing that nobody agreed to, and names no command with which to agree", () => {
    expect(results().join("\n")).not.toContain(UNAGREED);
    const refused = results().at(-1)!;
    expect(plain(refused)).toContain("a person's consent");
    expect(refused).not.toMatch(COMMAND);
    note(host.id, { consent: "refused" });
  });

  it("writes one session from its hook and its MCP server", () => {
    const { sessions } = JSON.parse(place.repertoire("sessions", "--json")) as {
      sessions: { session: string; skills: string[] }[];
    };
    const [heard] = place.hookInputs();
    const by = sessions.find(({ skills }) => skills.includes("plan-meeting"))?.session;
    const isJoined = heard !== undefined && by === readEvent(heard).session;
    const joined: Row["joined"] =
      host.shell !== undefined ? "no server" : heard === undefined ? "no hook" : isJoined ? "yes" : "no";
    expect(joined).toBe(known()?.joined ?? joined);
    note(host.id, { joined });
  });

  it("is as it was after undo, but for what the host wrote itself", () => {
    const used = filesIn(place.home);
    place.repertoire("setup", host.id, "--undo");
    expect(isUndone({ before, setUp, used, undone: filesIn(place.home) })).toEqual([]);
    note(host.id, { undo: "exact" });
  });
});

/** Some hosts pass an answer on as JSON: then the text is in it, once. */
function plain(result: string): string {
  return result.includes('\\"') ? result.replace(/\\n/g, "\n").replace(/\\(.)/g, "$1") : result;
}
