// Decides what `undo` takes back and `redo` makes again, from the versions alone: a change, an undo and a redo are all versions.
// Versions are read newest first, and no further than the answer needs.

import type { Awaitable } from "../model/awaitable.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { isSamePlace, placeOf, type SkillPlace, type VersionRecord } from "./version-store.ts";

/** The reason of a version that somebody made outside Repertoire. */
export const FOUND_ON_DISK = "found on disk";

/** The versions that an undo may look at. */
export interface Past {
  /** Newest first; of one name, or all. */
  newestFirst(name: SkillName | undefined): AsyncIterable<VersionRecord>;
  get(id: string): Awaitable<VersionRecord | undefined>;
  /** The versions of a batch, newest first. */
  batch(id: string): Promise<readonly VersionRecord[]>;
}

/** What a version did: it made a change, for the first time or again, or took one back. */
interface Effect {
  readonly subject: VersionRecord;
  readonly isMade: boolean;
}

interface Step extends Effect {
  readonly version: VersionRecord;
}

/** The versions of the last change that is still made, newest first. */
export async function lastChange(past: Past, name?: SkillName): Promise<VersionRecord[]> {
  const walk = new WalkBack();
  for await (const step of stepsOf(past, name)) {
    const group = step.version === step.subject ? [step.subject] : await groupOf(step.subject, past);
    const last = walk.cross(step, group);
    if (last) return stillMadeWith(last, past, name);
  }
  throw new RepertoireError("nothing-to-undo", "There is no recorded change to undo.");
}

/** The versions of the change that was taken back last, newest first. A new change leaves none. */
export async function lastUndone(past: Past, name?: SkillName): Promise<VersionRecord[]> {
  const since: Step[] = [];
  for await (const step of stepsOf(past, name)) {
    if (isFound(step.version)) continue;
    if (step.version === step.subject) break;
    since.push(step);
  }
  let undone: { readonly version: VersionRecord; readonly by: string }[] = [];
  for (const { version, subject, isMade } of since.reverse()) {
    const group = await groupOf(subject, past);
    const ids = new Set(group.map(({ id }) => id));
    if (isMade) undone = undone.filter((each) => !ids.has(each.version.id));
    else undone.push(...group.map((each) => ({ version: each, by: version.batch ?? version.id })));
  }
  const last = undone.at(-1);
  if (last === undefined)
    throw new RepertoireError("nothing-to-redo", "Nothing was undone since the last change.");
  const ids = new Set(undone.filter(({ by }) => by === last.by).map(({ version }) => version.id));
  return (await changeOf(last.version, past)).filter(({ id }) => ids.has(id));
}

/**
 * Walks from the newest version back to the one that the next undo takes back. An edit by hand counts as the last change of its
 * own skill, so it is never taken back in place of another skill's change; a skill that was made or deleted by hand does
 * not count at all.
 */
class WalkBack {
  private steps = 0;
  /** Versions whose last step was crossed: what they are now is known. */
  private readonly settled = new Set<string>();
  /** The step that took a version back, of those that were made before it. */
  private readonly takenBack = new Map<string, number>();
  /** Edits by hand that are still made, newest first. */
  private readonly edits: { readonly version: VersionRecord; readonly step: number }[] = [];

  /** Goes back over a step; returns the version that is the last one made, once it is known. */
  cross({ version, isMade }: Step, group: readonly VersionRecord[]): VersionRecord | undefined {
    const step = this.steps++;
    if (isFound(version)) {
      if (version.files.length > 0 && !this.settled.has(version.id)) this.edits.push({ version, step });
      return undefined;
    }
    let last: VersionRecord | undefined;
    for (const each of group) {
      if (isMade) last = this.editSince(each) ?? (this.settled.has(each.id) ? undefined : each) ?? last;
      this.settled.add(each.id);
      if (isMade) this.takenBack.delete(each.id);
      else this.takenBack.set(each.id, step);
    }
    return last;
  }

  /** The newest edit of a skill that was made upon this version, while the version was made. */
  private editSince(version: VersionRecord): VersionRecord | undefined {
    const end = this.takenBack.get(version.id) ?? -1;
    const place = placeOf(version);
    const ofSkill = this.edits.filter((edit) => isSamePlace(placeOf(edit.version), place));
    return ofSkill.some(({ step }) => step > end) ? ofSkill[0]?.version : undefined;
  }
}

/** What the versions did, newest first, without those that failed. */
async function* stepsOf(past: Past, name: SkillName | undefined): AsyncGenerator<Step> {
  const failed = new Set<unknown>();
  for await (const version of past.newestFirst(name)) {
    if (version.data?.failed === true) failed.add(version.data.undoes);
    else if (!failed.has(version.id)) {
      const effect = await effectOf(version, past);
      if (effect) yield { version, ...effect };
    }
  }
}

/** Undefined if the version that it took back or made again is gone. */
async function effectOf(version: VersionRecord, past: Past): Promise<Effect | undefined> {
  let subject: VersionRecord | undefined = version;
  let isMade = true;
  while (subject?.action === "undo" || subject?.action === "redo") {
    if (subject.action === "undo") isMade = !isMade;
    subject = await past.get(String(subject.data?.[subject.action === "undo" ? "undoes" : "redoes"]));
  }
  return subject && { subject, isMade };
}

/** The versions of the change of which this is the last one, as far as they are still made, newest first. */
async function stillMadeWith(
  last: VersionRecord,
  past: Past,
  name: SkillName | undefined,
): Promise<VersionRecord[]> {
  const made: VersionRecord[] = [];
  for (const version of await changeOf(last, past)) {
    const isAsked = name === undefined || version.name === name;
    if (version.id === last.id || (isAsked && (await isStillMade(version, past)))) made.push(version);
  }
  return made;
}

async function isStillMade(version: VersionRecord, past: Past): Promise<boolean> {
  if (version.action === "undo" || version.action === "redo") return false;
  for await (const { subject, isMade } of stepsOf(past, version.name))
    if (subject.id === version.id || isSameGroup(subject, version)) return isMade;
  return false;
}

async function changeOf(version: VersionRecord, past: Past): Promise<readonly VersionRecord[]> {
  return version.batch === undefined ? [version] : past.batch(version.batch);
}

/** The versions of one skill in one change, oldest first. */
async function groupOf(version: VersionRecord, past: Past): Promise<readonly VersionRecord[]> {
  return (await changeOf(version, past)).filter((each) => isSameGroup(each, version)).toReversed();
}

function isSameGroup(a: VersionRecord, b: VersionRecord): boolean {
  return (
    a.id === b.id || (a.batch !== undefined && a.batch === b.batch && isSamePlace(placeOf(a), placeOf(b)))
  );
}

function isFound({ reason, action }: VersionRecord): boolean {
  return reason === FOUND_ON_DISK && action !== "undo" && action !== "redo";
}

/** What a change did to one skill. */
interface PlaceStep {
  readonly place: SkillPlace;
  /** The version before the change; undefined if the skill did not exist. */
  readonly before: string | undefined;
  /** What was known about the package then, outside its folder. */
  readonly beside: Readonly<Record<string, unknown>> | null;
  /** The newest version of the change. */
  readonly after: VersionRecord;
}

/** What a change did to each of its skills. `versions` are newest first. */
export function placeSteps(versions: readonly VersionRecord[]): PlaceStep[] {
  const steps = new Map<string, PlaceStep>();
  for (const version of versions) {
    const place = placeOf(version);
    const key = JSON.stringify([place.name, place.root]);
    const after = steps.get(key)?.after ?? version;
    const beside = (version.data?.before as PlaceStep["beside"] | undefined) ?? null;
    steps.set(key, { place, before: version.parent, beside, after });
  }
  return [...steps.values()];
}
