// Collects what a dream works on: the skills with their texts and makers, and the sessions of the last month.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { ConversationStore, JournalStore } from "../journal/journal.ts";
import type { RedirectStore, VersionRecord, VersionStore } from "../learn/learn.ts";
import { breathe } from "../library/library.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { codeOf, isRepertoireError } from "../model/errors.ts";
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
import { flawsOf } from "./flaws.ts";
import { EVIDENCE_LIMITS, GATE } from "./limits.ts";
import { type DreamSession, type DreamTurn, readSessions } from "./sessions.ts";

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

/** Reads each skill once. The library must have been scanned before. */
export async function gatherMaterial(needs: MaterialNeeds): Promise<Material> {
  const { store, prefixes = {} } = needs;
  const now = needs.now();
  const sessions = await recentSessions(needs);
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

/** The sessions of the last month, oldest first. */
export async function recentSessions({
  now,
  store,
}: Pick<MaterialNeeds, "now" | "store">): Promise<DreamSession[]> {
  const until = now();
  return readSessions(store, { since: until - EVIDENCE_LIMITS.windowMs, now: until });
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
  const vectors = await embedded(skills, headText, embedder);
  const bundled = bundledSources(needs);
  const { diagnostics } = await needs.library();
  const found: DreamSkill[] = [];
  for (const [at, skill] of skills.entries()) {
    const { manifest, name } = skill;
    const learned = needs.isLearned(skill);
    const there = await onDisk(skill, needs);
    if (there === undefined) continue;
    const { bytes, files } = there;
    const history = learned ? await needs.store.versions.list({ name }) : [];
    const reason = protectedBecause(skill, history, needs);
    // What was saved here was inspected; anything else in the folder may have come with a clone.
    const readable = history[0]?.digest === skill.digest || needs.isAllowed?.(skill) === true;
    const read = readSkillText(bytes, skill.path);
    const createdAt = timeOf(skill, "created-at") ?? there.modifiedAt;
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
    await breathe();
  }
  return found;
}

/** What a skill's folder holds now; undefined if somebody has removed it since the scan. */
async function onDisk(
  skill: Skill,
  { isLearned, readSkill }: Pick<MaterialNeeds, "isLearned" | "readSkill">,
) {
  const { directory, path } = skill;
  try {
    const files = isLearned(skill) ? packageFiles(directory).filter((file) => !isSkillFile(file)) : [];
    return { files, bytes: await readSkill(skill), modifiedAt: statSync(path).mtimeMs };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Texts embedded at a time: others wait for some milliseconds at most. */
const TEXTS_AT_ONCE = 64;

/** The meaning of the text of each; nothing without an embedder. */
async function embedded<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  embedder: Embedder,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  if (embedder.dimensions === 0) return vectors;
  for (let from = 0; from < items.length; from += TEXTS_AT_ONCE) {
    vectors.push(...(await embedder.embed(items.slice(from, from + TEXTS_AT_ONCE).map(textOf))));
    await breathe();
  }
  return vectors;
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
  const unanswered: DreamTurn[] = [];
  for (const { turns } of sessions) {
    for (const turn of turns)
      if (turn.endedBadly || (turn.recalled?.length === 0 && turn.used.length === 0)) unanswered.push(turn);
    await breathe();
  }
  const missed = unanswered.slice(-EVIDENCE_LIMITS.messages);
  const oldest = Math.min(...missed.map(({ at }) => at));
  const bundled = bundledSources(needs);
  const newer = skills.filter(({ changedAt, skill }) => changedAt > oldest && !bundled.has(skill.source));
  const messages = [...new Set(missed.map(({ message }) => message))];
  const answeredAt = newer.length > 0 ? await answers(messages, newer, needs) : new Map<string, number>();
  const { embedder } = await needs.meaning();
  const vectors = await embedded(messages, (message) => message, embedder);
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
  for (const message of messages) {
    found.set(message, Math.max(0, ...(await reach(message)).map((name) => changedAt.get(name) ?? 0)));
    await breathe();
  }
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
