// Consent in a host's terminal: a skill that nobody has agreed to brings one question, yes loads it, no does not. A host that
// cannot ask in our name brings no question, and the skill is refused.

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { activateNameFor } from "../../src/adapters/tool-names.ts";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import { chosenHosts } from "./hosts.ts";
import { type Place, placeWith, startedIn, writeAll } from "./run.ts";
import { note } from "./table.ts";
import { HAS_TERMINAL, openTerminal, type Terminal } from "./terminal.ts";

const MESSAGE = "please plan a meeting with the design team";
const ANSWER = /That was all\./;
const BODY = "1. Write the agenda.";
const QUESTION = /Activate the skill plan-meeting\?/;

const SKILLS = {
  ".repertoire/repertoire.config.json": JSON.stringify({ sources: { bundled: false } }),
  ".repertoire/skills/plan-meeting/SKILL.md": `---\nname: plan-meeting\ndescription: Plans meetings. Use when people are to meet.\n---\n\n${BODY}\n`,
};

/** How often a message is typed in a host that asks its model before its servers have started. */
const TRIES = 12;
const TRY_MS = 10_000;

/** The keys that answer the question, in the hosts that can ask one: the others do not offer it to an MCP server. */
const KEYS: Readonly<Record<string, { readonly yes: readonly string[]; readonly no: readonly string[] }>> = {
  "claude-code": { yes: ["Enter"], no: ["Down", "Enter"] },
  codex: { yes: ["Enter"], no: ["Down", "Enter"] },
  copilot: { yes: ["Enter"], no: ["C-d"] },
};

const hosts = chosenHosts().filter(({ atTerminal }) => atTerminal !== undefined);

describe.skipIf(!HAS_TERMINAL).each(hosts.map((host) => [host.title, host] as const))(
  "%s in a terminal",
  (_, host) => {
    let model: FakeModel;
    let place: Place;
    let terminal: Terminal;

    beforeEach(async () => {
      model = await startFakeModel();
      place = placeWith(SKILLS);
      const started = startedIn(place, model, MESSAGE);
      writeAll(place.home, host.files?.(started) ?? {});
      place.repertoire("setup", host.id);
      // Found by the name that our hint says: some list no tool of a server before it was searched for.
      const call = activateNameFor(host.id) ?? "activate_skill";
      model.begin([{ call, args: { name: "plan-meeting" } }, { say: "That was all." }]);
      terminal = openTerminal(host, place, { args: host.atTerminal!(started), started });
      if (host.typesAfter === undefined) return;
      await terminal.shows(host.typesAfter);
      const hasTool = () => model.sent.at(-1)?.tools.some((tool) => tool.endsWith(call));
      for (let tries = 0; tries < TRIES && !hasTool(); tries++) {
        await terminal.press(MESSAGE, "Enter");
        await delay(TRY_MS);
      }
      if (host.ownQuestion === undefined) return;
      await terminal.shows(host.ownQuestion.shows);
      await terminal.press(host.ownQuestion.yes);
    });
    afterEach(async () => {
      await terminal.close();
      await model.close();
      place.remove();
    });

    const result = () => model.sent.at(-1)!.results.at(-1)!;
    const keys = KEYS[host.id];

    it.skipIf(keys === undefined).each([
      ["yes", true],
      ["no", false],
    ] as const)("asks one question, and follows %s", async (said, isLoaded) => {
      // A question of the host's own would be in front of ours.
      await terminal.shows(QUESTION);
      await terminal.press(...keys![said]);
      // A second question would be in front of the answer.
      expect(await terminal.shows(ANSWER)).not.toMatch(QUESTION);
      expect(result().includes(BODY)).toBe(isLoaded);
      note(host.id, { terminal: "one question" });
    });

    it.skipIf(keys !== undefined)("asks nothing and refuses, because it cannot ask", async () => {
      expect(await terminal.shows(ANSWER)).not.toMatch(QUESTION);
      expect(result()).not.toContain(BODY);
      expect(result()).toContain("a person's consent");
      note(host.id, { terminal: "cannot ask" });
    });
  },
);

it.each(chosenHosts().filter(({ shell }) => shell !== undefined))(
  "has no server of ours in $title, which could ask",
  ({ id }) => note(id, { terminal: "no server" }),
);
