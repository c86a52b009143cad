// Owns collecting what a dream works on: the library's skills with their text and their makers, and the history of the
// last month. Composes library, learn, recall and the store; changes nothing.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Repertoire } from "../engine/engine.ts";
import type { VersionRecord } from "../learn/learn.ts";
import { SkillPlaces } from "../learn/learn.ts";
import { isRepertoireError } from "../model/errors.ts";
import { lastSegment, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { isSkillFile, packageFiles } from "../package/package.ts";
import { metadataOf } from "../parse/parse.ts";
import type { Embedder } from "../recall/recall.ts";
import { headText, readCases } from "../recall/recall.ts";
import type { Store } from "../stores/stores.ts";
import { readHistory } from "./history.ts";
import { EVIDENCE } from "./limits.ts";
import type { DreamSession, DreamSkill, Material, PrefixKind } from "./material.ts";

/** A skill's text on disk, beside what the dream knows of it. */
export interface ShelvedSkill extends DreamSkill {
  readonly skill: Skill;
  /** The whole SKILL.md. */
  readonly text: string;
  /** When it was made or last changed. */
  readonly changedAt: number;
}

export interface Gathered extends Material {
  readonly skills: readonly ShelvedSkill[];
  readonly byName: ReadonlyMap<SkillName, ShelvedSkill>;
}

export interface GatherParts {
  readonly engine: Repertoire;
  readonly store: Store;
  readonly embedder: Embedder;
  readonly prefixes: Readonly<Record<string, PrefixKind>>;
  /** The skills that a message leads to now. */
  readonly reach: (message: string) => Promise<readonly SkillName[]>;
}

/** Journal events that tell a dream something; its own calls and edits do not. */
export const TELLING = ["recalled", "activated", "file_read", "script_run", "outcome", "feedback"] as const;

export async function gather(parts: GatherParts): Promise<Gathered> {
  const { engine, store, prefixes } = parts;
  await engine.refresh();
  const now = engine.clock.now().getTime();
  const since = now - EVIDENCE.windowMs;
  const sessions = readHistory({
    events: await store.journal.query({ since, kinds: TELLING }),
    said: await store.conversation.query({ since, role: "user" }),
  });
  const skills = await shelved(parts);
  const redirects = await store.redirects.list();
  return {
    now,
    sessions,
    skills,
    byName: new Map(skills.map((skill) => [skill.name, skill])),
    prefixes,
    redirects: new Map(redirects.map(({ from, to }) => [from, to])),
    ...(await aboutMessages(sessions, skills, parts)),
  };
}

async function shelved({ engine, store, embedder }: GatherParts): Promise<ShelvedSkill[]> {
  const places = new SkillPlaces({ ...engine.config, project: engine.config.dir, sources: engine.sources });
  const stateOf = engine.visibility().judge();
  const skills = [...engine.library.skills.values()].filter(
    (skill) => !["hidden", "disabled"].includes(stateOf(skill).state),
  );
  const lastUsed = new Map<SkillName, number>();
  for (const { name, lastUsedAt } of await store.journal.tallies())
    lastUsed.set(name, Math.max(lastUsedAt, lastUsed.get(name) ?? 0));
  const vectors = embedder.dimensions > 0 ? await embedder.embed(skills.map(headText)) : [];
  const found: ShelvedSkill[] = [];
  for (const [at, skill] of skills.entries()) {
    const { manifest, name } = skill;
    const learned = places.isLearned(skill);
    const kept = learned
      ? await whyKept(skill, store)
      : "it was not learned but comes from a source that people look after";
    const files = learned ? packageFiles(skill.directory).filter((path) => !isSkillFile(path)) : [];
    const createdAt = timeOf(skill, "created-at") ?? statSync(skill.path).mtimeMs;
    const vector = vectors[at];
    found.push({
      skill,
      text: readFileSync(skill.path, "utf8"),
      name,
      description: manifest.description,
      summary: manifest.summary ?? manifest.brief,
      body: engine.body(skill),
      digest: skill.digest,
      seeAlso: manifest.seeAlso,
      files,
      learned,
      editable: kept === undefined,
      ...(kept !== undefined && { kept }),
      createdAt,
      changedAt: Math.max(createdAt, timeOf(skill, "updated-at") ?? 0),
      lastUsedAt: lastUsed.get(name) ?? 0,
      queries: learned ? ownQueries(skill) : [],
      ...(vector && { vector }),
    });
  }
  return found;
}

function timeOf({ manifest }: Skill, key: string): number | undefined {
  const time = Date.parse(metadataOf(manifest.metadata, key) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** Only what an agent wrote and nobody has pinned or edited since may be changed. */
async function whyKept({ name, manifest, digest }: Skill, store: Store): Promise<string | undefined> {
  if (metadataOf(manifest.metadata, "pinned") === "true") return "it is pinned";
  const provenance = metadataOf(manifest.metadata, "provenance") ?? "person";
  if (provenance !== "agent")
    return provenance === "person"
      ? "a person made it"
      : `it was ${provenance === "starter" ? "shipped as a starter" : provenance}`;
  const history = await store.versions.list({ name });
  if (history[0]?.digest !== digest) return "it was edited by hand";
  return isHandWritten(history) ? "a person edited it" : undefined;
}

/** Who wrote the words: pins do not count, and an undo or a restore brings back the words of an earlier version. */
function isHandWritten(newestFirst: readonly VersionRecord[]): boolean {
  const [head, ...older] = newestFirst;
  if (head === undefined) return true;
  if (head.action === "pin" || head.action === "unpin") return isHandWritten(older);
  if (head.action === "undo" || head.action === "restore") {
    const source = older.findIndex((version) => version.digest === head.digest);
    return source < 0 || isHandWritten(older.slice(source));
  }
  return !/^(?:agent|dream)\b/.test(head.author);
}

/** Messages that the skill's own `evals/` say must lead to it. A broken file is the skill's trouble, not the dream's. */
function ownQueries(skill: Skill): string[] {
  const folder = join(skill.directory, "evals");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => /\.jsonl?$/.test(file));
  return files.flatMap((file) => {
    try {
      const own = new Set([skill.name, lastSegment(skill.name)]);
      return readCases(join(folder, file))
        .filter(({ gold }) => gold.some((name) => own.has(name)))
        .map(({ query }) => query);
    } catch (error) {
      if (isRepertoireError(error)) return [];
      throw error;
    }
  });
}

/** Which unanswered messages a newer skill answers by now, and what those that matter for gaps mean. */
async function aboutMessages(
  sessions: readonly DreamSession[],
  skills: readonly ShelvedSkill[],
  { engine, embedder, reach }: GatherParts,
): Promise<Pick<Material, "meaning" | "isUnmet">> {
  const turns = sessions.flatMap((session) => session.turns);
  const missed = turns
    .filter(({ recalled, used, endedBadly }) => endedBadly || (recalled?.length === 0 && used.length === 0))
    .slice(-EVIDENCE.messages);
  const oldest = Math.min(...missed.map(({ at }) => at));
  const shipped = new Set(engine.sources.filter(({ scope }) => scope === "bundled").map(({ id }) => id));
  const newer = skills.filter(({ changedAt, skill }) => changedAt > oldest && !shipped.has(skill.source));
  const fresh = new Map(newer.map(({ name, changedAt }) => [name, changedAt]));
  const answers = new Map<string, number>();
  const messages = [...new Set(missed.map(({ message }) => message))];
  for (const message of fresh.size > 0 ? messages : [])
    answers.set(message, Math.max(0, ...(await reach(message)).map((name) => fresh.get(name) ?? 0)));
  const vectors = embedder.dimensions > 0 && messages.length > 0 ? await embedder.embed(messages) : [];
  const meaning = new Map(
    messages.flatMap((message, at) => (vectors[at] ? [[message, vectors[at]] as const] : [])),
  );
  return { meaning, isUnmet: ({ message, at }) => (answers.get(message) ?? 0) <= at };
}
