// Checks that a change is allowed, complete, lossless and small, whoever thought of it. Every refusal has a code.

import { inspectPackage } from "../inspect/inspect.ts";
import { isRepertoireError } from "../model/errors.ts";
import { parentName, type SkillName } from "../model/name.ts";
import { isPortableName, SPEC } from "../package/package.ts";
import { firstOf } from "../text/lists.ts";
import { clip } from "../text/markdown.ts";
import { type ChangeSave, changedBy, type DreamChange, type Refusal, refuse, touchedBy } from "./changes.ts";
import { lostClauses, sharedWords } from "./clauses.ts";
import { coverageOf } from "./coverage.ts";
import type { Review } from "./gate.ts";
import { GUARD } from "./limits.ts";
import { isGuide, isNamespaced, type Material } from "./material.ts";

export interface GuardSettings {
  /** Share of the library that one run may touch. */
  readonly share?: number | undefined;
  /** Skills that one run may touch, however small the library. */
  readonly least?: number | undefined;
}

/** What would be said nowhere any more. */
export interface Losses {
  readonly name: SkillName;
  readonly clauses: readonly string[];
}

/** Lost clauses quoted in a refusal, and characters of each. */
const QUOTED = 5;
const QUOTED_CHARS = 120;

/** All reasons to refuse a change that are known before any message is tried. */
export function guard(change: DreamChange, review: Review): Refusal[] {
  const { material } = review;
  const { save, archives } = change;
  const missing = change.settings ? changedBy(change).filter((name) => !material.byName.has(name)) : [];
  const refusals = [
    ...missing.map((name) => refuse("not-found", `"${name}" is not in the library.`, [name])),
    ...(save
      ? [checkName, checkTarget, checkText, checkSubject].flatMap((check) => check(save, change, material))
      : []),
    ...archives.flatMap((archive) => checkArchive(archive, change, material)),
    ...(save ? [checkSize, checkPaths].flatMap((check) => check(save, change, material)) : []),
  ];
  return refusals.length === 0 && save ? checkFormat(save, review) : refusals;
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

type SaveCheck = (save: ChangeSave, change: DreamChange, material: Material) => Refusal[];

const checkName: SaveCheck = ({ name }, change, { redirects, byName, prefixes }) => {
  const isPortable = name.split("/").every((part) => part.length <= SPEC.nameChars && isPortableName(part));
  const to = redirects.get(name);
  const prefix = parentName(name);
  const found: Refusal[] = [];
  const add = (code: string, message: string, names: SkillName[] = [name]) =>
    found.push(refuse(code, message, names));
  if (!isPortable)
    add(
      "name-invalid",
      `"${name}" is not a portable name: lower-case letters, digits and hyphens, 64 a part.`,
    );
  if (to !== undefined && !byName.has(name))
    add(
      "name-redirects",
      `"${name}" was archived and leads to "${to}" now; it cannot come back as a new skill.`,
    );
  if (!isNamespaced(prefixes, prefix)) return found;
  const namespaced = `"${prefix}" is namespaced: each skill below it belongs to its own server`;
  if (isGuide(name)) add("guide-for-namespaced", `${namespaced}, and a guide would blur that.`);
  const merged = `Skills below "${prefix}" belong to their own servers and are never merged.`;
  if (change.archives.length > 0) add("merge-of-namespaced", merged, touchedBy(change));
  return found;
};

const checkTarget: SaveCheck = ({ name }, _, { byName }) => {
  const existing = byName.get(name);
  if (existing?.editable !== false) return [];
  return [
    refuse("not-editable", `"${name}" is not changed by a dream: ${existing.protectedBecause}.`, [name]),
  ];
};

const checkText: SaveCheck = ({ name, body, description = "" }, change, { byName }) => {
  const sources = changedBy(change).flatMap((each) => byName.get(each)?.body ?? []);
  const dangers = dangersIn(`${description}\n\n${body}`, sources);
  if (dangers.length === 0) return [];
  return [refuse("content-unsafe", `"${name}" looks dangerous: ${dangers.join(" ")}`, [name])];
};

/** An improvement says more about the same thing. */
const checkSubject: SaveCheck = ({ name, body, description }, { kind }, { byName }) => {
  const before = byName.get(name);
  if (kind !== "improve" || !before?.editable) return [];
  const after = `${description ?? before.description}\n\n${body}`;
  const isAbout =
    sharedWords(before.body, after) >= GUARD.aboutBody &&
    sharedWords(before.description, after) >= GUARD.aboutDescription;
  if (isAbout) return [];
  const message = `"${name}" would be about something else: the new text has hardly any words of the old one. Save another subject as another skill.`;
  return [refuse("subject-changed", message, [name])];
};

function checkArchive(
  { name, into }: { name: SkillName; into: SkillName },
  change: DreamChange,
  { byName, prefixes }: Material,
): Refusal[] {
  const skill = byName.get(name);
  if (!skill) return [refuse("not-found", `"${name}" would be archived but is not in the library.`, [name])];
  const found: Refusal[] = [];
  const add = (code: string, message: string, names = [name]) => found.push(refuse(code, message, names));
  if (!skill.editable)
    add("not-editable", `"${name}" is not archived by a dream: ${skill.protectedBecause}.`);
  if (isNamespaced(prefixes, parentName(name)))
    add("merge-of-namespaced", `"${name}" belongs to its own server and is never merged.`);
  const absorber = byName.get(into);
  const saved = change.save?.name === into ? change.save : undefined;
  const after = saved ?? absorber;
  if (name === into || !after) {
    add("no-absorber", `"${name}" would be archived into "${into}", which is not there.`);
    return found;
  }
  const text = `${after.name}\n${after.description ?? absorber?.description ?? ""}\n\n${after.body}`;
  for (const { kind, share, missing, enough } of coverageOf(skill.body, text)) {
    const kept = `keeps only ${Math.round(share * 100)}% of the ${kind} of "${name}"`;
    if (!enough) add("content-lost", `"${into}" ${kept}; missing: ${missing.join(", ")}.`, [name, into]);
  }
  const lost = lostClauses(skill.body, text, saved ? GUARD.clauseMerged : GUARD.clauseSame);
  if (lost.length > 0) {
    const clauses = lost.map(({ text }) => `"${clip(text, QUOTED_CHARS)}"`);
    add("content-lost", `"${into}" does not say what "${name}" says: ${firstOf(clauses, QUOTED)}.`, [
      name,
      into,
    ]);
  }
  // Support files move with a merge. They cannot if the same path is taken, or if nothing is saved.
  const files = skill.files.filter((path) => !saved || absorber?.files.includes(path));
  const why = saved ? `"${into}" has files of the same paths` : `nothing is saved that could hold them`;
  if (files.length > 0) {
    const message = `The support files of "${name}" (${files.join(", ")}) would be lost: ${why}.`;
    add("files-lost", message, [name, into]);
  }
  return found;
}

/** The clauses that a change may lose, by skill: those that are not said again nearly word for word. */
export function lossesOf(change: DreamChange, { byName }: Material): Losses[] {
  const { kind, save, archives } = change;
  const pairs = archives.map(({ name, into }) => ({
    name,
    after: save?.name === into ? save : byName.get(into),
  }));
  if (kind === "improve" && save) pairs.push({ name: save.name, after: save });
  return pairs.flatMap(({ name, after }) => {
    const before = byName.get(name);
    if (!before || !after) return [];
    const text = `${after.description ?? ""}\n\n${after.body}`;
    const clauses = lostClauses(before.body, text, GUARD.clauseSame).map((clause) => clause.text);
    return clauses.length > 0 ? [{ name, clauses }] : [];
  });
}

/** Two absorbed skills cannot both bring a file of the same path. */
const checkPaths: SaveCheck = (_, { archives }, { byName }) => {
  const paths = archives.flatMap(({ name }) => byName.get(name)?.files ?? []);
  const twice = paths.filter((path, at) => paths.indexOf(path) !== at);
  if (twice.length === 0) return [];
  const names = archives.map(({ name }) => name);
  const message = `${names.join(" and ")} have files of the same paths (${twice.join(", ")}); one of each would be lost.`;
  return [refuse("files-lost", message, names)];
};

const checkSize: SaveCheck = ({ name, body }, { kind, archives }, { byName }) => {
  const size = body.trim().length;
  const would = `"${name}" would have ${size} characters`;
  const lengthOf = (each: SkillName) => byName.get(each)?.body.trim().length ?? 0;
  const found: Refusal[] = [];
  const add = (code: string, message: string) => found.push(refuse(code, message, [name]));
  if (size > GUARD.maxChars) add("too-long", `${would}; at most ${GUARD.maxChars}.`);
  if (kind === "link") return found;
  if (size < GUARD.minChars) add("too-short", `${would}; a skill needs ${GUARD.minChars} to guide anybody.`);
  if (size < lengthOf(name) * GUARD.shrink)
    add("shrinks", `"${name}" would shrink from ${lengthOf(name)} to ${size} characters.`);
  const longest = Math.max(0, ...archives.map((archive) => lengthOf(archive.name)));
  if (size < longest * GUARD.mergeShrink) add("shrinks", `${would}, less than what it absorbs (${longest}).`);
  return found;
};

/** The text as it would be saved must pass the open spec's validator. */
function checkFormat(save: ChangeSave, { trial }: Review): Refusal[] {
  try {
    trial.afterSave(save);
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
