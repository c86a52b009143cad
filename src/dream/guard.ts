// Checks that a change is allowed, complete, lossless and small, whoever thought of it. Every refusal has a code.

import { inspectPackage } from "../inspect/inspect.ts";
import { checkConformance } from "../learn/learn.ts";
import { isRepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { type ChangeSave, changedBy, type DreamChange, type Refusal, refuse, touchedBy } from "./changes.ts";
import { coverageOf } from "./coverage.ts";
import { GUARD } from "./limits.ts";
import { type DreamSkill, isGuide, isNamespaced, type Material, prefixOf } from "./material.ts";
import { textAfter } from "./trial-library.ts";

export interface GuardSettings {
  /** Share of the library that one run may touch. */
  readonly share?: number | undefined;
  /** Skills that one run may touch, however small the library. */
  readonly least?: number | undefined;
}

const PORTABLE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_SEGMENT = 64;

/** Everything that speaks against a change before any message is tried. */
export function guard(change: DreamChange, material: Material): Refusal[] {
  const { save, archives } = change;
  const refusals = [
    ...(save
      ? [
          ...checkName(save, change, material),
          ...checkTarget(save, material),
          ...checkText(save, change, material),
        ]
      : []),
    ...archives.flatMap((archive) => checkArchive(archive, change, material)),
    ...(save ? [...checkSize(save, change, material), ...checkPaths(change, material)] : []),
  ];
  return refusals.length === 0 && save ? checkFormat(save, material) : refusals;
}

/** How many skills one run may touch. */
export function capOf(librarySize: number, settings: GuardSettings = {}): number {
  return Math.max(settings.least ?? GUARD.least, Math.floor(librarySize * (settings.share ?? GUARD.share)));
}

/** Lets changes through in order until the cap is reached; the rest is refused. */
export function underCap<T extends { readonly change: DreamChange }>(
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

function checkName({ name }: ChangeSave, change: DreamChange, material: Material): Refusal[] {
  const found: Refusal[] = [];
  if (!name.split("/").every((segment) => segment.length <= MAX_SEGMENT && PORTABLE.test(segment)))
    found.push(
      refuse(
        "name-invalid",
        `"${name}" is not a portable name: lower-case letters, digits and hyphens, 64 a part.`,
        [name],
      ),
    );
  const to = material.redirects.get(name);
  if (to !== undefined && !material.byName.has(name))
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

function checkTarget(save: ChangeSave, { byName }: Material): Refusal[] {
  const existing = byName.get(save.name);
  return existing && !existing.editable
    ? [
        refuse("not-editable", `"${save.name}" is not changed by a dream: ${existing.protectedBecause}.`, [
          save.name,
        ]),
      ]
    : [];
}

function checkText(save: ChangeSave, change: DreamChange, { byName }: Material): Refusal[] {
  const { name, body, description = "" } = save;
  const sources = changedBy(change).flatMap((each) => byName.get(each)?.body ?? []);
  const dangers = dangersIn(`${description}\n\n${body}`, sources);
  if (dangers.length === 0) return [];
  return [refuse("content-unsafe", `"${name}" looks dangerous: ${dangers.join(" ")}`, [name])];
}

function checkArchive(
  { name, into }: { name: SkillName; into: SkillName },
  change: DreamChange,
  material: Material,
): Refusal[] {
  const skill = material.byName.get(name);
  if (!skill) return [refuse("not-found", `"${name}" would be archived but is not in the library.`, [name])];
  const found: Refusal[] = [];
  if (!skill.editable)
    found.push(
      refuse("not-editable", `"${name}" is not archived by a dream: ${skill.protectedBecause}.`, [name]),
    );
  if (isNamespaced(material.prefixes, prefixOf(name)))
    found.push(
      refuse("merge-of-namespaced", `"${name}" belongs to its own server and is never merged.`, [name]),
    );
  const absorber = material.byName.get(into);
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
function checkPaths({ archives }: DreamChange, { byName }: Material): Refusal[] {
  const paths = archives.flatMap(({ name }) => byName.get(name)?.files ?? []);
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

function checkSize(save: ChangeSave, change: DreamChange, { byName }: Material): Refusal[] {
  const size = save.body.trim().length;
  const existing = byName.get(save.name);
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
  const sources = change.archives.map(({ name }) => byName.get(name)?.body.trim().length ?? 0);
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

/** The text as it would be saved must pass the open spec's validator. */
function checkFormat(save: ChangeSave, { byName }: Material): Refusal[] {
  try {
    checkConformance(textAfter(save, byName.get(save.name)), `${save.name}/SKILL.md`);
    return [];
  } catch (error) {
    if (!isRepertoireError(error)) throw error;
    return [refuse(error.code, error.message, [save.name])];
  }
}

/** Nobody watches a dream write, so what a person may save with a warning is refused, unless a source had it before. */
function dangersIn(text: string, sources: readonly string[]): string[] {
  const findings = (content: string) =>
    inspectPackage([{ path: "SKILL.md", bytes: Buffer.from(content) }]).findings.filter(
      ({ severity }) => severity !== "low",
    );
  const before = new Set(sources.flatMap(findings).map(({ code }) => code));
  return findings(text)
    .filter(({ code, severity }) => severity === "high" || !before.has(code))
    .map(({ message }) => message);
}
