// Answers one event of a host's hook from an engine: the skills that the prompt gets, and what the journal learns.

import { statSync } from "node:fs";
import { type PromptOptions, SPEC, type TurnEngine } from "../../engine/engine.ts";
import { configuredTools, type NamedTools } from "../../model/agent-tool-alias.ts";
import type { SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import { forLine, oneLine } from "../../text/escape.ts";
import { clip } from "../../text/markdown.ts";
import { toolNamesIn } from "../tool-names.ts";
import { CATALOG_CHARS, catalogChoice, type HookMode, nativeTo } from "./catalog.ts";
import type { HookEvent, HookHost } from "./event.ts";
import { outcomeIn } from "./next-words.ts";

type EventOf<KIND extends HookEvent["kind"]> = Extract<HookEvent, { kind: KIND }>;

interface Asked {
  readonly host: HookHost;
  readonly mode: HookMode;
  readonly turns: TurnEngine;
  /** Called before anything is recorded; fails if the answer would come too late to be read. */
  readonly take?: (() => void) | undefined;
}

/** Claude Code keeps longer output out of the prompt and shows a preview only. */
const HINT_CHARS = 10_000;

/** Two events of one message come within moments; the same words again later are another message. */
const SAME_MESSAGE_MS = 5_000;

/** The text for standard output; empty if there is nothing to add. Fails with `index-stale` if the engine cannot answer. */
export async function answerEvent(event: HookEvent, asked: Asked): Promise<string> {
  // A message is taken once its recall has not failed.
  if (event.kind !== "message") asked.take?.();
  switch (event.kind) {
    case "session":
      return contextOutput(event, asked.host, await catalog(event, asked));
    case "message":
      if (event.text.trim() === "") return "";
      return contextOutput(event, asked.host, await hint(event, asked));
    case "stop":
      await recordStop(event, asked.turns);
      return "";
    case "loaded":
      await recordLoaded(event.skill, event, asked);
      return "";
    case "failed":
      await recordFailure(event, asked);
      return "";
    default:
      return "";
  }
}

/** A host keeps what a hook adds. No tools come with it: those belong to the process that serves them. */
function hookSection({ turns: { config }, host }: Asked): PromptOptions {
  const { context = "append" } = config;
  return { context, activates: false, hostChars: HINT_CHARS, tools: toolsIn(host, config) };
}

function toolsIn(host: HookHost, { tools }: TurnEngine["config"]): NamedTools {
  return toolNamesIn(host, configuredTools(tools.serve));
}

/** A resumed session still holds its catalog, and what it was shown; a cleared or compacted one has lost both. */
async function catalog(event: EventOf<"session">, asked: Asked): Promise<string> {
  if (event.source === "resume") return "";
  const { turns, mode, host } = asked;
  await turns.sessions.forgetShown(event.session);
  const isAdaptive = turns.config.style === "adaptive";
  const budget = isAdaptive ? { chars: CATALOG_CHARS[mode] } : undefined;
  const lists = isAdaptive ? catalogChoice({ host, mode, turns, uses: await usesOf(turns) }) : undefined;
  const { text, shown, omitted } = await turns.prompt(
    { message: "" },
    { ...hookSection(asked), budget, lists },
  );
  return shown.length === 0 && omitted === 0 ? "" : text;
}

/** How often each skill was activated, in all its versions. */
async function usesOf({ store }: TurnEngine): Promise<(name: SkillName) => number> {
  const book = await store.tallyBook();
  return (name) => book.of(name).reduce((sum, { activated }) => sum + activated, 0);
}

async function hint(event: EventOf<"message">, asked: Asked): Promise<string> {
  const { turns, host } = asked;
  const { session, text } = event;
  const now = turns.clock.now().getTime();
  const turn = { id: messageId(event, now), message: text, session };
  const beforeRecord = async () => {
    asked.take?.();
    await recordNextWords(event, asked);
  };
  // The style adaptive has sent its catalog at the start, and here needs no more than names and descriptions.
  if (turns.config.style !== "adaptive") {
    await beforeRecord();
    return (await turns.prompt(turn, { ...hookSection(asked), standing: false })).text;
  }
  const { matches } = await turns.recall(turn, { beforeRecord });
  const typed = await loadedByTyping(event, asked);
  const names = matches.map(({ name }) => name).filter((name) => name !== typed);
  if (names.length === 0) return "";
  const { store } = turns;
  const { fresh, state } = await store.sessions.markShown(session, names);
  if (fresh.length === 0) return "";
  const indexing = await turns.indexing();
  const skills = fresh.map((name) => indexing.skill(name)).filter((skill) => skill !== undefined);
  const { text: words, shown } = hintFor(skills, toolsIn(host, turns.config));
  const { agent } = turns.config;
  await store.record(
    shown.map(({ name, digest }) => ({
      at: now,
      session,
      turn: state.turn,
      host,
      agent,
      kind: "shown",
      skill: name,
      digest,
      details: { level: "full" },
    })),
  );
  return words;
}

/** What the message says about the turn before it counts for the skills that were activated there. */
async function recordNextWords({ session, text }: EventOf<"message">, { turns, host }: Asked): Promise<void> {
  const { turn, activated } = await turns.store.sessions.read(session);
  if (turn === 0 || activated.length === 0) return;
  // Compiling its patterns takes longer than anything else in a hook, so they come last.
  const result = outcomeIn(text);
  if (result === undefined) return;
  const at = turns.clock.now().getTime();
  const details = { result, note: "by the words of the next message" };
  await turns.store.record([
    { at, session, turn, host, agent: turns.config.agent, kind: "outcome", details },
  ]);
}

/** The skill that the host loads because the message begins with its name: `/name`, or `$name` in Codex. */
async function loadedByTyping(event: EventOf<"message">, asked: Asked): Promise<SkillName | undefined> {
  const typed = /^\s*[/$](?<name>[\w.:/-]+)/.exec(event.text)?.groups?.name;
  if (typed === undefined) return undefined;
  const skill = (await asked.turns.indexing()).skill(typed.toLowerCase() as SkillName);
  if (skill === undefined || !nativeTo(asked)(skill)) return undefined;
  return recordLoaded(skill.name, event, asked);
}

/** A skill that the host has loaded counts as shown and as activated: outcomes are its own, and it is not recommended again. */
async function recordLoaded(
  name: string,
  { session }: HookEvent,
  { turns, host }: Asked,
): Promise<SkillName | undefined> {
  const skill = turns.reader.stored()?.library().find(name);
  if (skill === undefined) return undefined;
  const { sessions } = turns.store;
  const { state } = await sessions.markShown(session, [skill.name]);
  await sessions.add(session, { step: "activated", names: [skill.name] });
  const base = {
    at: turns.clock.now().getTime(),
    session,
    turn: state.turn,
    host,
    agent: turns.config.agent,
  };
  await turns.store.record([
    { ...base, kind: "activated", skill: skill.name, digest: skill.digest, details: { by: "model" } },
  ]);
  return skill.name;
}

async function recordFailure(
  { session, tool, skill: name }: EventOf<"failed">,
  { turns, host }: Asked,
): Promise<void> {
  const skill = name === undefined ? undefined : turns.reader.stored()?.library().find(name);
  if (skill === undefined) return;
  const { turn } = await turns.store.sessions.read(session);
  const base = { at: turns.clock.now().getTime(), session, turn, host, agent: turns.config.agent };
  await turns.store.record([
    { ...base, kind: "tool_call", skill: skill.name, digest: skill.digest, details: { tool, ok: false } },
  ]);
}

/** What the model answered; and if the host says that the turn failed, that it did, for the skills activated in it. */
async function recordStop(
  { session, answer, failed }: EventOf<"stop">,
  { clock, store, options: { host }, config: { agent } }: TurnEngine,
): Promise<void> {
  const { turn } = await store.sessions.read(session);
  if (turn === 0) return;
  const at = clock.now().getTime();
  const said = answer === undefined ? [] : [{ session, turn, role: "assistant" as const, text: answer, at }];
  const details = { result: "failure" as const, note: "the host reported that the turn failed" };
  const outcome = { at, session, turn, host, agent, kind: "outcome" as const, details };
  if (said.length > 0 || failed) await store.record(failed ? [outcome] : [], said);
}

/** The host's id of the turn; else the place in the conversation, else the moment, tells two equal messages apart. */
function messageId({ id, text, transcript }: EventOf<"message">, now: number): string {
  // In pieces: a long id would be kept out of the session as a secret, and every message would be the same one.
  if (id !== undefined) return id.replace(/.{4}/g, "$& ");
  const place = transcript === undefined ? undefined : statSync(transcript, { throwIfNoEntry: false })?.size;
  return `${place ?? `t${Math.floor(now / SAME_MESSAGE_MS)}`}:${text}`;
}

function contextOutput({ name }: HookEvent, host: HookHost, text: string): string {
  if (text === "") return "";
  const additionalContext = text.slice(0, HINT_CHARS);
  if (host === "cursor") return JSON.stringify({ additional_context: additionalContext });
  if (host === "copilot") return JSON.stringify({ additionalContext });
  return JSON.stringify({ hookSpecificOutput: { hookEventName: name, additionalContext } });
}

function headFor({ activate }: NamedTools): string {
  const use = `. Before work that one of them covers, load it with ${activate} and follow what that returns`;
  return `Skills that fit this message${activate === undefined ? "" : use}:\n`;
}

/** As many as fit, best first; nothing when there are none. */
function hintFor(
  skills: readonly Skill[],
  tools: NamedTools,
): { readonly text: string; readonly shown: readonly Skill[] } {
  let text = headFor(tools);
  const shown: Skill[] = [];
  for (const skill of skills) {
    const { name, manifest } = skill;
    const description = clip(oneLine(manifest.description), SPEC.descriptionChars);
    // Without its path: an agent that reads the file itself has asked nobody.
    const line = `- ${forLine(name)}: ${forLine(description)}\n`;
    if (text.length + line.length > HINT_CHARS) break;
    text += line;
    shown.push(skill);
  }
  return shown.length === 0 ? { text: "", shown } : { text: text.trimEnd(), shown };
}
