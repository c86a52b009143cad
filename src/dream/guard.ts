// Owns what a change must be, whoever thought of it: allowed, complete, lossless, small. Decides in code and names every
// refusal. Does not own whether messages still find their skills: `gate.ts` does.

import type { SkillName } from "../model/name.ts";
import { isPortableName, SPEC } from "../package/package.ts";
import { type Change, type ChangeSave, changedBy, type Refusal, refuse, touchedBy } from "./changes.ts";
import { coverageOf } from "./coverage.ts";
import { isGuide } from "./evidence-shelf.ts";
import { GUARD } from "./limits.ts";
import { type DreamSkill, isNamespaced, type Material, prefixOf } from "./material.ts";

export interface GuardSettings {
  /** Share of the library that one run may touch. */
  readonly share?: number;
  /** Skills that one run may touch, however small the library. */
  readonly least?: number;
}

export interface GuardContext {
  readonly material: Material;
  readonly skills: ReadonlyMap<SkillName, DreamSkill>;
  /** What is dangerous in the text and was not in the texts it comes from, in words. */
  readonly inspect: (text: string, sources: readonly string[]) => readonly string[];
}

/** Everything that speaks against a change; empty when nothing does. */
export function guard(change: Change, context: GuardContext): Refusal[] {
  const { save } = change;
  return [
    ...(save
      ? [
          ...checkName(save, change, context),
          ...checkTarget(save, context),
          ...checkText(save, change, context),
        ]
      : []),
    ...change.archives.flatMap((archive) => checkArchive(archive, change, context)),
    ...(save ? [...checkSize(save, change, context), ...checkPaths(change, context)] : []),
  ];
}

/** How many skills one run may touch. */
export function capOf(librarySize: number, settings: GuardSettings = {}): number {
  return Math.max(settings.least ?? GUARD.least, Math.floor(librarySize * (settings.share ?? GUARD.share)));
}

/** Lets changes through in order until the cap is reached; the rest is refused. */
export function underCap<T extends { readonly change: Change }>(
  items: readonly T[],
  cap: number,
): { kept: T[]; refused: { item: T; refusal: Refusal }[] } {
  const touched = new Set<SkillName>();
  const kept: T[] = [];
  const refused: { item: T; refusal: Refusal }[] = [];
  for (const item of items) {
    const names = changedBy(item.change);
    if (new Set([...touched, ...names]).size > cap) {
      const message = `One run changes at most ${cap} skills, and this one would go beyond. Run again after these are decided.`;
      refused.push({ item, refusal: refuse("cap-reached", message, names) });
    } else {
      for (const name of names) touched.add(name);
      kept.push(item);
    }
  }
  return { kept, refused };
}

function checkName({ name }: ChangeSave, change: Change, { material, skills }: GuardContext): Refusal[] {
  const found: Refusal[] = [];
  if (!name.split("/").every((segment) => segment.length <= SPEC.nameChars && isPortableName(segment)))
    found.push(
      refuse(
        "name-invalid",
        `"${name}" is not a portable name: lower-case letters, digits and hyphens, at most ${SPEC.nameChars} characters in a part.`,
        [name],
      ),
    );
  const to = material.redirects.get(name);
  if (to !== undefined && !skills.has(name))
    found.push(
      refuse(
        "name-redirects",
        `"${name}" was archived and leads to "${to}" now; it cannot come back as a new skill.`,
        [name],
      ),
    );
  if (isNamespaced(material.prefixes, prefixOf(name))) {
    if (isGuide(name))
      found.push(
        refuse(
          "guide-for-namespaced",
          `"${prefixOf(name)}" is namespaced: each skill below it belongs to its own server, and a guide would blur that.`,
          [name],
        ),
      );
    if (change.archives.length > 0)
      found.push(
        refuse(
          "merge-of-namespaced",
          `Skills below "${prefixOf(name)}" belong to their own servers and are never merged.`,
          touchedBy(change),
        ),
      );
  }
  return found;
}

function checkTarget(save: ChangeSave, { skills }: GuardContext): Refusal[] {
  const existing = skills.get(save.name);
  return existing && !existing.editable
    ? [refuse("not-editable", `"${save.name}" is not changed by a dream: ${existing.kept}.`, [save.name])]
    : [];
}

function checkText(save: ChangeSave, change: Change, { inspect, skills }: GuardContext): Refusal[] {
  const { name, body, description = "" } = save;
  const sources = changedBy(change).flatMap((each) => skills.get(each)?.body ?? []);
  const dangers = inspect(`${description}\n\n${body}`, sources);
  if (dangers.length === 0) return [];
  return [refuse("content-unsafe", `"${name}" looks dangerous: ${dangers.join(" ")}`, [name])];
}

function checkArchive(
  { name, into }: { name: SkillName; into: SkillName },
  change: Change,
  { skills, material }: GuardContext,
): Refusal[] {
  const skill = skills.get(name);
  if (!skill) return [refuse("not-found", `"${name}" would be archived but is not in the library.`, [name])];
  const found: Refusal[] = [];
  if (!skill.editable)
    found.push(refuse("not-editable", `"${name}" is not archived by a dream: ${skill.kept}.`, [name]));
  if (isNamespaced(material.prefixes, prefixOf(name)))
    found.push(
      refuse("merge-of-namespaced", `"${name}" belongs to its own server and is never merged.`, [name]),
    );
  const absorber = skills.get(into);
  const saved = change.save?.name === into ? change.save : undefined;
  if (name === into || (!absorber && !saved)) {
    found.push(
      refuse("no-absorber", `"${name}" would be archived into "${into}", which is not there.`, [name]),
    );
    return found;
  }
  const after = saved ?? absorber!;
  const text = `${after.name}\n${after.description ?? absorber?.description ?? ""}\n\n${after.body}`;
  const lost = coverageOf(skill.body, text).filter(({ enough }) => !enough);
  for (const { kind, share, missing } of lost) {
    const message = `"${into}" keeps only ${Math.round(share * 100)}% of the ${kind} of "${name}"; missing: ${missing.join(", ")}.`;
    found.push(refuse("content-lost", message, [name, into]));
  }
  return [...found, ...checkFiles(skill, absorber, { isSaved: saved !== undefined, into })];
}

/** Support files move with a merge; they cannot where the same path is taken, or where nothing is saved. */
function checkFiles(
  skill: DreamSkill,
  absorber: DreamSkill | undefined,
  { isSaved, into }: { isSaved: boolean; into: SkillName },
): Refusal[] {
  const colliding = skill.files.filter((path) => !isSaved || absorber?.files.includes(path));
  if (colliding.length === 0) return [];
  const why = isSaved ? `"${into}" has files of the same paths` : `nothing is saved that could hold them`;
  return [
    refuse(
      "files-lost",
      `The support files of "${skill.name}" (${colliding.join(", ")}) would be lost: ${why}.`,
      [skill.name, into],
    ),
  ];
}

/** Two absorbed skills cannot both bring a file of the same path. */
function checkPaths({ archives }: Change, { skills }: GuardContext): Refusal[] {
  const paths = archives.flatMap(({ name }) => skills.get(name)?.files ?? []);
  const twice = paths.filter((path, at) => paths.indexOf(path) !== at);
  const names = archives.map(({ name }) => name);
  return twice.length === 0
    ? []
    : [
        refuse(
          "files-lost",
          `${names.join(" and ")} have files of the same paths (${twice.join(", ")}); one of each would be lost.`,
          names,
        ),
      ];
}

function checkSize(save: ChangeSave, change: Change, { skills }: GuardContext): Refusal[] {
  const size = save.body.trim().length;
  const existing = skills.get(save.name);
  const found: Refusal[] = [];
  if (size > GUARD.maxChars)
    found.push(
      refuse("too-long", `"${save.name}" would have ${size} characters; at most ${GUARD.maxChars}.`, [
        save.name,
      ]),
    );
  if (change.kind === "link") return found;
  if (size < GUARD.minChars)
    found.push(
      refuse(
        "too-short",
        `"${save.name}" would have ${size} characters; a skill needs ${GUARD.minChars} to guide anybody.`,
        [save.name],
      ),
    );
  const sources = change.archives.map(({ name }) => skills.get(name)?.body.trim().length ?? 0);
  const longest = Math.max(0, ...sources);
  if (existing && size < existing.body.trim().length * GUARD.shrink)
    found.push(
      refuse(
        "shrinks",
        `"${save.name}" would shrink from ${existing.body.trim().length} to ${size} characters.`,
        [save.name],
      ),
    );
  if (size < longest * GUARD.mergeShrink)
    found.push(
      refuse(
        "shrinks",
        `"${save.name}" would have ${size} characters, less than what it absorbs (${longest}).`,
        [save.name],
      ),
    );
  return found;
}
