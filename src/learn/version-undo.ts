// Owns what an undo means: which versions it takes back and what each skill returns to. Pure; does not change anything.

import { RepertoireError } from "../model/errors.ts";
import { isSamePlace, type Place, placeOf } from "./version-place.ts";
import type { VersionRecord } from "./version-store.ts";

export interface UndoStep {
  readonly place: Place;
  /** The version whose content comes back; nothing when the skill was not there before. */
  readonly to: string | undefined;
  /** The newest version that is taken back. */
  readonly undoes: VersionRecord;
}

/** The last change that took effect, with all that belongs to it. `versions` are newest first. */
export function lastChange(versions: readonly VersionRecord[]): VersionRecord[] {
  const failed = new Set(
    versions.filter(({ data }) => data?.failed === true).flatMap(({ id, data }) => [id, data?.undoes]),
  );
  const last = versions.find(({ id }) => !failed.has(id));
  if (last === undefined) {
    throw new RepertoireError("nothing-to-undo", "No change is on record, so there is nothing to undo.");
  }
  return last.batch === undefined ? [last] : versions.filter(({ batch }) => batch === last.batch);
}

/** What each skill of the change returns to. */
export function undoSteps(changes: readonly VersionRecord[]): UndoStep[] {
  const steps: UndoStep[] = [];
  for (const version of changes) {
    const place = placeOf(version);
    const at = steps.findIndex((step) => isSamePlace(step.place, place));
    if (at < 0) steps.push({ place, to: version.parent, undoes: version });
    else steps[at] = { ...steps[at]!, to: version.parent };
  }
  return steps;
}

/** Refuses to take back a change on which later ones stand that were not taken back themselves. */
export function checkUndo(step: UndoStep, head: VersionRecord | undefined): void {
  if (head === undefined || contentOf(head) === contentOf(step.undoes)) return;
  const { name } = step.place;
  throw new RepertoireError(
    "undo-conflict",
    `"${name}" has changed since version ${step.undoes.id} (${head.action} by ${head.author}, version ${head.id}). Look at repertoire history ${name}, then restore the version you want: repertoire restore ${name} ID.`,
    step.undoes.id,
  );
}

function contentOf({ files }: VersionRecord): string {
  return files
    .map(({ path, sha256 }) => `${path} ${sha256}`)
    .sort()
    .join("\n");
}
