// Replays what real hosts sent to their hooks, and checks the answer that each of them reads. `npm run test:hosts -- --record`
// writes the recordings.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolNamesIn } from "../../src/adapters/tool-names.ts";
import { namedTools } from "../../src/model/agent-tool-alias.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const FOLDER = "test/fixtures/hooks";
const program = hostsProgram();

function workspace(host: string) {
  const home = temporaryTree({
    ".repertoire/repertoire.config.json": '{"sources": {"bundled": false}}',
    ".repertoire/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
    ".repertoire/skills/bake-bread/SKILL.md": skillText("Bakes sourdough bread."),
    "p/x": "",
  });
  const input = (event: string) =>
    readFileSync(join(FOLDER, host, `${event}.json`), "utf8")
      .replaceAll("PROJECT", join(home, "p"))
      .replaceAll("HOME", home);
  const send = (event: string) => program.run(["hook", host], { home, input: input(event) });
  return { home, input, send };
}

/** What the host adds to its prompt, by the key that it reads. */
function added(host: string, out: string): unknown {
  const answer = JSON.parse(out);
  return host === "copilot" ? answer.additionalContext : answer.hookSpecificOutput.additionalContext;
}

describe.each(readdirSync(FOLDER))("%s", (host) => {
  it("gets the skill that fits the recorded message, with the tool as it names it, once", async () => {
    const { send } = workspace(host);
    const { activate } = toolNamesIn(host, namedTools());
    const { code, out, err } = await send("message");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(added(host, out)).toBe(
      `Skills that fit this message. Before work that one of them covers, load it with ${activate} and follow what that returns:\n- plan-meeting: Plans meetings. Use when people are to meet.`,
    );
    expect((await send("message")).out).toBe("");
  });

  it.skipIf(!existsSync(join(FOLDER, host, "session-start.json")))(
    "gets the catalog when the recorded session begins",
    async () => {
      const { send } = workspace(host);
      expect(added(host, (await send("session-start")).out)).toContain(
        "- bake-bread: Bakes sourdough bread.",
      );
    },
  );

  it.skipIf(!existsSync(join(FOLDER, host, "stop.json")))("has its recorded answer kept", async () => {
    const { home, input, send } = workspace(host);
    await send("message");
    expect(await send("stop")).toEqual({ code: 0, out: "", err: "" });
    const folder = join(home, ".repertoire/inbox");
    const lines = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
    expect(existsSync(join(home, ".repertoire/logs/hook.log"))).toBe(false);
    const answer = "The meeting is planned.";
    // Not every host says what was answered.
    expect(lines.join("\n").includes(answer)).toBe(input("stop").includes(answer));
  });
});
