import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Answer, scriptedModel } from "../../../test/scripted-model.ts";
import { skillText, temporaryTree } from "../../../test/skill-tree.ts";
import { openRepertoire } from "../../engine/engine.ts";
import { Io } from "../cli/io.ts";
import { openAgent } from "./agent.ts";
import { Conversation } from "./chat.ts";
import { COMMANDS } from "./commands.ts";

const SKILLS = "p/.agents/skills";
const FILES = {
  [`${SKILLS}/plan-meeting/SKILL.md`]: skillText("Plans meetings.", "", "Ask who comes.\n"),
  [`${SKILLS}/write-letter/SKILL.md`]: skillText(
    "Writes letters.",
    "argument-hint: '[to]'\n",
    "Write to $ARGUMENTS.\n",
  ),
  [`${SKILLS}/secret-plan/SKILL.md`]: skillText(
    "For me.",
    "disable-model-invocation: true\n",
    "Be secret.\n",
  ),
  [`${SKILLS}/learn/SKILL.md`]: skillText("Covered by the command of this name."),
};

const TEA = "Brews tea.\n\n1. Boil water.\n";

async function conversation(
  script: readonly Answer[] = [],
  { values = {}, json = false }: { values?: Record<string, unknown>; json?: boolean } = {},
) {
  const root = temporaryTree(FILES);
  const { endpoint, asked } = await scriptedModel(script);
  const model = { "model.kind": "openai-compatible", "model.endpoint": endpoint, "model.name": "small" };
  const engine = openRepertoire({
    dir: join(root, "p"),
    home: join(root, "home"),
    env: { PATH: process.env.PATH },
    values: {
      "sources.bundled": false,
      cache: false,
      "consent.allow": ["*"],
      ...model,
      "model.retries": 0,
      ...values,
    },
  });
  onTestFinished(() => engine.close());
  const agent = await openAgent(engine, { session: "s", task: "t" });
  let screen = "";
  const write = (text: string) => {
    screen += text;
  };
  const io = new Io({ out: write, err: write, terminal: false, width: 200 }, json);
  const talk = new Conversation(agent, io, { showPrompt: false });
  const say = async (typed: string) => {
    screen = "";
    const goesOn = await talk.take(typed, new AbortController().signal);
    return { screen, goesOn };
  };
  /** What `--json` prints for the typed text. */
  const told = async (typed: string) => JSON.parse((await say(typed)).screen);
  return { say, told, talk, agent, asked, journal: engine.journal };
}

const lastSaid = (asked: Awaited<ReturnType<typeof conversation>>["asked"]) =>
  asked.at(-1)?.body.messages.at(-1)?.content;

describe("a skill as a slash command", () => {
  it("is sent to the model in place of what was typed, and counts for the turn", async () => {
    const { say, asked, journal } = await conversation([{ say: "Dear Ada." }]);
    expect((await say("/write_letter Ada Lovelace")).screen).toContain("Dear Ada.");
    expect(lastSaid(asked)).toBe("Write to Ada Lovelace.");
    expect((await say("/good")).screen).toContain("write-letter");
    expect(await journal.statsOf("write-letter")).toMatchObject({ activated: 1, succeeded: 1 });
  });

  it("reaches what only the person may invoke", async () => {
    const { say, asked } = await conversation([{ say: "Psst." }]);
    await say("/secret-plan");
    expect(lastSaid(asked)).toBe("Be secret.");
  });

  it("begins no turn and lists the commands if it does not exist", async () => {
    const { told, agent, asked } = await conversation([], { json: true });
    expect(await told("/wrote")).toMatchObject({
      code: "slash-unknown",
      message: expect.stringMatching(/"\/wrote".*\/why, \/write_letter/),
    });
    expect((await agent.parts.engine.journal.session("s")).turn).toBe(0);
    expect(asked).toHaveLength(0);
  });
});

describe("/use", () => {
  it("activates now, and its instructions go along with the next message, once", async () => {
    const { say, asked } = await conversation([{ say: "Who?" }, { say: "Fine." }]);
    expect((await say("/use plan-meeting")).screen).toContain("plan-meeting");
    await say("tomorrow");
    expect(lastSaid(asked)).toMatch(/Ask who comes\.[\s\S]*\n\ntomorrow$/);
    await say("and then?");
    expect(lastSaid(asked)).toBe("and then?");
  });

  it("keeps the instructions for the next message when the model fails", async () => {
    const { say, asked } = await conversation([
      (response) => void response.writeHead(500).end(),
      { say: "Fine." },
    ]);
    await say("/use plan-meeting");
    await say("tomorrow");
    await say("tomorrow, I said");
    expect(lastSaid(asked)).toMatch(/Ask who comes\.[\s\S]*\n\ntomorrow, I said$/);
  });

  it("reports a missing or unknown skill, and the conversation continues", async () => {
    const { say, told } = await conversation([], { json: true });
    expect(await told("/use nothing")).toMatchObject({ type: "error", code: "skill-not-found" });
    expect(await told("/use")).toMatchObject({ type: "error", code: "usage" });
    expect((await say("/use")).goesOn).toBe(true);
  });
});

describe("an outcome", () => {
  it("needs a skill that was activated in the turn", async () => {
    const { say, told } = await conversation([{ say: "Hi." }], { json: true });
    await say("hello");
    expect(await told("/bad it was wrong")).toMatchObject({ data: { outcome: "failure", skills: [] } });
  });

  it("reported by the person replaces the model's", async () => {
    const { say, journal } = await conversation([
      { call: [["activate_skill", { name: "plan-meeting" }]] },
      { call: [["report_outcome", { outcome: "success" }]] },
      { say: "Done." },
    ]);
    await say("plan the meeting");
    expect((await say("/bad nobody came")).screen).toContain("plan-meeting");
    expect(await journal.statsOf("plan-meeting")).toMatchObject({ succeeded: 0, failed: 1 });
  });
});

describe("the other commands", () => {
  it("/learn gives the model its task, and what it saves is a skill", async () => {
    const { say, agent, asked, talk } = await conversation([
      { call: [["save_skill", { name: "brew-tea", content: TEA, summary: "Brews tea." }]] },
      { say: "Saved." },
    ]);
    await say("/learn how we made tea");
    expect((await agent.parts.engine.journal.session("s")).turn).toBe(0);
    expect(asked[0]?.body.messages.at(-1)?.content).toMatch(/save_skill[\s\S]*: how we made tea$/);
    expect((await say("/skills tea")).screen).toContain("brew-tea");
    expect(await talk.complete("/brew")).toEqual(["/brew_tea "]);
  });

  it("/recall, /why, /skills and /session do not begin a turn", async () => {
    const { say, asked } = await conversation([{ say: "Fine." }]);
    await say("plan the meeting");
    expect((await say("/recall write a letter")).screen).toMatch(/^\d\.\d{3} write-letter\n/);
    expect((await say("/why plan-meeting")).screen).toMatch(/^plan-meeting: .*\d\.\d\d/);
    expect((await say("/skills")).screen).not.toContain("secret-plan");
    expect((await say("/session")).screen).toMatch(/turns +1\n/);
    expect(asked).toHaveLength(1);
  });

  it("/clear forgets the conversation and what was shown", async () => {
    const { say, asked } = await conversation([{ say: "One." }, { say: "Two." }]);
    await say("plan the meeting");
    await say("/clear");
    expect((await say("plan the meeting")).screen).toContain("plan-meeting");
    expect(asked[1]?.body.messages).toHaveLength(2);
  });

  it("/model names the model, and switches to another one of the same server", async () => {
    const { say, asked } = await conversation([{ say: "Hi." }]);
    expect((await say("/model large")).screen).toMatch(/^openai-compatible\/large .*http:/);
    await say("hello");
    expect(asked[0]?.body.model).toBe("large");
  });

  it("/dream and /proposals work by rules without a model", async () => {
    const { told } = await conversation([], { values: { "model.kind": "none" }, json: true });
    expect(await told("/dream")).toMatchObject({ data: { thinking: "rules", proposals: [] } });
    expect(await told("/proposals")).toMatchObject({ data: { proposals: [] } });
    expect(await told("/proposals accept")).toMatchObject({ type: "error", code: "usage" });
    expect(await told("/learn")).toMatchObject({ type: "error", code: "model-none" });
  });

  it("/help names every command, and /quit leaves", async () => {
    const { say } = await conversation();
    const { screen } = await say("/help");
    for (const { name } of COMMANDS) expect(screen).toContain(`/${name}`);
    expect(screen).toContain("/write_letter [to]");
    expect((await say("/quit")).goesOn).toBe(false);
  });
});

describe("completion", () => {
  it("completes commands, skills and the arguments of a command", async () => {
    const { talk } = await conversation();
    expect(await talk.complete("/s")).toEqual(["/skills ", "/session ", "/secret_plan "]);
    expect(await talk.complete("/l")).toEqual(["/learn "]);
    expect(await talk.complete("/use w")).toEqual(["/use write-letter"]);
    expect(await talk.complete("/proposals a")).toEqual(["/proposals accept "]);
    expect(await talk.complete("hello")).toEqual([]);
  });

  it("completes a skill in the form that was typed", async () => {
    const { talk } = await conversation();
    expect(await talk.complete("/secret_p")).toEqual(["/secret_plan "]);
    expect(await talk.complete("/secret-p")).toEqual(["/secret-plan "]);
    expect(await talk.complete("/SECRET-P")).toEqual(["/secret-plan "]);
  });
});
