// Consent in a host's terminal: a skill that nobody has agreed to brings one question, Allow loads it, Deny does not.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import { chosenHosts } from "./hosts.ts";
import { type Place, placeWith, writeAll } from "./run.ts";
import { HAS_TERMINAL, openTerminal, type Terminal } from "./terminal.ts";

const MESSAGE = "please plan a meeting with the design team";
const ANSWER = "That was all.";
const BODY = "1. Write the agenda.";
const QUESTION = /Activate the skill plan-meeting\?/;

const SKILLS = {
  ".repertoire/repertoire.config.json": JSON.stringify({ sources: { bundled: false } }),
  ".repertoire/skills/plan-meeting/SKILL.md": `---\nname: plan-meeting\ndescription: Plans meetings. Use when people are to meet.\n---\n\n${BODY}\n`,
};

const codex = chosenHosts().find(({ id }) => id === "codex");

/** What a person has told Codex before: the project is trusted, the model stays. */
const answered = ({ project }: Place) =>
  `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n[notice.model_migrations]\n"gpt-5.5" = "gpt-6-sol"\n`;

describe.skipIf(codex === undefined || !HAS_TERMINAL)("Codex in a terminal", () => {
  let model: FakeModel;
  let place: Place;
  let terminal: Terminal;

  beforeEach(async () => {
    model = await startFakeModel();
    place = placeWith(SKILLS);
    const started = { message: MESSAGE, model: model.url, home: place.home };
    const files = Object.entries(codex!.files!(started));
    writeAll(place.home, Object.fromEntries(files.map(([path, text]) => [path, text + answered(place)])));
    place.repertoire("setup", "codex");
    // Found by the name that our hint says: Codex lists no tool of a server before it was searched for.
    model.begin([{ call: "activate_skill", args: { name: "plan-meeting" } }, { say: ANSWER }]);
    terminal = openTerminal(codex!, place, { args: ["--dangerously-bypass-hook-trust", MESSAGE], started });
  });
  afterEach(async () => {
    terminal.close();
    await model.close();
    place.remove();
  });

  it.each([
    ["Allow", ["Enter"], true],
    ["Deny", ["Down", "Enter"], false],
  ])("asks one question, and follows %s", async (_, keys, isLoaded) => {
    await terminal.shows(QUESTION);
    terminal.press(...keys);
    // A second question would stand before the answer.
    expect(await terminal.shows(new RegExp(ANSWER))).not.toMatch(QUESTION);
    expect(model.sent.at(-1)!.results.at(-1)!.includes(BODY)).toBe(isLoaded);
  });
});
