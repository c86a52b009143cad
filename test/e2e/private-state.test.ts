// What the program keeps about a person: readable by that person alone, and without the secrets in their messages.

import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { openRepertoire } from "../../src/engine/engine.ts";
import { memoryStore } from "../../src/stores/stores.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();
/** Made up; joined here, so that no scanner takes this file for a leak. */
const KEY = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
const PASSWORD = "hunter2-canary";
const MESSAGE = `Use $plan-meeting to plan a meeting with people, password=${PASSWORD}, ${KEY}`;

const workspace = () =>
  temporaryTree({
    "p/.agents/skills/plan-meeting/SKILL.md": skillText(
      "Plans meetings with people. Use when a meeting is to be planned.",
    ),
  });

/** Every file and folder of the state with its permissions, but those of skills and of the copies of tasks. */
function stateOf(root: string) {
  const folder = join(root, "home/.repertoire");
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path: relative(folder, path), isFolder: entry.isDirectory(), mode: statSync(path).mode & 0o777 };
  });
  const own = found.filter(({ path }) => !/^(?:skills|private)(?:\/|$)/.test(path));
  return [{ path: ".", isFolder: true, mode: statSync(folder).mode & 0o777 }, ...own];
}

const open = (entries: ReturnType<typeof stateOf>) =>
  entries.filter(({ isFolder, mode }) => mode !== (isFolder ? 0o700 : 0o600));

function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

async function useEverything(root: string) {
  const places = ["--dir", join(root, "p"), "--home", join(root, "home")];
  const run = (args: readonly string[], input = "") => program.run(args, { home: root, input });
  const event = (name: string, more: object) =>
    run(
      ["hook", "claude-code", "--home", join(root, "home")],
      JSON.stringify({ session_id: "s", hook_event_name: name, cwd: join(root, "p"), ...more }),
    );
  await run([...places, "index"]);
  const hook = await event("UserPromptSubmit", { prompt: MESSAGE });
  await event("Stop", { last_assistant_message: `I used ${KEY}.` });
  await run(["hook", "claude-code", "--home", join(root, "home")], `{"broken ${MESSAGE}`);
  await run([...places, "recall", MESSAGE, "--session", "s2"]);
  await run([...places, "activate", "plan-meeting", "--yes"]);
  await run([...places, "dream", "prepare"]);
  await run([...places, "stats"]);
  return hook;
}

describe("the state on disk", () => {
  it("is made for its owner alone", async () => {
    const root = workspace();
    await useEverything(root);
    const state = stateOf(root);
    expect(state.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["repertoire.db", "sessions/s.jsonl", "logs/hook.log", "cache"]),
    );
    expect(open(state)).toEqual([]);
  });

  it("of an older version is closed to others: its folder by a hook, all of it by the next start", async () => {
    const root = workspace();
    const folder = join(root, "home/.repertoire");
    for (const path of ["sessions/old", "logs", "skills/mine"])
      mkdirSync(join(folder, path), { recursive: true });
    for (const path of [
      "sessions/old/x.jsonl",
      "logs/hook.log",
      "repertoire.config.json",
      "skills/mine/SKILL.md",
    ])
      writeFileSync(join(folder, path), "{}");
    for (const { path, isFolder } of stateOf(root)) chmodSync(join(folder, path), isFolder ? 0o755 : 0o644);
    const input = JSON.stringify({
      session_id: "s",
      hook_event_name: "UserPromptSubmit",
      prompt: "hi",
      cwd: root,
    });
    await program.run(["hook", "claude-code", "--home", join(root, "home")], { home: root, input });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await program.run(["--dir", join(root, "p"), "--home", join(root, "home"), "stats"], { home: root });
    expect(open(stateOf(root))).toEqual([]);
    expect(statSync(join(folder, "skills/mine/SKILL.md")).mode & 0o777).toBe(0o644);
  });

  it("keeps no secret of a message, and the message is still understood", async () => {
    const root = workspace();
    const { out } = await useEverything(root);
    expect(out).toContain("plan");
    const kept = everythingIn(join(root, "home"));
    expect(kept).toContain("[redacted]");
    expect(kept).not.toContain(KEY);
    expect(kept).not.toContain(PASSWORD);
  });
});

it("a store of a host's own gets no secret either, with turns, outcomes and corrections", async () => {
  const root = workspace();
  const store = memoryStore();
  const skills = openRepertoire({ dir: join(root, "p"), home: join(root, "home"), env: {}, store });
  const turn = skills.turn({ session: "s", message: MESSAGE });
  expect((await turn.recall()).matches.map(({ name }) => name)).toEqual(["plan-meeting"]);
  await skills.tasks.activate("plan-meeting", {
    task: "t",
    session: "s",
    audience: "person",
    ask: () => true,
  });
  await turn.outcome("success", { note: `worked with ${KEY}` });
  await skills.journal.shouldHaveBeen({ skill: "plan-meeting", message: MESSAGE }, { session: "s" });
  const kept = JSON.stringify([
    await store.sessions.read("s"),
    await store.journal.query({}),
    await store.conversation.query({}),
    await store.remembered.list(),
  ]);
  await skills.close();
  expect(kept).toContain("worked with [redacted]");
  expect(kept).toContain("plan a meeting with people");
  expect(kept).not.toContain(KEY);
  expect(kept).not.toContain(PASSWORD);
  expect(kept.toLowerCase()).not.toContain("canari");
});
