// The chat in a real terminal, against a scripted model on loopback.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/store.ts";
import { type Answer, piece, scriptedModel, startStream } from "../scripted-model.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";
import { HAS_TMUX, openPane } from "./tmux.ts";

const program = hostsProgram();
const MESSAGE = "please plan the meeting with the team";

function tree(endpoint: string) {
  const model = { kind: "openai-compatible", endpoint, name: "small", retries: 0 };
  return temporaryTree({
    ".repertoire/repertoire.config.json": JSON.stringify({ sources: { bundled: false }, model }),
    "p/.agents/skills/plan-meeting/SKILL.md": skillText(
      "Plans meetings. Use when people are to meet.",
      "name: plan-meeting\n",
      "# Plan\n\nAsk who comes.\n",
    ),
    "p/.agents/skills/plan-meeting/scripts/when.sh": "echo monday\n",
    "p/.agents/skills/write-letter/SKILL.md": skillText("Writes letters.", "name: write-letter\n"),
  });
}

async function start(script: readonly Answer[]) {
  const model = await scriptedModel(script);
  const home = tree(model.endpoint);
  const command = [process.execPath, program.bin, "--dir", join(home, "p"), "--home", home, "chat"];
  const pane = openPane(command, { NO_COLOR: "1" });
  await pane.see(/2 skills; openai-compatible\/small[\s\S]*\n> ?$/);
  const say = (text: string) => {
    pane.type(text);
    pane.press("Enter");
  };
  return { pane, say, home, asked: model.asked };
}

describe.skipIf(!HAS_TMUX)(`the chat in a terminal${HAS_TMUX ? "" : ": tmux is not installed"}`, () => {
  it("recalls, streams, asks consent for a tool call, takes an outcome, completes and leaves", async () => {
    const { pane, say, home, asked } = await start([
      { say: "Let me look. ", call: [["activate_skill", { name: "plan-meeting" }]] },
      { say: "On Monday,\u001b[2J\u001b]0;owned\u0007 then." },
    ]);
    say(MESSAGE);
    const sheet = await pane.see("plan-meeting? [y/N]");
    expect(sheet).toMatch(/\d\.\d\d plan-meeting {2}\S+: /);
    expect(sheet).toContain('→ activate_skill {"name":"plan-meeting"}');
    expect(sheet).toContain("scripts/when.sh");
    expect(sheet.indexOf("→ activate_skill")).toBeLessThan(sheet.indexOf("Activate plan-meeting?"));
    say("y");
    const answered = await pane.see(/On Monday,\\u\{1b\}\[2J\\u\{1b\}\]0;owned\\u\{7\} then\.\n> ?$/);
    expect(answered).toContain("Let me look.");
    expect(JSON.stringify(asked[1]?.body.messages)).toContain("Ask who comes.");
    say("/good it was quick");
    await pane.see(/\n[^>\n]*plan-meeting\.\n/);
    pane.type("/wri");
    pane.press("Tab");
    await pane.see("> /write_letter");
    pane.press("C-u");
    pane.type("/why plan");
    pane.press("Tab");
    await pane.see("> /why plan-meeting");
    pane.press("Enter");
    await pane.see(/plan-meeting: .*\(.*\d\.\d\d\)/);
    say("/quit");
    await pane.ended();
    const store = sqliteStore({ directory: join(home, ".repertoire"), clock: { now: () => new Date() } });
    expect(await store.journal.query({ kinds: ["outcome"] })).toMatchObject([
      { skill: "plan-meeting", details: { result: "success", note: "it was quick" } },
    ]);
    expect(await store.tasks.list()).toEqual([]);
    store.close();
  });

  it("asks for one skill after the other, and the model goes on without the one that was refused", async () => {
    const { pane, say, asked } = await start([
      {
        call: [
          ["activate_skill", { name: "plan-meeting" }],
          ["activate_skill", { name: "write-letter" }],
        ],
      },
      { say: "With the letter alone." },
    ]);
    say(MESSAGE);
    const first = await pane.see(/\S+\? \[y\/N\]/);
    const [, name = ""] = /(\S+)\? \[y\/N\]/.exec(first) ?? [];
    const other = name === "plan-meeting" ? "write-letter" : "plan-meeting";
    expect(first).not.toContain(`${other}? [y/N]`);
    say(name === "plan-meeting" ? "n" : "y");
    await pane.see(`${other}? [y/N]`);
    say(other === "plan-meeting" ? "n" : "y");
    await pane.see("With the letter alone.");
    const told = JSON.stringify(asked[1]?.body.messages);
    expect(told).toContain('\\"plan-meeting\\"');
    expect(told).not.toContain("# Skill: plan-meeting");
    expect(told).toContain("# Skill: write-letter");
    pane.press("Up");
    await pane.see(new RegExp(`alone\\.\\n> ${MESSAGE}$`));
  });

  it("stops an answer with the first Ctrl-C and leaves with the second", async () => {
    const { pane, say } = await start([
      (response) => {
        startStream(response);
        response.write(piece({ content: "It takes long" }));
      },
      { say: "I am still here." },
    ]);
    say(MESSAGE);
    await pane.see("It takes long");
    pane.press("C-c");
    await pane.see(/It takes long\n\(stopped\)\n> ?$/);
    say("are you there?");
    await pane.see("I am still here.");
    pane.type("half a line");
    pane.press("C-c");
    await pane.see(/here\.\n> ?$/);
    pane.press("C-c");
    await pane.ended();
  });

  it("a Ctrl-C at the question of consent is a no, and what was typed before it is no answer", async () => {
    let goOn: () => void = () => {};
    const { pane, say, asked } = await start([
      (response) => {
        startStream(response);
        response.write(piece({ content: "Wait" }));
        goOn = () => {
          const call = {
            index: 0,
            id: "c",
            function: { name: "activate_skill", arguments: '{"name":"plan-meeting"}' },
          };
          response.write(piece({ tool_calls: [call] }));
          response.end(`${piece({}, "tool_calls")}data: [DONE]\n\n`);
        };
      },
      { say: "never" },
    ]);
    say(MESSAGE);
    await pane.see("Wait");
    say("y");
    // The keys are in the terminal once tmux answers the next question.
    pane.screen();
    goOn();
    await pane.see("plan-meeting? [y/N]");
    pane.press("C-c");
    await pane.see("(stopped)");
    expect(asked).toHaveLength(1);
    say("/session");
    expect(await pane.see(/\nactivated +\S.*\n/)).not.toMatch(/activated .*plan-meeting/);
  });

  it("takes a pasted text of several lines, and lines that end with a backslash, as one message", async () => {
    const { pane, say, asked } = await start([{ say: "Read." }, { say: "Read again." }]);
    pane.paste("first line\nsecond line\nthird");
    await pane.see("third");
    say(" and more");
    await pane.see("Read.");
    say("one \\");
    say("two");
    await pane.see("Read again.");
    const said = asked.map(({ body }) => body.messages.at(-1)?.content);
    expect(said).toEqual(["first line\nsecond line\nthird and more", "one \ntwo"]);
  });

  it("an unknown command says what there is, and a failing model leaves the conversation alive", async () => {
    const { pane, say } = await start([]);
    say("/wrote");
    await pane.see(/"\/wrote".*\/why, \/write_letter/);
    say(MESSAGE);
    await pane.see(/error .*openai-compatible\/small/);
    say("/recall plan a meeting");
    await pane.see(/\d\.\d{3} plan-meeting\n/);
  });
});
