// Owns trying a change on a copy of the library: what its text would be, and where messages would lead. Composes parse,
// learn and recall; writes nothing anywhere.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Repertoire } from "../engine/engine.ts";
import { type Meaning, openMeaning } from "../engine/engine.ts";
import { RepertoireError } from "../model/errors.ts";
import { lastSegment, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { composeSkill, parseSkill, readSkillText } from "../parse/parse.ts";
import { NOTHING_KNOWN, RecallIndex, type RecallOptions, recall } from "../recall/recall.ts";
import { unifiedDiff } from "../text/diff.ts";
import type { Change, ChangeSave } from "./changes.ts";
import type { Reach } from "./gate.ts";
import type { Gathered, ShelvedSkill } from "./gather.ts";
import { GATE } from "./limits.ts";

interface Trial {
  readonly skill: Skill;
  readonly body: string;
}

/** The SKILL.md as it would be saved, times aside. */
export function textAfter(save: ChangeSave, existing: ShelvedSkill | undefined): string {
  const incoming = readSkillText(save.body, "SKILL.md");
  return composeSkill({
    name: save.name,
    incoming,
    existing: existing && readSkillText(existing.text, "SKILL.md"),
    description: save.description,
    summary: save.summary,
    seeAlso: save.seeAlso,
    managed: {},
  });
}

/** What the change does to the files, as a patch. */
export async function diffOf(change: Change, { byName }: Gathered): Promise<string> {
  const { save, archives } = change;
  const parts: string[] = [];
  if (save) {
    const before = byName.get(save.name);
    const patch = await unifiedDiff(before?.text ?? "", textAfter(save, before));
    parts.push(`--- ${before ? save.name : "nothing"}\n+++ ${save.name}\n${patch}`);
  }
  for (const { name, into } of archives) parts.push(`--- ${name}\n+++ archived, leads to ${into}`);
  return parts.join("\n");
}

export class Rehearsal {
  private readonly engine: Repertoire;
  private meaning: Promise<Meaning> | undefined;

  constructor(engine: Repertoire) {
    this.engine = engine;
  }

  /** Opened once: the table of the embedder takes a moment. */
  open(): Promise<Meaning> {
    this.meaning ??= openMeaning(this.engine.config);
    return this.meaning;
  }

  /** Where messages lead in the library as it is. */
  async now(): Promise<Reach> {
    const index = await (await this.engine.indexing()).current();
    return remembered(await this.reach(index));
  }

  /** A copy on which changes can be tried one after another. */
  async copy(material: Gathered): Promise<Copy> {
    const { embedder, background } = await this.open();
    const index = RecallIndex.empty({ embedder, background });
    const trials = new Map<SkillName, Trial>();
    for (const { skill, body } of material.skills)
      if (!skill.manifest.userOnly) trials.set(skill.name, { skill, body });
    const copy = new Copy(index, { material, reach: await this.reach(index), source: this.learnedSource() });
    await copy.set(trials);
    return copy;
  }

  private learnedSource(): string {
    const root = join(this.engine.config.home, ".repertoire", "skills");
    return this.engine.sources.find((source) => source.root === root)?.id ?? root;
  }

  private async reach(index: RecallIndex): Promise<Reach> {
    const { embedder, background } = await this.open();
    const stateOf = this.engine.visibility().judge();
    const places = new Map(this.engine.sources.map(({ id }, place) => [id, place]));
    const options: RecallOptions = {
      ...this.engine.config.recall,
      index,
      embedder,
      background,
      effectiveness: NOTHING_KNOWN,
      isVisible: (skill) => stateOf(skill).state === "active",
      precedence: (skill) => places.get(skill.source) ?? 0,
      limit: GATE.top,
    };
    return async (message) => {
      if (message.trim() === "") return [];
      const { matches } = await recall({ message }, options);
      return matches
        .filter(({ via }) => via === undefined)
        .flatMap(({ name, duplicates = [] }) => [name, ...duplicates]);
    };
  }
}

/** A library that only recall sees. */
export class Copy {
  private readonly index: RecallIndex;
  private readonly parts: { readonly material: Gathered; readonly reach: Reach; readonly source: string };
  private trials: ReadonlyMap<SkillName, Trial> = new Map();
  private known: Reach;
  private original = new Map<string, readonly SkillName[]>();

  constructor(index: RecallIndex, parts: { material: Gathered; reach: Reach; source: string }) {
    this.index = index;
    this.parts = parts;
    this.known = remembered(parts.reach);
  }

  /** Where messages lead with the changes tried so far. */
  readonly after: Reach = (message) => this.known(message);

  /** Where messages led before any change; only those that `baseline` was told of. */
  readonly before: Reach = async (message) => this.original.get(message) ?? [];

  /** Asks these messages of the unchanged copy. To be called before the first change. */
  async baseline(messages: Iterable<string>): Promise<void> {
    for (const message of messages)
      if (!this.original.has(message)) this.original.set(message, await this.after(message));
  }

  /** Tries a change; the result takes it back. */
  async apply(change: Change): Promise<() => Promise<void>> {
    const before = this.trials;
    const after = new Map(before);
    if (change.save) after.set(change.save.name, this.trialOf(change.save, before.get(change.save.name)));
    for (const { name } of change.archives) after.delete(name);
    await this.set(after);
    return () => this.set(before);
  }

  async set(trials: ReadonlyMap<SkillName, Trial>): Promise<void> {
    this.trials = trials;
    this.known = remembered(this.parts.reach);
    await this.index.update({
      skills: [...trials.values()].map(({ skill }) => skill),
      readBody: (skill) => trials.get(skill.name)?.body ?? "",
    });
  }

  private trialOf(save: ChangeSave, before: Trial | undefined): Trial {
    const text = textAfter(save, this.parts.material.byName.get(save.name));
    const path = before?.skill.path ?? join("/", ...save.name.split("/"), "SKILL.md");
    const { skill } = parseSkill(text, path);
    const digest = createHash("sha256").update(text).digest("hex");
    if (!skill)
      throw new RepertoireError(
        "change-unreadable",
        `"${save.name}" cannot be read back as a skill.`,
        save.name,
      );
    const directory = path.slice(0, -"/SKILL.md".length);
    const { source } = this.parts;
    const base = before?.skill ?? {
      name: save.name,
      displayName: lastSegment(save.name),
      source,
      path,
      directory,
    };
    return { skill: { ...base, manifest: skill.manifest, digest }, body: skill.body };
  }
}

/** The same message is asked once. */
function remembered(reach: Reach): Reach {
  const known = new Map<string, Promise<readonly SkillName[]>>();
  return (message) => {
    const found = known.get(message) ?? reach(message);
    known.set(message, found);
    return found;
  };
}
