// Hooks as hosts run them: a new process for each event, recorded JSON on standard input.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOOK_HOSTS } from "../../src/adapters/hooks/event.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();
const RECORDED = ["claude-code", "codex"] as const;
const LOADS_WITH = { "claude-code": "mcp__repertoire__activate_skill", codex: "activate_skill" };

function workspace() {
  const home = temporaryTree({
    ".repertoire/repertoire.config.json": '{"sources": {"bundled": false}}',
    "p/.agents/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
    "p/.agents/skills/bake-bread/SKILL.md": skillText("Bakes sourdough bread."),
  });
  const send = (host: string, input: string, ...flags: string[]) =>
    program.run(["hook", host, ...flags], { home, input });
  const event = (host: string, name: string, more: Record<string, unknown> = {}) => {
    const text = readFileSync(`test/fixtures/hooks/${host}/${name}.json`, "utf8");
    return JSON.stringify({ ...JSON.parse(text.replace("PROJECT", join(home, "p"))), ...more });
  };
  const inbox = () => {
    const folder = join(home, ".repertoire/inbox");
    const text = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
    const lines = text.join("\n").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  };
  const log = () => readFileSync(join(home, ".repertoire/logs/hook.log"), "utf8");
  return { home, send, event, inbox, log };
}

describe.each(RECORDED)("the hook of %s", (host) => {
  it("answers a recorded message with exactly the skill that fits", async () => {
    const { send, event } = workspace();
    const { code, out, err } = await send(host, event(host, "message"));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toEqual({
      hookSpecificOutput: {
        hookEventName: "UserPromptSubmit",
        additionalContext: `Skills that fit this message. Before work that one of them covers, load it with ${LOADS_WITH[host]} and follow what that returns:\n- plan-meeting: Plans meetings. Use when people are to meet.`,
      },
    });
  });

  it("says nothing when nothing matches", async () => {
    const { send, event } = workspace();
    const ended = await send(host, event(host, "message", { prompt: "thanks, you are welcome" }));
    expect(ended).toEqual({ code: 0, out: "", err: "" });
  });

  it("does not repeat what the session has seen, and shows it to another session", async () => {
    const { send, event } = workspace();
    await send(host, event(host, "message"));
    const later = { prompt: "now plan another meeting", turn_id: "turn-2" };
    expect((await send(host, event(host, "message", later))).out).toBe("");
    expect((await send(host, event(host, "message", { session_id: "other" }))).out).toContain("plan-meeting");
  });

  it("injects once when two hooks of one message run at the same time", async () => {
    const { send, event, inbox } = workspace();
    await send(host, event(host, "message", { session_id: "builds the index" }));
    const both = await Promise.all([1, 2].map(() => send(host, event(host, "message"))));
    expect(both.filter(({ out }) => out !== "")).toHaveLength(1);
    const session = JSON.parse(event(host, "message")).session_id;
    const shown = inbox().filter((line) => line.event?.kind === "shown" && line.event.session === session);
    expect(shown).toHaveLength(1);
  });

  it("records the turn: what was said, what was shown by which host, and the answer", async () => {
    const { send, event, inbox } = workspace();
    await send(host, event(host, "message"));
    expect((await send(host, event(host, "stop"))).out).toBe("");
    const lines = inbox();
    expect(lines.flatMap(({ said }) => (said ? [[said.role, said.turn, said.text]] : []))).toEqual([
      ["user", 1, "please plan a meeting with the design team"],
      ["assistant", 1, "The meeting is planned."],
    ]);
    const shown = lines.find((line) => line.event?.kind === "shown").event;
    expect(shown).toMatchObject({ host, turn: 1, skill: "plan-meeting", details: { level: "full" } });
  });

  it("gives a new session the catalog, and a resumed one nothing", async () => {
    const { home, send, event } = workspace();
    const { out } = await send(host, event(host, "session-start"), "--mode", "replace");
    const { hookEventName, additionalContext } = JSON.parse(out).hookSpecificOutput;
    expect(hookEventName).toBe("SessionStart");
    expect(additionalContext).toContain("- bake-bread: Bakes sourdough bread.");
    expect((await send(host, event(host, "session-start", { source: "resume" }))).out).toBe("");
    // The host lists the skills of its own folder itself.
    const own = { "claude-code": ".claude/skills", codex: ".agents/skills" }[host];
    const path = join(home, "p", own, "native-skill/SKILL.md");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, skillText("Is listed by the host."));
    const complement = (await send(host, event(host, "session-start"))).out;
    expect(complement).not.toContain("native-skill");
    expect(complement.includes("bake-bread")).toBe(host === "claude-code");
  });

  it("does not recommend what the host has loaded by itself, and counts it as activated", async () => {
    const { home, send, event, inbox } = workspace();
    const own = { "claude-code": ".claude/skills", codex: ".agents/skills" }[host];
    const path = join(home, "p", own, "plan-party/SKILL.md");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, skillText("Plans parties. Use when people are to celebrate."));
    const typed = { prompt: "/plan-party for the team", turn_id: "typed", prompt_id: "typed" };
    expect((await send(host, event(host, "message", typed))).out).not.toContain("plan-party");
    const heard = {
      hook_event_name: "PostToolUse",
      tool_name: "Skill",
      tool_input: { skill: "plan-meeting" },
    };
    expect((await send(host, event(host, "stop", heard))).out).toBe("");
    const later = { prompt: "plan a meeting and a party to celebrate", turn_id: "later", prompt_id: "later" };
    expect((await send(host, event(host, "message", later))).out).toBe("");
    const activated = inbox().filter((line) => line.event?.kind === "activated");
    expect(activated.map(({ event: { skill, turn } }) => [skill, turn])).toEqual([
      ["plan-party", 1],
      ["plan-meeting", 1],
    ]);
  });

  it("records what the next words say about a turn in which a skill was activated, and else nothing", async () => {
    const { send, event, inbox } = workspace();
    const say = (prompt: string, id: string) =>
      send(host, event(host, "message", { prompt, turn_id: id, prompt_id: id }));
    await say("plan a meeting", "1");
    await say("no, that is wrong", "2");
    const heard = {
      hook_event_name: "PostToolUse",
      tool_name: "Skill",
      tool_input: { skill: "plan-meeting" },
    };
    await send(host, event(host, "stop", heard));
    await say("you forgot the agenda", "3");
    await say("thanks, perfect", "4");
    const outcomes = inbox().filter((line) => line.event?.kind === "outcome");
    expect(outcomes.map(({ event: { turn, details } }) => [turn, details.result])).toEqual([
      [2, "failure"],
      [3, "success"],
    ]);
  });

  it("shows a skill again once the host has compacted the session", async () => {
    const { send, event } = workspace();
    const again = (turn_id: string) =>
      send(host, event(host, "message", { turn_id, prompt: `plan a meeting (${turn_id})` }));
    expect((await again("1")).out).toContain("plan-meeting");
    expect((await again("2")).out).toBe("");
    await send(host, event(host, "session-start", { source: "compact" }));
    expect((await again("3")).out).toContain("plan-meeting");
  });

  it.each(["", "garbage", "[]", "null", "{}", '{"session_id": 7}', "\u0000\ufffd{"])(
    "meets %j on standard input with exit 0, silence and a line in the log",
    async (input) => {
      const { send, log } = workspace();
      expect(await send(host, input)).toEqual({ code: 0, out: "", err: "" });
      expect(JSON.parse(log())).toMatchObject({ host, code: "hook-input" });
    },
  );
});

describe("every hook", () => {
  it("answers the first message of a large library, and reads its instructions behind that", async () => {
    const { home, send, event } = workspace();
    for (let n = 0; n < 501; n++) {
      const folder = join(home, `p/.agents/skills/thing-${n}`);
      mkdirSync(folder);
      writeFileSync(join(folder, "SKILL.md"), skillText(`Handles thing ${n}.`));
    }
    expect((await send("codex", event("codex", "message"))).out).toContain("plan-meeting");
    const caches = () => readdirSync(join(home, ".repertoire/cache"));
    expect(caches().filter((name) => name.endsWith(".index"))).toEqual([]);
    await program.run(["--dir", join(home, "p"), "index"], { home });
    expect(caches().filter((name) => name.endsWith(".index"))).toHaveLength(1);
    expect((await send("codex", event("codex", "message", { session_id: "b" }))).out).toContain(
      "plan-meeting",
    );
  });

  it("leaves compiled code for the next one, and answers alike with it, without it and with a damaged one", async () => {
    const { send, event } = workspace();
    const folder = dirname(program.bin);
    const compiled = () => readdirSync(folder).filter((file) => file.endsWith(".compiled"));
    for (const file of compiled()) rmSync(join(folder, file));
    // The code of other events is not what the next message needs.
    await send("codex", event("codex", "session-start"), "--mode", "replace");
    await send("codex", event("codex", "session-start"), "--mode", "replace");
    expect(compiled()).toEqual([]);
    await send("codex", event("codex", "message"));
    const first = await send("codex", event("codex", "message", { session_id: "a" }));
    expect(compiled()).toHaveLength(1);
    writeFileSync(join(folder, compiled()[0]!), "garbage");
    const damaged = await send("codex", event("codex", "message", { session_id: "b" }));
    rmSync(join(folder, compiled()[0]!));
    const without = await send("codex", event("codex", "message", { session_id: "c" }));
    expect(first.out).toContain("plan-meeting");
    expect([damaged, without]).toEqual([first, first]);
  });

  it("loads no module of Node that takes milliseconds to load", async () => {
    const { home, send, event } = workspace();
    await send("codex", event("codex", "message"));
    const watcher = join(home, "watcher.cjs");
    const list = 'process.on("exit", () => require("fs").writeSync(2, process.moduleLoadList.join("\\n")));';
    writeFileSync(watcher, list);
    const { stdout, stderr } = spawnSync(process.execPath, ["-r", watcher, program.bin, "hook", "codex"], {
      env: { PATH: process.env.PATH, HOME: home, REPERTOIRE_HOME: home },
      cwd: home,
      input: event("codex", "message", { session_id: "watched" }),
      encoding: "utf8",
    });
    expect(stdout).toContain("plan-meeting");
    const loaded = stderr.split("\n").map((line) => line.replace("NativeModule ", ""));
    expect(loaded).toContain("fs");
    expect(
      loaded.filter((name) => ["crypto", "stream", "child_process", "net", "zlib"].includes(name)),
    ).toEqual([]);
  });

  it("logs a broken configuration and lets the turn go on", async () => {
    const home = temporaryTree({ ".repertoire/repertoire.config.json": "{" });
    const input = '{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "plan a meeting"}';
    const ended = await program.run(["hook", "codex"], { home, input });
    expect(ended).toEqual({ code: 0, out: "", err: "" });
    expect(readFileSync(join(home, ".repertoire/logs/hook.log"), "utf8")).toContain("config-not-json");
  });

  it("stays below 10,000 characters however long the descriptions are", async () => {
    const long = `Plans meetings for people who meet. ${"meeting agenda people ".repeat(400)}`;
    const files = Array.from({ length: 60 }, (_, n) => [
      `p/skills/meet-${n}/SKILL.md`,
      skillText(`${n} ${long}`),
    ]);
    const home = temporaryTree(Object.fromEntries(files));
    const event = { session_id: "s", cwd: join(home, "p"), hook_event_name: "UserPromptSubmit" };
    const input = JSON.stringify({ ...event, prompt: "plan a meeting with people" });
    const { out } = await program.run(["hook", "claude-code"], { home, input });
    expect(JSON.parse(out).hookSpecificOutput.additionalContext.length).toBeLessThanOrEqual(10_000);
  });

  it("names the hosts when it is asked for an unknown one, and still exits 0", async () => {
    const ended = await program.run(["hook", "emacs"], { home: temporaryTree() });
    expect(ended.code).toBe(0);
    expect(ended.err).toContain(HOOK_HOSTS.join(", "));
  });
});

describe("a recorded event of", () => {
  const SKILLS = {
    ".repertoire/repertoire.config.json": '{"sources": {"bundled": false}}',
    "p/.repertoire/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
  };
  const base = (home: string) => ({ session_id: "s", cwd: join(home, "p") });

  it.each([
    ["gemini", "BeforeAgent", { timestamp: "2026-11-17T20:05:08.562Z" }],
    ["qwen", "UserPromptSubmit", { permission_mode: "yolo", prompt_id: "s########0" }],
    ["continue", "UserPromptSubmit", { transcript_path: "" }],
    ["opencode", "UserPromptSubmit", { turn_id: "msg_1" }],
    ["pi", "UserPromptSubmit", {}],
  ])("%s is answered under its own name", async (host, name, more) => {
    const home = temporaryTree(SKILLS);
    const prompt =
      "<hook_context>## Skills\n- bake: Bakes bread.</hook_context>\n\nplan a meeting with the team";
    const event = { ...base(home), hook_event_name: name, prompt, ...more };
    const { code, out } = await program.run(["hook", host], { home, input: JSON.stringify(event) });
    const { hookEventName, additionalContext } = JSON.parse(out).hookSpecificOutput;
    expect([code, hookEventName]).toEqual([0, name]);
    expect(additionalContext).toContain("plan-meeting");
    const said = readFileSync(
      join(home, ".repertoire/inbox", readdirSync(join(home, ".repertoire/inbox"))[0]!),
      "utf8",
    );
    expect(said).not.toContain("hook_context");
  });

  it("opencode is answered at a later message of a session, too", async () => {
    const home = temporaryTree(SKILLS);
    const send = (prompt: string, turn_id: string) => {
      const event = { ...base(home), hook_event_name: "UserPromptSubmit", prompt, turn_id };
      return program.run(["hook", "opencode"], { home, input: JSON.stringify(event) });
    };
    // Ids as opencode writes them: to our eyes they look like secrets.
    expect((await send("hello there", "msg_1f64403f1001H38QZyJpYpxC4g")).out).toBe("");
    const { out } = await send("plan a meeting with the team", "msg_1f63a60d8001IvPsZdmGStoqBw");
    expect(out).toContain("plan-meeting");
  });

  it("cursor is answered in its own form when a session begins", async () => {
    const home = temporaryTree(SKILLS);
    const event = {
      conversation_id: "s",
      session_id: "s",
      hook_event_name: "sessionStart",
      workspace_roots: [join(home, "p")],
    };
    const { out } = await program.run(["hook", "cursor"], { home, input: JSON.stringify(event) });
    expect(JSON.parse(out).additional_context).toContain("plan-meeting");
  });
});
