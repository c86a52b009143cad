// A copy of the library that only recall sees, to try where messages would lead after changes. Writes nothing.

import { dirname, join } from "node:path";
import { checkConformance } from "../learn/learn.ts";
import { lastSegment, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { SKILL_FILE, sha256Of } from "../package/package.ts";
import { composeSkill, readSkillText } from "../parse/parse.ts";
import { RecallIndex } from "../recall/recall.ts";
import { unifiedDiff } from "../text/diff.ts";
import { type ChangeSave, type DreamChange, goneBy, savesOf } from "./changes.ts";
import type { Material } from "./material.ts";
import { type Reach, type ReachNeeds, reachIn } from "./material.ts";

export interface TrialNeeds extends ReachNeeds {
  /** The folder that new learned skills go to. */
  readonly learnedRoot: string;
}

interface TrialSkill {
  readonly skill: Skill;
  readonly body: string;
}

type TrialSkills = ReadonlyMap<SkillName, TrialSkill>;

export class TrialLibrary {
  private readonly material: Material;
  private readonly needs: TrialNeeds;
  private readonly unchanged: TrialSkills;
  /** By content, because an accepted proposal is another object than the change that was staged. */
  private readonly saved = new Map<string, ReturnType<TrialLibrary["afterSave"]>>();
  private readonly original = new Map<string, readonly SkillName[]>();
  private index: RecallIndex | undefined;
  /** What the index holds now. */
  private state: { readonly skills: TrialSkills; readonly reach: Reach } | undefined;

  constructor(material: Material, needs: TrialNeeds) {
    this.material = material;
    this.needs = needs;
    this.unchanged = new Map(
      material.skills
        .filter(({ skill }) => !skill.manifest.userOnly)
        .map(({ skill, body }) => [skill.name, { skill, body }]),
    );
  }

  /** Where messages lead before any change; only those that `baseline` has asked. */
  readonly before: Reach = async (message) => this.original.get(message) ?? [];

  /** Asks the unchanged library. Ask everything at once, before the first change: each return costs an index update. */
  async baseline(messages: Iterable<string>): Promise<void> {
    const unknown = [...new Set(messages)].filter((message) => !this.original.has(message));
    if (unknown.length === 0) return;
    const reach = await this.with([]);
    for (const message of unknown) this.original.set(message, await reach(message));
  }

  /** Where messages lead with exactly these changes, which must not collide. Valid until the next call. */
  async with(changes: readonly DreamChange[]): Promise<Reach> {
    const skills = new Map(this.unchanged);
    for (const save of savesOf(changes, this.material)) skills.set(save.name, this.afterSave(save));
    for (const name of changes.flatMap((change) => [...goneBy(change).keys()])) skills.delete(name);
    if (!this.state || !areEqual(this.state.skills, skills))
      this.state = { skills, reach: await this.indexed(skills) };
    return this.state.reach;
  }

  private async indexed(skills: TrialSkills): Promise<Reach> {
    this.index ??= RecallIndex.empty(await this.needs.meaning());
    await this.index.update({
      skills: [...skills.values()].map(({ skill }) => skill),
      readBody: ({ name }) => skills.get(name)?.body ?? "",
    });
    return reachIn(this.index, this.needs);
  }

  /** The skill as a save would leave it, times aside, parsed once. Throws what the open spec's validator refuses. */
  afterSave(save: ChangeSave): TrialSkill & { readonly text: string } {
    const key = JSON.stringify(save);
    const known = this.saved.get(key);
    if (known) return known;
    const { name, description, summary, seeAlso } = save;
    const existing = this.material.byName.get(name);
    const incoming = readSkillText(save.body, SKILL_FILE);
    const parts = { name, incoming, existing: existing?.read, description, summary, seeAlso };
    const text = composeSkill({ ...parts, managed: {} });
    const { manifest, body } = checkConformance(text, `${name}/${SKILL_FILE}`);
    const digest = sha256Of(Buffer.from(text));
    const made = { text, body, skill: { ...(existing?.skill ?? this.newSkill(name)), manifest, digest } };
    this.saved.set(key, made);
    return made;
  }

  /** What the change does to the files, as a patch. */
  async diff(change: DreamChange): Promise<string> {
    const { save, archives, settings } = change;
    const parts = archives.map(({ name, into }) => `--- ${name}\n+++ archived, leads to ${into}`);
    if (settings)
      parts.push(
        "disable" in settings
          ? `+++ repertoire.config.json\n+"disable": ["${settings.disable}"]`
          : `+++ repertoire.config.json\n+"recall.links": {"${settings.link}": ["${settings.to}"]}`,
      );
    if (!save) return parts.join("\n");
    const before = this.material.byName.get(save.name);
    const patch = await unifiedDiff(before?.text ?? "", this.afterSave(save).text);
    return [`--- ${before ? save.name : "nothing"}\n+++ ${save.name}\n${patch}`, ...parts].join("\n");
  }

  private newSkill(name: SkillName): Omit<Skill, "manifest" | "digest"> {
    const { learnedRoot, sources } = this.needs;
    const path = join("/", ...name.split("/"), SKILL_FILE);
    const source = sources.find(({ root }) => root === learnedRoot)?.id ?? learnedRoot;
    return { name, displayName: lastSegment(name), source, path, directory: dirname(path) };
  }
}

function areEqual(a: TrialSkills, b: TrialSkills): boolean {
  return a.size === b.size && [...a].every(([name, { skill }]) => b.get(name)?.skill.digest === skill.digest);
}
