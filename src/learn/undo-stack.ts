// Decides what `undo` takes back and `redo` makes again, from the versions alone: a change, an undo and a redo are all versions.

import { RepertoireError } from "../model/errors.ts";
import { isSamePlace, placeOf, type SkillPlace } from "./places.ts";
import type { VersionRecord } from "./version-store.ts";

/** The reason of a version that somebody made outside Repertoire. */
export const FOUND_ON_DISK = "found on disk";

/** A version that was taken back, and the change that took it back. */
interface Undone {
  readonly version: VersionRecord;
  readonly by: string;
}

interface UndoStack {
  /** Oldest first. */
  readonly done: readonly VersionRecord[];
  /** The last one that was taken back is last. A new change empties it. */
  readonly undone: readonly Undone[];
}

/** The versions of the last change that is still made, newest first. `versions` are newest first. */
export function lastChange(versions: readonly VersionRecord[]): VersionRecord[] {
  const { done } = undoStack(versions);
  const last = done.at(-1);
  if (last === undefined)
    throw new RepertoireError("nothing-to-undo", "There is no recorded change to undo.");
  return done
    .filter(({ id, batch }) => id === last.id || (batch !== undefined && batch === last.batch))
    .toReversed();
}

/** The versions of the change that was taken back last, newest first. `versions` are newest first. */
export function lastUndone(versions: readonly VersionRecord[]): VersionRecord[] {
  const { undone } = undoStack(versions);
  const last = undone.at(-1);
  if (last === undefined)
    throw new RepertoireError("nothing-to-redo", "Nothing was undone since the last change.");
  return undone
    .filter(({ by }) => by === last.by)
    .map(({ version }) => version)
    .sort((a, b) => versions.indexOf(a) - versions.indexOf(b));
}

/**
 * Replays the versions. An edit by hand counts as the last change of its own skill, so it is never taken back in place of
 * another skill's change; a skill that was made or deleted by hand does not count at all.
 */
function undoStack(newestFirst: readonly VersionRecord[]): UndoStack {
  const failed = new Set(
    newestFirst.filter(({ data }) => data?.failed === true).flatMap(({ id, data }) => [id, data?.undoes]),
  );
  const byId = new Map(newestFirst.map((version) => [version.id, version]));
  /** The versions that each undo took back. */
  const takenBy = new Map<string, VersionRecord[]>();
  let done: VersionRecord[] = [];
  let undone: Undone[] = [];
  const makeAgain = (versions: readonly VersionRecord[]) => {
    undone = undone.filter(({ version }) => !versions.includes(version));
    done.push(...versions.filter((version) => !done.includes(version)));
  };
  for (const version of newestFirst.toReversed()) {
    if (failed.has(version.id)) continue;
    const { id, action, batch = id, data, reason } = version;
    const earlier = takenBy.get(String(data?.undoes));
    if (action === "redo") makeAgain(groupOf(byId.get(String(data?.redoes)), newestFirst));
    else if (action === "undo" && earlier) makeAgain(earlier);
    else if (action === "undo") {
      const taken = groupOf(byId.get(String(data?.undoes)), newestFirst);
      takenBy.set(id, taken);
      done = done.filter((each) => !taken.includes(each));
      undone.push(...taken.map((each) => ({ version: each, by: batch })));
    } else if (reason === FOUND_ON_DISK) {
      const last = done.findLastIndex((each) => isSamePlace(placeOf(each), placeOf(version)));
      const isEdit = version.files.length > 0 && last >= 0;
      if (isEdit) done.splice(last + 1, 0, version);
    } else {
      done.push(version);
      undone = [];
    }
  }
  return { done, undone };
}

/** The versions of one skill in one change, oldest first. */
function groupOf(version: VersionRecord | undefined, newestFirst: readonly VersionRecord[]): VersionRecord[] {
  if (version === undefined) return [];
  if (version.batch === undefined) return [version];
  return newestFirst
    .filter((each) => each.batch === version.batch && isSamePlace(placeOf(each), placeOf(version)))
    .toReversed();
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
  const steps: PlaceStep[] = [];
  for (const version of versions) {
    const place = placeOf(version);
    const at = steps.findIndex((step) => isSamePlace(step.place, place));
    const after = steps[at]?.after ?? version;
    const beside = (version.data?.before as PlaceStep["beside"] | undefined) ?? null;
    const step = { place, before: version.parent, beside, after };
    steps.splice(at < 0 ? steps.length : at, at < 0 ? 0 : 1, step);
  }
  return steps;
}
