// Splits a plan into changes that can be judged, accepted, rejected and undone one by one.

import { isRepertoireError } from "../model/errors.ts";
import { type SkillName, toSkillName } from "../model/name.ts";
import { readSkillText } from "../parse/parse.ts";
import { clip } from "../text/markdown.ts";
import { GUARD } from "./limits.ts";
import { isGuide, type Material } from "./material.ts";
import type { Plan, PlanSave } from "./plan.ts";

export const PASSES = ["gap", "consolidate", "optimize"] as const;
export type Pass = (typeof PASSES)[number];

export type ChangeKind =
  | "create"
  | "draft"
  | "guide"
  | "improve"
  | "merge"
  | "link"
  | "archive"
  | "disable"
  | "relate";

/** A change of the person's settings, for a skill whose files a dream may not change. */
export type SettingsChange =
  | { readonly disable: SkillName; readonly into?: SkillName | undefined }
  | { readonly link: SkillName; readonly to: SkillName };

export interface ChangeSave {
  readonly name: SkillName;
  readonly body: string;
  /** Absent: the skill's own stays. */
  readonly description?: string | undefined;
  readonly summary?: string | undefined;
  readonly seeAlso?: readonly SkillName[] | undefined;
}

interface ChangeArchive {
  readonly name: SkillName;
  readonly into: SkillName;
}

export interface DreamChange {
  readonly kind: ChangeKind;
  readonly pass: Pass;
  readonly save?: ChangeSave | undefined;
  readonly archives: readonly ChangeArchive[];
  readonly settings?: SettingsChange | undefined;
}

/** Why something is not proposed. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly names: readonly string[];
}

export function touchedBy(change: DreamChange): SkillName[] {
  return [
    ...new Set([
      ...(change.save ? [change.save.name] : []),
      ...change.archives.flatMap(({ name, into }) => [name, into]),
      ...setBy(change),
    ]),
  ];
}

/** Skills whose files or settings the change writes. What absorbs an archived skill stays as it is. */
export function changedBy(change: DreamChange): SkillName[] {
  const { save, archives } = change;
  return [...(save ? [save.name] : []), ...archives.map(({ name }) => name), ...setBy(change)];
}

function setBy({ settings }: DreamChange): SkillName[] {
  if (!settings) return [];
  return ["disable" in settings ? settings.disable : settings.link];
}

/** Skills that are no longer there after the change, and where each leads. */
export function goneBy({ archives, settings }: DreamChange): ReadonlyMap<SkillName, SkillName | undefined> {
  const gone = new Map<SkillName, SkillName | undefined>(archives.map(({ name, into }) => [name, into]));
  if (settings && "disable" in settings) gone.set(settings.disable, settings.into);
  return gone;
}

/** Whether two changes cannot both be made as they were proposed. A link only adds names, so it goes with any other save. */
export function collide(a: DreamChange, b: DreamChange): boolean {
  const gone = (change: DreamChange) => [...goneBy(change).keys()];
  const rewritten = (change: DreamChange) =>
    change.save && change.kind !== "link" ? [change.save.name, ...gone(change)] : gone(change);
  const reliesOn = (x: DreamChange, y: DreamChange) => {
    const isLink = x.kind === "link" || x.kind === "relate";
    const needed = [...goneBy(x).values(), ...(isLink ? changedBy(x) : [])];
    return needed.some((name) => name !== undefined && gone(y).includes(name));
  };
  return rewritten(a).some((name) => rewritten(b).includes(name)) || reliesOn(a, b) || reliesOn(b, a);
}

/** What is saved if these changes are made together: one save per skill, which has the links of all of them. */
export function savesOf(changes: readonly DreamChange[], { byName }: Pick<Material, "byName">): ChangeSave[] {
  const saves = new Map<SkillName, ChangeSave>();
  for (const { kind, save } of changes) if (save && kind !== "link") saves.set(save.name, save);
  for (const { kind, save } of changes) {
    if (!save || kind !== "link") continue;
    const existing = byName.get(save.name);
    const base = saves.get(save.name) ?? { name: save.name, body: existing?.body ?? save.body };
    const names = [...(base.seeAlso ?? existing?.seeAlso ?? []), ...(save.seeAlso ?? [])];
    saves.set(save.name, { ...base, seeAlso: [...new Set(names)].slice(0, GUARD.seeAlso) });
  }
  return [...saves.values()];
}

/** Every save with what it absorbs is one change; an archive that no save absorbs must name what does. */
export function splitPlan(
  plan: Plan,
  pass: Pass,
  { byName }: Material,
): { changes: DreamChange[]; refusals: Refusal[] } {
  const refusals = plan.dropped.map(({ item, why }) =>
    refuse("plan-item-dropped", `${why} The rest of the plan is kept.`, [item]),
  );
  const changes: DreamChange[] = [];
  const wanted = new Map(
    plan.toDelete.map(({ name, into }) => [
      nameOf(name) ?? name,
      into === undefined ? undefined : (nameOf(into) ?? into),
    ]),
  );
  const taken = new Set<SkillName>();
  const linkable = new Set([...byName.keys(), ...plan.toSave.map(({ name }) => nameOf(name))]);
  for (const item of plan.toSave) {
    const save = toSave(item, linkable);
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
      const change = toChange(save, archives, { pass, byName });
      if (change) changes.push(change);
    }
  }
  for (const [name, into] of wanted) {
    if (into === undefined)
      refusals.push(
        refuse("no-absorber", `"${name}" would be archived without a skill that absorbs it.`, [name]),
      );
    else changes.push({ kind: "archive", pass, archives: [{ name, into }] });
  }
  return { changes, refusals };
}

function toSave(item: PlanSave, linkable: ReadonlySet<string | undefined>): ChangeSave | Refusal {
  const name = nameOf(item.name);
  if (name === undefined)
    return refuse("name-invalid", `"${item.name}" cannot be the name of a skill.`, [item.name]);
  const content = readContent(item.content);
  if ("code" in content) return { ...content, names: [name] };
  const description = item.description ?? content.description;
  return {
    name,
    body: content.body,
    description: description && clip(description.replace(/\s+/g, " ").trim(), GUARD.descriptionChars),
    summary: item.summary && clip(item.summary.trim(), GUARD.summaryChars),
    seeAlso: item.seeAlso && seeAlsoOf(item.seeAlso, { own: name, linkable }),
  };
}

/** Front matter within front matter is a way to smuggle keys in. */
const LAYERS = 2;

function readContent(content: string): { body: string; description?: string | undefined } | Refusal {
  try {
    let { front, body } = readSkillText(content, "SKILL.md");
    const { description } = front;
    for (let layer = 0; /^\s*---\s*\n/.test(body); layer++) {
      if (layer >= LAYERS)
        return refuse("front-matter-nested", "The content begins with front matter within front matter.", []);
      body = readSkillText(body, "SKILL.md").body;
    }
    const hasDescription = typeof description === "string" && description !== "";
    return { body: body.trim(), description: hasDescription ? description : undefined };
  } catch (error) {
    if (!isRepertoireError(error)) throw error;
    return refuse(error.code, error.message, []);
  }
}

function toChange(
  save: ChangeSave,
  archives: readonly ChangeArchive[],
  { pass, byName }: { pass: Pass; byName: Material["byName"] },
): DreamChange | undefined {
  const existing = byName.get(save.name);
  if (archives.length > 0) return { kind: "merge", pass, save, archives };
  if (!existing) return { kind: isGuide(save.name) ? "guide" : "create", pass, save, archives };
  const sameText =
    existing.body.trim() === save.body.trim() &&
    (save.description === undefined || save.description === existing.description);
  const links = save.seeAlso?.filter((name) => !existing.seeAlso.includes(name)) ?? [];
  if (sameText && links.length === 0) return undefined;
  return { kind: sameText ? "link" : "improve", pass, save, archives };
}

/** Only links to skills that exist. */
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
