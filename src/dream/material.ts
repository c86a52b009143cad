// Collects what a dream works on: the skills with their texts and makers, and the sessions of the last month.

import { statSync } from "node:fs";
import { join } from "node:path";
import {
  type ConversationStore,
  type JournalEvent,
  type JournalStore,
  type Rating,
  type SaidRecord,
  USE_KINDS,
} from "../journal/journal.ts";
import type { RedirectStore, VersionRecord, VersionStore } from "../learn/learn.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { isRepertoireError } from "../model/errors.ts";
import { lastSegment, parentName, type SkillName } from "../model/name.ts";
import type { Skill, SkillState } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { isSkillFile, packageFiles } from "../package/package.ts";
import { metadataOf, readSkillText, type SkillText } from "../parse/parse.ts";
import {
  type BackgroundIdf,
  type Embedder,
  headText,
  NOTHING_KNOWN,
  type RecallIndex,
  type RecallOptions,
  readCases,
  recall,
} from "../recall/recall.ts";
import { isCorrection } from "./corrections.ts";
import { flawsOf } from "./flaws.ts";
import { EVIDENCE_LIMITS, GATE } from "./limits.ts";

export interface DreamSkill {
  readonly skill: Skill;
  readonly name: SkillName;
  readonly description: string;
  readonly summary: string;
  /** The whole SKILL.md. */
  readonly text: string;
  readonly read: SkillText;
  readonly body: string;
  /** Whether a model may read the instructions: they were saved here, or the person allows the skill. */
  readonly readable: boolean;
  readonly digest: string;
  readonly seeAlso: readonly SkillName[];
  /** Support files, SKILL.md left out. */
  readonly files: readonly string[];
  readonly learned: boolean;
  /** Ships with Repertoire. */
  readonly bundled: boolean;
  /** Learned, unpinned and made by an agent: only these may be changed. */
  readonly editable: boolean;
  /** Why it may not be changed. */
  readonly protectedBecause?: string | undefined;
  readonly createdAt: number;
  /** When it was made or last changed. */
  readonly changedAt: number;
  /** 0 if it was never used. */
  readonly lastUsedAt: number;
  /** Messages from its own `evals/` that must lead to it. */
  readonly queries: readonly string[];
  /** Why it cannot do what it says. Only looked for in skills that were not learned here. */
  readonly flaws: readonly string[];
  /** Meaning of the description, if there is an embedder. */
  readonly vector?: Float32Array | undefined;
}

export interface DreamTurn {
  readonly session: string;
  readonly turn: number;
  readonly at: number;
  readonly message: string;
  /** Undefined if the host did not say; empty if the message recalled none. */
  readonly recalled: readonly SkillName[] | undefined;
  readonly used: readonly SkillName[];
  readonly failed: readonly SkillName[];
  /** What the person said against the answer: corrections, and the notes of failures. */
  readonly corrections: readonly string[];
  /** The skills that are at fault: those that failed; if something was corrected, all that were used. */
  readonly blamed: readonly SkillName[];
  /** A failure or a correction was recorded for it, or the person's next message corrects it. */
  readonly endedBadly: boolean;
}

export interface DreamSession {
  readonly id: string;
  readonly at: number;
  readonly turns: readonly DreamTurn[];
  readonly used: readonly SkillName[];
  /** What was said against the session as a whole: with a low rating, or outside a turn that used a skill. */
  readonly remarks: readonly string[];
  readonly rating?: Rating | undefined;
}

/** Namespaced: each child belongs to its own server, so none is ever merged. */
export type PrefixKind = "namespaced" | "topical";

export interface Material {
  readonly now: number;
  readonly skills: readonly DreamSkill[];
  readonly byName: ReadonlyMap<SkillName, DreamSkill>;
  contentOf(name: SkillName): DreamSkill | undefined;
  /** Oldest first. */
  readonly sessions: readonly DreamSession[];
  /** Prefixes that a person declared; all others are topical. */
  readonly prefixes: Readonly<Record<string, PrefixKind>>;
  /** Related skills by name, from the person's settings. */
  readonly links: Readonly<Record<SkillName, readonly SkillName[]>>;
  /** Old names that lead elsewhere: none of them can become a new skill. */
  readonly redirects: ReadonlyMap<SkillName, SkillName>;
  /** Meaning of messages, if there is an embedder. */
  readonly meaning: ReadonlyMap<string, Float32Array>;
  /** False if a skill that came after the message now answers it: that gap is closed. */
  readonly isUnmet: (turn: DreamTurn) => boolean;
}

export interface MaterialNeeds extends ReachNeeds {
  /** The library as last scanned. */
  readonly library: () => Promise<{
    readonly skills: ReadonlyMap<SkillName, Skill>;
    readonly diagnostics: readonly Diagnostic[];
  }>;
  /** The bytes of a skill's SKILL.md. */
  readonly readSkill: (skill: Skill) => Promise<Buffer>;
  /** Whether the skill comes from a folder of learned skills. */
  readonly isLearned: (skill: Skill) => boolean;
  /** Whether the person's configuration hands its instructions over without asking; nothing is allowed unless given. */
  readonly isAllowed?: ((skill: Skill) => boolean) | undefined;
  /** The recall index of the library, up to date. */
  readonly index: () => Promise<RecallIndex>;
  readonly prefixes?: Readonly<Record<string, PrefixKind>> | undefined;
  readonly now: () => number;
  readonly store: {
    readonly journal: Pick<JournalStore, "query" | "tallies">;
    readonly conversation: Pick<ConversationStore, "query">;
    readonly versions: Pick<VersionStore, "list">;
    readonly redirects: Pick<RedirectStore, "list">;
  };
}

/** Journal events that a dream learns from; its own calls and edits are left out. */
export const HISTORY_KINDS = [
  "recalled",
  "activated",
  "file_read",
  "script_run",
  "outcome",
  "feedback",
] as const;

/** Reads each skill once. The library must have been scanned before. */
export async function gatherMaterial(needs: MaterialNeeds): Promise<Material> {
  const { store, prefixes = {} } = needs;
  const now = needs.now();
  const since = now - EVIDENCE_LIMITS.windowMs;
  const sessions = readHistory(
    await store.journal.query({ since, kinds: HISTORY_KINDS }),
    await store.conversation.query({ since, role: "user" }),
  );
  const skills = await readSkills(needs);
  const redirects = await store.redirects.list();
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return {
    now,
    sessions,
    skills,
    byName,
    contentOf: (name) => byName.get(name),
    prefixes,
    links: needs.recall.links ?? {},
    redirects: new Map(redirects.map(({ from, to }) => [from, to])),
    ...(await aboutMessages(sessions, skills, needs)),
  };
}

/** The skills that dreams look at: neither hidden nor switched off. */
export async function visibleSkills(
  needs: Pick<MaterialNeeds, "library" | "visibility">,
): Promise<ReadonlyMap<SkillName, Skill>> {
  const stateOf = needs.visibility();
  const { skills } = await needs.library();
  return new Map([...skills].filter(([, skill]) => !["hidden", "disabled"].includes(stateOf(skill).state)));
}

async function readSkills(needs: MaterialNeeds): Promise<DreamSkill[]> {
  const skills = [...(await visibleSkills(needs)).values()];
  const lastUsed = new Map<SkillName, number>();
  for (const { name, lastUsedAt } of await needs.store.journal.tallies())
    lastUsed.set(name, Math.max(lastUsedAt, lastUsed.get(name) ?? 0));
  const { embedder } = await needs.meaning();
  const vectors = embedder.dimensions > 0 ? await embedder.embed(skills.map(headText)) : [];
  const bundled = bundledSources(needs);
  const { diagnostics } = await needs.library();
  const found: DreamSkill[] = [];
  for (const [at, skill] of skills.entries()) {
    const { manifest, name } = skill;
    const learned = needs.isLearned(skill);
    const history = learned ? await needs.store.versions.list({ name }) : [];
    const reason = protectedBecause(skill, history, needs);
    // What was saved here was inspected; anything else in the folder may have come with a clone.
    const readable = history[0]?.digest === skill.digest || needs.isAllowed?.(skill) === true;
    const files = learned ? packageFiles(skill.directory).filter((path) => !isSkillFile(path)) : [];
    const bytes = await needs.readSkill(skill);
    const read = readSkillText(bytes, skill.path);
    const createdAt = timeOf(skill, "created-at") ?? statSync(skill.path).mtimeMs;
    found.push({
      skill,
      name,
      description: manifest.description,
      summary: manifest.summary ?? manifest.brief,
      text: bytes.toString("utf8"),
      read,
      body: read.body,
      digest: skill.digest,
      seeAlso: manifest.seeAlso,
      files,
      learned,
      bundled: bundled.has(skill.source),
      editable: reason === undefined,
      readable,
      protectedBecause: reason,
      createdAt,
      changedAt: Math.max(createdAt, timeOf(skill, "updated-at") ?? 0),
      lastUsedAt: lastUsed.get(name) ?? 0,
      queries: ownQueries(skill, files),
      flaws: learned ? [] : await flawsOf(skill, read.body, diagnostics),
      vector: vectors[at],
    });
  }
  return found;
}

function bundledSources({ sources }: Pick<ReachNeeds, "sources">): ReadonlySet<string> {
  return new Set(sources.filter(({ scope }) => scope === "bundled").map(({ id }) => id));
}

function timeOf({ manifest }: Skill, key: string): number | undefined {
  const time = Date.parse(metadataOf(manifest.metadata, key) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** Why a skill may not be changed. An agent must have saved it here, and nobody may have pinned or edited it since. */
export function protectedBecause(
  skill: Skill,
  history: readonly VersionRecord[],
  { isLearned }: Pick<MaterialNeeds, "isLearned">,
): string | undefined {
  const { manifest, digest } = skill;
  if (!isLearned(skill)) return "it was not learned but comes from a source that people look after";
  if (metadataOf(manifest.metadata, "pinned") === "true") return "it is pinned";
  const provenance = metadataOf(manifest.metadata, "provenance") ?? "person";
  if (provenance !== "agent")
    return provenance === "person"
      ? "a person made it"
      : `it was ${provenance === "starter" ? "shipped as a starter" : provenance}`;
  if (history[0]?.digest !== digest) return "it was edited by hand";
  return isHandWritten(history) ? "a person edited it" : undefined;
}

/** Whether a person wrote the words. Pins do not count; an undo or a restore brings back the words of an earlier version. */
function isHandWritten(newestFirst: readonly VersionRecord[]): boolean {
  const [head, ...older] = newestFirst;
  if (head === undefined) return true;
  if (head.action === "pin" || head.action === "unpin") return isHandWritten(older);
  if (head.action === "undo" || head.action === "redo" || head.action === "restore") {
    const source = older.findIndex((version) => version.digest === head.digest);
    return source < 0 || isHandWritten(older.slice(source));
  }
  return !/^(?:agent|dream)\b/.test(head.author);
}

/** Messages that the skill's own `evals/` say must lead to it. A broken file does not stop the dream. */
function ownQueries({ name, directory }: Skill, files: readonly string[]): string[] {
  const own = new Set([name, lastSegment(name)]);
  return files
    .filter((path) => /^evals\/[^/]+\.jsonl?$/.test(path))
    .flatMap((path) => {
      try {
        const cases = readCases(join(directory, path));
        return cases.filter(({ gold }) => gold.some((each) => own.has(each))).map(({ query }) => query);
      } catch (error) {
        if (isRepertoireError(error)) return [];
        throw error;
      }
    });
}

/** Which unanswered messages a newer skill answers by now, and what the messages mean that matter for gaps. */
async function aboutMessages(
  sessions: readonly DreamSession[],
  skills: readonly DreamSkill[],
  needs: MaterialNeeds,
): Promise<Pick<Material, "meaning" | "isUnmet">> {
  const missed = sessions
    .flatMap((session) => session.turns)
    .filter(({ recalled, used, endedBadly }) => endedBadly || (recalled?.length === 0 && used.length === 0))
    .slice(-EVIDENCE_LIMITS.messages);
  const oldest = Math.min(...missed.map(({ at }) => at));
  const bundled = bundledSources(needs);
  const newer = skills.filter(({ changedAt, skill }) => changedAt > oldest && !bundled.has(skill.source));
  const messages = [...new Set(missed.map(({ message }) => message))];
  const answeredAt = newer.length > 0 ? await answers(messages, newer, needs) : new Map<string, number>();
  const { embedder } = await needs.meaning();
  const vectors = embedder.dimensions > 0 && messages.length > 0 ? await embedder.embed(messages) : [];
  const meaning = new Map(
    messages.flatMap((message, at) => (vectors[at] ? [[message, vectors[at]] as const] : [])),
  );
  return { meaning, isUnmet: ({ message, at }) => (answeredAt.get(message) ?? 0) <= at };
}

/** When the newest of these skills that a message leads to was changed; 0 if it leads to none. */
async function answers(
  messages: readonly string[],
  skills: readonly DreamSkill[],
  needs: MaterialNeeds,
): Promise<Map<string, number>> {
  const changedAt = new Map(skills.map((skill) => [skill.name, skill.changedAt]));
  const reach = await reachIn(await needs.index(), needs);
  const found = new Map<string, number>();
  for (const message of messages)
    found.set(message, Math.max(0, ...(await reach(message)).map((name) => changedAt.get(name) ?? 0)));
  return found;
}

/** Whether the prefix, or one above it, was declared namespaced. */
export function isNamespaced(prefixes: Material["prefixes"], prefix: string | undefined): boolean {
  for (let at = prefix; at !== undefined; at = parentName(at))
    if (Object.hasOwn(prefixes, at)) return prefixes[at] === "namespaced";
  return false;
}

export function guideOf(prefix: string): SkillName {
  return `${prefix}/guide`;
}

export function isGuide(name: SkillName): boolean {
  return name.endsWith("/guide");
}

interface OpenTurn {
  recalled: SkillName[] | undefined;
  readonly used: Set<SkillName>;
  readonly outcomes: Map<SkillName, string>;
  readonly corrections: Set<string>;
  readonly failureNotes: Set<string>;
}

interface OpenSession {
  readonly turns: Map<number, OpenTurn>;
  readonly used: Set<SkillName>;
  readonly remarks: string[];
  rating?: Rating;
}

/** Sessions, oldest first. `events` and `said` are in the order in which they happened. */
function readHistory(events: readonly JournalEvent[], said: readonly SaidRecord[]): DreamSession[] {
  const open = new Map<string, OpenSession>();
  for (const event of events)
    if (event.session !== undefined) addEvent(sessionIn(open, event.session), event);
  const lines = new Map<string, SaidRecord[]>();
  for (const line of said) {
    lines.set(line.session, [...(lines.get(line.session) ?? []), line]);
    sessionIn(open, line.session);
  }
  return [...open]
    .map(([id, session]) => closed(id, session, lines.get(id) ?? []))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

function addEvent(session: OpenSession, event: JournalEvent): void {
  const turn = event.turn === undefined ? undefined : turnIn(session, event.turn);
  if (USE_KINDS.has(event.kind) && event.skill !== undefined) {
    session.used.add(event.skill);
    turn?.used.add(event.skill);
  }
  if (event.kind === "recalled" && turn) {
    turn.recalled ??= [];
    if (event.skill !== undefined && event.details.via === undefined) turn.recalled.push(event.skill);
  }
  if (event.kind === "outcome" && turn) {
    const { result, note } = event.details;
    turn.outcomes.set(event.skill ?? "", result);
    if (result === "failure" && note) turn.failureNotes.add(note);
  }
  if (event.kind !== "feedback") return;
  const { details } = event;
  if (details.type === "correction") {
    if (turn) turn.corrections.add(details.text);
    else session.remarks.push(details.text);
  } else {
    session.rating = details.rating;
    if (isPoor(details.rating) && details.text) session.remarks.push(details.text);
  }
}

export function isPoor(rating: Rating | undefined): boolean {
  return rating === "poor" || rating === "fair";
}

/** How many turns after its instructions were loaded a skill is still followed. */
const FOLLOWED_TURNS = 3;

/** Adds the messages that correct an answer to the turn whose skills the answer followed. */
function addCorrections({ turns }: OpenSession, lines: readonly SaidRecord[]): void {
  for (const { turn: number, text } of lines.slice(1)) {
    if (!isCorrection(text)) continue;
    for (let earlier = number - 1; earlier >= Math.max(1, number - FOLLOWED_TURNS); earlier--) {
      const turn = turns.get(earlier);
      if (!turn || turn.used.size === 0) continue;
      turn.corrections.add(text);
      break;
    }
  }
}

function closed(id: string, session: OpenSession, lines: readonly SaidRecord[]): DreamSession {
  addCorrections(session, lines);
  const turns = lines.map((line) => closedTurn(id, line, session.turns.get(line.turn)));
  // A correction in a turn without a skill is about the session.
  const stray = turns.filter(({ used }) => used.length === 0).flatMap(({ corrections }) => corrections);
  const at = lines[0]?.at ?? 0;
  const remarks = [...session.remarks, ...stray];
  return { id, at, turns, used: [...session.used].sort(), remarks, rating: session.rating };
}

function closedTurn(session: string, line: SaidRecord, turn: OpenTurn | undefined): DreamTurn {
  const outcomes = [...(turn?.outcomes ?? [])];
  const failed = outcomes.filter(([, result]) => result === "failure").map(([skill]) => skill);
  const used = [...(turn?.used ?? [])];
  const isCorrected = turn !== undefined && turn.corrections.size > 0;
  return {
    session,
    turn: line.turn,
    at: line.at,
    message: line.text,
    recalled: turn?.recalled,
    used,
    failed,
    corrections: [...new Set([...(turn?.corrections ?? []), ...(turn?.failureNotes ?? [])])],
    blamed: isCorrected || failed.includes("") ? used : failed,
    endedBadly: isCorrected || failed.length > 0,
  };
}

function sessionIn(open: Map<string, OpenSession>, id: string): OpenSession {
  const known = open.get(id) ?? { turns: new Map(), used: new Set(), remarks: [] };
  open.set(id, known);
  return known;
}

function turnIn({ turns }: OpenSession, turn: number): OpenTurn {
  const empty: OpenTurn = {
    recalled: undefined,
    used: new Set(),
    outcomes: new Map(),
    corrections: new Set(),
    failureNotes: new Set(),
  };
  const known = turns.get(turn) ?? empty;
  turns.set(turn, known);
  return known;
}

/** The skills that a message leads to, best first, at most three. */
export type Reach = (message: string) => Promise<readonly SkillName[]>;

export interface ReachNeeds {
  /** What compares meanings, and how rare words are in general; opened once. */
  readonly meaning: () => Promise<{ readonly embedder: Embedder; readonly background: BackgroundIdf }>;
  /** The configured settings of recall. */
  readonly recall: Pick<RecallOptions, "threshold" | "links">;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  /** Judges whether skills can be used now; a new judge looks at requirements again. */
  readonly visibility: () => (skill: Skill) => { readonly state: SkillState };
}

/** Asks each message once; make a new one after the index has changed. */
export async function reachIn(index: RecallIndex, needs: ReachNeeds): Promise<Reach> {
  const stateOf = needs.visibility();
  const precedence = new Map(needs.sources.map(({ id }, place) => [id, place]));
  const options: RecallOptions = {
    ...needs.recall,
    ...(await needs.meaning()),
    index,
    effectiveness: NOTHING_KNOWN,
    isVisible: (skill) => stateOf(skill).state === "active",
    precedence: (skill) => precedence.get(skill.source) ?? 0,
    limit: GATE.top,
  };
  const ask: Reach = async (message) => {
    if (message.trim() === "") return [];
    const { matches } = await recall({ message }, options);
    return matches
      .filter(({ via }) => via === undefined)
      .flatMap(({ name, duplicates = [] }) => [name, ...duplicates]);
  };
  const known = new Map<string, ReturnType<Reach>>();
  return (message) => {
    const found = known.get(message) ?? ask(message);
    known.set(message, found);
    return found;
  };
}
