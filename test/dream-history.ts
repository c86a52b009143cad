// Makes a workshop for dreams in tests: a home folder, a real store, skills saved by an agent, a seeded history.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type DreamNeeds, Dreams } from "../src/dream/dreams.ts";
import type { Proposal, ProposalRecord } from "../src/dream/proposal.ts";
import { dreamNeeds } from "../src/engine/dream-part.ts";
import { openRepertoire } from "../src/engine/engine.ts";
import { openLearned } from "../src/engine/learned-part.ts";
import type { NewEvent, Outcome, Rating } from "../src/journal/events.ts";
import { sqliteStore } from "../src/stores/sqlite/store.ts";
import type { Store } from "../src/stores/store.ts";
import { temporaryTree } from "./skill-tree.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
export const NOW = Date.UTC(2026, 5, 30, 12);
const FIXTURES = "test/fixtures/dream";

export interface SeedSkill {
  readonly name: string;
  readonly description: string;
  readonly content: string;
  readonly author?: string;
  readonly files?: Record<string, string>;
}

interface SeedTurn {
  readonly message: string;
  readonly recalled: readonly string[];
  readonly used?: readonly string[];
  readonly outcome?: Outcome;
  /** What was said with the outcome. */
  readonly note?: string;
  readonly correction?: string;
}

export interface SeedSession {
  readonly session: string;
  readonly daysAgo: number;
  readonly turns: readonly SeedTurn[];
  readonly rating?: Rating;
}

export function seeded<T>(file: string): T[] {
  const lines = readFileSync(join(FIXTURES, file), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}

export interface WorkshopOptions extends Partial<DreamNeeds> {
  readonly files?: Record<string, string>;
  readonly skills?: readonly SeedSkill[];
  readonly sessions?: readonly SeedSession[];
  readonly embedder?: "local" | "none";
}

/** A dreaming engine over a folder of its own, everything real. */
export async function dreamWorkshop(options: WorkshopOptions = {}) {
  const { files = {}, skills = [], sessions = [], embedder = "local", ...dreaming } = options;
  const root = temporaryTree(files);
  mkdirSync(join(root, "p"), { recursive: true });
  const clock = { at: NOW - 40 * DAY_MS, now: () => new Date(clock.at) };
  const engine = openRepertoire({
    dir: join(root, "p"),
    home: join(root, "home"),
    env: {},
    clock,
    values: { "sources.bundled": false, cache: false, "embedder.kind": embedder },
  });
  const store = sqliteStore({ directory: join(root, "home/.repertoire"), clock });
  onTestFinished(() => store.close());
  const learnedSkills = openLearned(engine, store, { recall: async () => [] });
  for (const { author = "agent", ...skill } of skills) await learnedSkills.save({ ...skill, author });
  clock.at = NOW;
  const library = await engine.library.current();
  await seedHistory(store, sessions, (name) => library.skills.get(name)?.digest ?? "");
  const needs: DreamNeeds = { ...dreamNeeds(engine, { store, learned: learnedSkills }), ...dreaming };
  const dreams = new Dreams(needs);
  const learned = join(root, "home/.repertoire/skills");
  return { root, engine, store, learnedSkills, dreams, needs, clock, learned, tree: () => treeOf(learned) };
}

export async function seedHistory(
  store: Store,
  sessions: readonly SeedSession[],
  digestOf: (name: string) => string,
): Promise<void> {
  for (const { session, daysAgo, turns, rating } of sessions) {
    const start = Math.round(NOW - daysAgo * DAY_MS);
    const events: NewEvent[] = [];
    for (const [index, turn] of turns.entries()) {
      const base = { at: start + index * 60_000, session, turn: index + 1 };
      const skill = (name: string) => ({ skill: name, digest: digestOf(name) });
      await store.conversation.append({
        session,
        turn: index + 1,
        role: "user",
        text: turn.message,
        at: base.at,
      });
      if (turn.recalled.length === 0) events.push({ ...base, kind: "recalled", details: {} });
      for (const [rank, name] of turn.recalled.entries())
        events.push({ ...base, ...skill(name), kind: "recalled", details: { rank: rank + 1 } });
      for (const name of turn.used ?? [])
        events.push({ ...base, ...skill(name), kind: "activated", details: {} });
      if (turn.outcome)
        events.push({ ...base, kind: "outcome", details: { result: turn.outcome, note: turn.note } });
      if (turn.correction)
        events.push({ ...base, kind: "feedback", details: { type: "correction", text: turn.correction } });
    }
    if (rating) events.push({ at: start, session, kind: "feedback", details: { type: "summary", rating } });
    await store.journal.append(events);
  }
}

/** Every file below a folder with its content. */
export function treeOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length + 1)] = readFileSync(path, "base64");
  }
  return found;
}

/** What a proposal changes: its kind, the skill that it saves, the skills that it archives. */
export function changeOf({ kind, payload }: ProposalRecord): readonly string[] {
  const { save, archives } = (payload as unknown as Proposal).change;
  return [kind, ...(save ? [save.name] : []), ...archives.map(({ name }) => name)];
}
