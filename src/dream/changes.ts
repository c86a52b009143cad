// Owns taking a plan apart into changes that stand alone: each can be judged, accepted, rejected and undone by itself.
// Does not judge them: `guard.ts` does.

import { type SkillName, toSkillName } from "../model/name.ts";
import { clip } from "../text/markdown.ts";
import { isGuide } from "./evidence-shelf.ts";
import { GUARD } from "./limits.ts";
import type { DreamSkill } from "./material.ts";
import type { Plan, PlanSave } from "./plan.ts";

export const PASSES = ["gap", "consolidate", "optimize"] as const;
export type Pass = (typeof PASSES)[number];

export const CHANGE_KINDS = ["create", "guide", "improve", "merge", "link", "archive"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface ChangeSave {
  readonly name: SkillName;
  readonly body: string;
  /** Absent: the skill's own stays. */
  readonly description?: string;
  readonly summary?: string;
  readonly seeAlso?: readonly SkillName[];
}

export interface ChangeArchive {
  readonly name: SkillName;
  readonly into: SkillName;
}

export interface Change {
  readonly kind: ChangeKind;
  readonly pass: Pass;
  readonly save?: ChangeSave;
  readonly archives: readonly ChangeArchive[];
}

/** Why something is not proposed. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly names: readonly string[];
}

/** What the caller read from a save's content: front matter apart from the procedure. */
export interface ReadContent {
  readonly body: string;
  readonly description?: string;
}

export interface SplitOptions {
  readonly pass: Pass;
  readonly skills: ReadonlyMap<SkillName, DreamSkill>;
  /** Throws with the reason when the content is no skill. */
  readonly read: (content: string) => ReadContent | Refusal;
}

export function touchedBy(change: Change): SkillName[] {
  return [
    ...new Set([
      ...(change.save ? [change.save.name] : []),
      ...change.archives.flatMap(({ name, into }) => [name, into]),
    ]),
  ];
}

/** Skills whose files the change writes; what absorbs an archive is only relied on. */
export function changedBy({ save, archives }: Change): SkillName[] {
  return [...(save ? [save.name] : []), ...archives.map(({ name }) => name)];
}

/** Whether two changes cannot both be made as they were proposed. */
export function collide(a: Change, b: Change): boolean {
  const both = new Set(changedBy(a));
  const reliesOn = (x: Change, y: Change) =>
    x.archives.some(({ into }) => y.archives.some(({ name }) => name === into));
  return changedBy(b).some((name) => both.has(name)) || reliesOn(a, b) || reliesOn(b, a);
}

/** Every save with what it absorbs is one change; an archive that no save absorbs must name what does. */
export function splitPlan(plan: Plan, options: SplitOptions): { changes: Change[]; refusals: Refusal[] } {
  const refusals: Refusal[] = [];
  const changes: Change[] = [];
  const wanted = new Map(
    plan.toDelete.map(({ name, into }) => [
      nameOf(name) ?? name,
      into === undefined ? undefined : (nameOf(into) ?? into),
    ]),
  );
  const taken = new Set<SkillName>();
  const linkable = new Set([...options.skills.keys(), ...plan.toSave.map(({ name }) => nameOf(name))]);
  for (const item of plan.toSave) {
    const save = toSave(item, { ...options, linkable });
    if ("code" in save) refusals.push(save);
    else if (taken.has(save.name))
      refusals.push(refuse("saved-twice", `"${save.name}" is saved twice in one plan.`, [save.name]));
    else {
      taken.add(save.name);
      const sources = item.sourceNames.map((name) => nameOf(name) ?? name);
      const isMine = (name: SkillName) =>
        name !== save.name && (sources.includes(name) || wanted.get(name) === save.name);
      const archives = [...wanted.keys()].filter(isMine).map((name) => ({ name, into: save.name }));
      for (const { name } of archives) wanted.delete(name);
      const change = toChange(save, archives, options);
      if (change) changes.push(change);
    }
  }
  for (const [name, into] of wanted) {
    if (into === undefined)
      refusals.push(
        refuse("no-absorber", `"${name}" would be archived without a skill that absorbs it.`, [name]),
      );
    else changes.push({ kind: "archive", pass: options.pass, archives: [{ name, into }] });
  }
  return { changes, refusals };
}

function toSave(
  item: PlanSave,
  { read, linkable }: SplitOptions & { linkable: ReadonlySet<string | undefined> },
): ChangeSave | Refusal {
  const name = nameOf(item.name);
  if (name === undefined)
    return refuse("name-invalid", `"${item.name}" cannot be the name of a skill.`, [item.name]);
  const content = read(item.content);
  if ("code" in content) return { ...content, names: [name] };
  const description = item.description ?? content.description;
  return {
    name,
    body: content.body,
    ...(description !== undefined && {
      description: clip(description.replace(/\s+/g, " ").trim(), GUARD.descriptionChars),
    }),
    ...(item.summary !== undefined && { summary: clip(item.summary.trim(), GUARD.summaryChars) }),
    ...(item.seeAlso && { seeAlso: seeAlsoOf(item.seeAlso, { own: name, linkable }) }),
  };
}

function toChange(
  save: ChangeSave,
  archives: readonly ChangeArchive[],
  { pass, skills }: SplitOptions,
): Change | undefined {
  const existing = skills.get(save.name);
  if (archives.length > 0) return { kind: "merge", pass, save, archives };
  if (!existing) return { kind: isGuide(save.name) ? "guide" : "create", pass, save, archives };
  const sameText =
    existing.body.trim() === save.body.trim() &&
    (save.description === undefined || save.description === existing.description);
  const links = save.seeAlso?.filter((name) => !existing.seeAlso.includes(name)) ?? [];
  if (sameText && links.length === 0) return undefined;
  return { kind: sameText ? "link" : "improve", pass, save, archives };
}

/** Links to skills that are there; one to nowhere helps nobody. */
function seeAlsoOf(
  names: readonly string[],
  { own, linkable }: { own: SkillName; linkable: ReadonlySet<string | undefined> },
): SkillName[] {
  const known = names
    .map(nameOf)
    .filter((name): name is SkillName => name !== undefined && name !== own && linkable.has(name));
  return [...new Set(known)].slice(0, GUARD.seeAlso);
}

function nameOf(spelling: string): SkillName | undefined {
  const result = toSkillName(spelling.trim());
  return result.ok ? result.name : undefined;
}

export function refuse(code: string, message: string, names: readonly string[]): Refusal {
  return { code, message, names };
}
