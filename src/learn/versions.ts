// Changes learned skills so that nothing is lost: a change is begun in the store, made on disk, and committed in the store.
// What was not committed is taken back, at once or by the next process. Also makes what an undo or a redo writes.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Files, sweepLeftovers } from "../disk/disk.ts";
import type { Awaitable } from "../model/awaitable.ts";
import type { Clock } from "../model/clock.ts";
import { codeOf, isRepertoireError, messageOf, RepertoireError } from "../model/errors.ts";
import {
  isSameFile,
  type PackageFile,
  type ReplacedPackage,
  readPackage,
  replacePackages,
  sha256Of,
  skillFileOf,
} from "../package/package.ts";
import type { SkillPlaces } from "./places.ts";
import { FOUND_ON_DISK, placeSteps } from "./undo-stack.ts";
import {
  type BlobStore,
  isSamePlace,
  type PendingChange,
  placeOf,
  type RedirectStore,
  type SkillPlace,
  type VersionAction,
  type VersionFile,
  type VersionRecord,
  type VersionStore,
} from "./version-store.ts";

/** One skill's new files, before they are written. */
export interface SkillChange {
  readonly place: SkillPlace;
  readonly action: VersionAction;
  /** The package afterwards; empty if the skill is removed. */
  readonly files: readonly PackageFile[];
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** What is known about the package afterwards; null for nothing. Unless given, it stays, and goes with a removed skill. */
  readonly beside?: BesidePackage | null | undefined;
}

/** What is known about a package outside its folder: where it came from, which links lead to it. Kept as it is given. */
export type BesidePackage = Readonly<Record<string, unknown>>;

/** A package's folder and the folder of skills that it is in. */
export interface PackagePlace {
  readonly directory: string;
  readonly root: string;
}

/** Reads and writes what is known about packages outside their folders, so that it follows each change and each undo. */
export interface PackageSurroundings {
  /** `moved` is where the package will be: what is known about it then. */
  read(place: PackagePlace, moved?: PackagePlace): BesidePackage | undefined;
  write(states: readonly (PackagePlace & { readonly beside: BesidePackage | undefined })[]): void;
}

interface ChangeOptions {
  readonly author: string;
  readonly reason?: string | undefined;
  /** Changes of one batch are undone together; a new one unless given. */
  readonly batch?: string | undefined;
}

/** The parts of a store that keep versions. */
export interface ChangeStore {
  readonly versions: VersionStore;
  readonly blobs: BlobStore;
  readonly redirects: RedirectStore;
  /** Runs the work while no other process runs theirs. Not re-entrant. */
  exclusive<T>(work: () => Awaitable<T>): Promise<T>;
}

interface VersionNeeds {
  readonly store: ChangeStore;
  readonly files: Files;
  readonly clock: Clock;
  readonly places: SkillPlaces;
  readonly surroundings?: PackageSurroundings | undefined;
}

interface VersionWithParent {
  readonly version: VersionRecord;
  readonly parent: VersionRecord | undefined;
}

export class SkillVersions {
  private readonly needs: VersionNeeds;
  private readonly store: ChangeStore;
  /** The folders of skills that were written, or found to be edited. */
  private touched = new Set<string>();
  /** The versions of the last change. */
  private readonly made = new Map<string, VersionWithParent>();

  constructor(needs: VersionNeeds) {
    this.needs = needs;
    this.store = needs.store;
  }

  /** Runs the work while no other process runs theirs, after a change that a crash interrupted has been settled. */
  exclusive<T>(work: () => Awaitable<T>): Promise<T> {
    return this.store.exclusive(async () => {
      await this.settle();
      return work();
    });
  }

  /** The folders of skills that were written or found to be edited since the last call. */
  takeTouched(): string[] {
    const folders = [...this.touched];
    this.touched.clear();
    return folders;
  }

  /** Newest first. */
  async history(place: SkillPlace): Promise<VersionRecord[]> {
    return [...(await this.store.versions.list({ place }))];
  }

  async head(place: SkillPlace): Promise<VersionRecord | undefined> {
    return this.store.versions.head(place);
  }

  /** The skill as it is on disk now. */
  onDisk(place: SkillPlace): PackageFile[] {
    return readPackage(this.needs.files, this.needs.places.directory(place));
  }

  /** One file of it; undefined if there is none, or the skill cannot be read. */
  fileNow(place: SkillPlace, path: string): Uint8Array | undefined {
    return this.canRead(place) ? this.onDisk(place).find((file) => file.path === path)?.bytes : undefined;
  }

  private canRead(place: SkillPlace): boolean {
    try {
      this.onDisk(place);
      return true;
    } catch (error) {
      if (codeOf(error) === "" && !isRepertoireError(error)) throw error;
      return false;
    }
  }

  private async headsAt(places: readonly SkillPlace[]): Promise<readonly (VersionRecord | undefined)[]> {
    const { versions } = this.store;
    return versions.headsAt ? versions.headsAt(places) : Promise.all(places.map((place) => this.head(place)));
  }

  /** A version and the one that it replaced; of the last change without asking the store. */
  async withParent(id: string): Promise<VersionWithParent | undefined> {
    const made = this.made.get(id);
    const version = made ? undefined : await this.store.versions.get(id);
    return version ? { version, parent: await this.parentOf(version) } : made;
  }

  /** The version that this one replaced. */
  async parentOf({ parent }: VersionRecord): Promise<VersionRecord | undefined> {
    return parent === undefined ? undefined : this.store.versions.get(parent);
  }

  /** The package as a version kept it. */
  async filesOf(version: VersionRecord | undefined): Promise<PackageFile[]> {
    const files: PackageFile[] = [];
    for (const { path, sha256, executable } of version?.files ?? []) {
      const bytes = await this.store.blobs.get(sha256);
      if (bytes === undefined) throw damaged(version!, path);
      files.push({ path, bytes, executable });
    }
    return files;
  }

  /** Makes all changes or none. Only within `exclusive`. */
  async apply(changes: readonly SkillChange[], options: ChangeOptions): Promise<VersionRecord[]> {
    const versions: VersionRecord[] = [];
    if (changes.length === 0) return versions;
    await this.refuseUnsettled(changes);
    const batch = options.batch ?? newId();
    const kept = await this.keep(changes);
    const heads = await this.headsAt(changes.map(({ place }) => place));
    this.made.clear();
    for (const [at, change] of changes.entries()) {
      const head = heads[at];
      const isKnown = isUnchanged(this.onDisk(change.place), head);
      const parent = isKnown ? head?.id : await this.adopt(change.place);
      const version = this.record(change, kept[at]!, { ...options, batch, parent });
      versions.push(version);
      if (isKnown) this.made.set(version.id, { version, parent: head });
    }
    const pending = { id: newId(), versions };
    try {
      await this.store.versions.begin(pending);
      await this.write(
        versions.map((version, at) => ({ ...this.folderOf(placeOf(version)), next: changes[at]!.files })),
      );
      this.setBeside(versions, (version) => version.data?.beside);
      await this.store.versions.commit(pending.id);
    } catch (error) {
      await this.unwind(pending, error);
    }
    return versions;
  }

  /** Whether the disk holds what this version, the newest of its skill, kept. */
  isRecorded(head: VersionRecord): boolean {
    return isUnchanged(this.onDisk(placeOf(head)), head);
  }

  /** Records edits made outside Repertoire as versions, the latest edit last; returns how many. Only within `exclusive`. */
  async adoptEdits(places: readonly SkillPlace[]): Promise<number> {
    const edited: { place: SkillPlace; at: number }[] = [];
    for (const place of places) {
      const head = await this.head(place);
      // What cannot be read cannot be told from what is kept; a change of that very skill says so.
      if (head === undefined || !this.canRead(place) || this.isRecorded(head)) continue;
      const folder = this.needs.files.statSync(this.needs.places.directory(place), { throwIfNoEntry: false });
      const [main] = this.onDisk(place);
      const path = main && join(this.needs.places.directory(place), main.path);
      const at = (path ? this.needs.files.statSync(path).mtimeMs : folder?.mtimeMs) ?? 0;
      edited.push({ place, at });
    }
    for (const { place } of edited.sort((a, b) => a.at - b.at)) await this.adopt(place);
    return edited.length;
  }

  /** The changes that take these versions back. Refuses if later changes would be lost. */
  async undoChanges(undone: readonly VersionRecord[]): Promise<SkillChange[]> {
    return Promise.all(
      placeSteps(undone).map(async ({ place, before, beside, after }) => {
        const target = before === undefined ? undefined : await this.store.versions.get(before);
        await this.refuseLoss(place, { expected: after, target, subject: after });
        const data = { undoes: after.id, to: target?.data?.to };
        return { place, action: "undo", files: await this.filesOf(target), data, beside } as const;
      }),
    );
  }

  /** The changes that make these versions again. Refuses if later changes would be lost. */
  async redoChanges(redone: readonly VersionRecord[]): Promise<SkillChange[]> {
    return Promise.all(
      placeSteps(redone).map(async ({ place, before, after }) => {
        const expected = before === undefined ? undefined : await this.store.versions.get(before);
        await this.refuseLoss(place, { expected, target: after, subject: after });
        const data = { redoes: after.id, to: after.data?.to };
        const beside = after.data?.beside as BesidePackage | null | undefined;
        return { place, action: "redo", files: await this.filesOf(after), data, beside } as const;
      }),
    );
  }

  /** A skill may be as the change expects it, or already as the change would leave it. */
  private async refuseLoss(
    place: SkillPlace,
    change: {
      readonly expected: VersionRecord | undefined;
      readonly target: VersionRecord | undefined;
      readonly subject: VersionRecord;
    },
  ): Promise<void> {
    const head = await this.head(place);
    if (!head) return;
    const now = contentOf(head);
    if (now !== contentOf(change.expected) && now !== contentOf(change.target))
      throw undoConflict(change.subject, head);
  }

  /** Records what is on disk if no version has it: an edit by hand, or a skill made by hand. Returns the head's id. */
  private async adopt(place: SkillPlace): Promise<string | undefined> {
    const disk = this.onDisk(place);
    const head = await this.head(place);
    if (isUnchanged(disk, head)) return head?.id;
    this.touched.add(this.needs.places.directory(place));
    const change: SkillChange = { place, action: disk.length > 0 ? "save" : "delete", files: disk };
    const [kept] = await this.keep([change]);
    const found = this.record(change, kept!, {
      author: "person",
      reason: FOUND_ON_DISK,
      parent: head?.id,
    });
    await this.store.versions.add(found);
    return found.id;
  }

  /** Keeps the bytes of all changes; returns the files of each as its version names them. */
  private async keep(changes: readonly SkillChange[]): Promise<VersionFile[][]> {
    const all = changes.flatMap(({ files }) => files.map(({ bytes }) => bytes));
    const marks = (await this.store.blobs.putAll(all)).values();
    return changes.map(({ files }) =>
      files.map(({ path, bytes, executable }) => ({
        path,
        sha256: marks.next().value!,
        size: bytes.length,
        executable,
      })),
    );
  }

  private record(
    change: SkillChange,
    files: readonly VersionFile[],
    options: ChangeOptions & { readonly parent?: string | undefined },
  ): VersionRecord {
    const { author, reason, batch, parent } = options;
    const main = skillFileOf(change.files);
    const { name, root } = change.place;
    const before = this.needs.surroundings?.read(this.folderOf(change.place));
    const beside = change.beside ?? (change.beside === null || change.files.length === 0 ? null : undefined);
    const known = before === undefined && (beside ?? null) === null ? {} : { before, beside };
    const data = root === undefined ? change.data : { ...change.data, root };
    return {
      id: newId(),
      name,
      action: change.action,
      at: this.needs.clock.now().getTime(),
      author,
      reason,
      batch,
      parent,
      digest: main && sha256Of(main.bytes),
      files,
      data: Object.keys(known).length === 0 ? data : { ...data, ...known },
    };
  }

  /** What is known about a package, as it will be at another place. */
  besideMoved(from: SkillPlace, to: SkillPlace): BesidePackage | undefined {
    return this.needs.surroundings?.read(this.folderOf(from), this.folderOf(to));
  }

  private folderOf(place: SkillPlace): PackagePlace {
    return { directory: this.needs.places.directory(place), root: this.needs.places.root(place) };
  }

  /** `stateOf` a version is what is known from then on, null for nothing, and undefined if that stays. */
  private setBeside(records: readonly VersionRecord[], stateOf: (record: VersionRecord) => unknown): void {
    const states = records.flatMap((record) => {
      const state = stateOf(record) as BesidePackage | null | undefined;
      return state === undefined ? [] : [{ ...this.folderOf(placeOf(record)), beside: state ?? undefined }];
    });
    if (states.length > 0) this.needs.surroundings?.write(states);
  }

  private async write(packages: readonly ReplacedPackage[]): Promise<void> {
    for (const { directory } of packages) this.touched.add(directory);
    await replacePackages(this.needs.files, packages);
  }

  /** Returns to the old state after a failure, then throws. If that fails too, the next change tries again. */
  private async unwind(change: PendingChange, error: unknown): Promise<never> {
    const names = [...new Set(change.versions.map(({ name }) => name))].join(", ");
    if (isRepertoireError(error) && error.code === "commit-uncertain") throw error;
    let after = "Nothing was changed.";
    try {
      await this.takeBack(change);
    } catch (second) {
      after = `It could not be taken back yet either (${messageOf(second)}); the next change of a skill does that first.`;
    }
    throw new RepertoireError(
      "change-failed",
      `${names} could not be changed: ${messageOf(error)}. ${after} Make room or repair the disk, then try again.`,
      names,
    );
  }

  /** Takes back the changes of killed processes. */
  private async settle(): Promise<void> {
    for (const change of await this.store.versions.pending()) {
      try {
        await this.takeBack(change);
      } catch (error) {
        // Those skills are refused by `refuseUnsettled`, with the reason; all others can be changed.
        if (codeOf(error) === "") throw error;
      }
    }
  }

  /** A skill that an earlier change left half made, and that cannot be taken back now, is not changed again. */
  private async refuseUnsettled(changes: readonly SkillChange[]): Promise<void> {
    for (const pending of await this.store.versions.pending()) {
      const half = pending.versions.find((version) =>
        changes.some(({ place }) => isSamePlace(place, placeOf(version))),
      );
      if (half === undefined) continue;
      const folder = this.needs.places.directory(placeOf(half));
      throw new RepertoireError(
        "change-unsettled",
        `An interrupted change of "${half.name}" cannot be taken back, because ${folder} cannot be read or written. Repair its permissions or the disk, then try again.`,
        half.name,
      );
    }
  }

  /** Removes the temporary files of the change, puts the files of before back, and says that it is over. */
  private async takeBack(change: PendingChange): Promise<void> {
    const roots = new Set(change.versions.map((version) => this.needs.places.root(placeOf(version))));
    for (const root of roots) sweepLeftovers(this.needs.files, root);
    for (const version of [...change.versions].reverse()) await this.putBack(version);
    await this.store.versions.abandon(change.id);
  }

  /** Leaves a skill alone that was edited since, or whose files of before are gone: what is on disk is all there is. */
  private async putBack(version: VersionRecord): Promise<void> {
    const before = await this.knownFiles(await this.parentOf(version));
    const next = await this.knownFiles(version);
    if (before === undefined || next === undefined) return;
    const known = [...next, ...before];
    const disk = this.onDisk(placeOf(version));
    if (!disk.every((file) => known.some((one) => one.path === file.path && isSameFile(one, file)))) return;
    const place = this.folderOf(placeOf(version));
    await this.write([{ ...place, next: before, formerly: next }]);
    this.setBeside([version], ({ data }) => (data?.beside === undefined ? undefined : (data.before ?? null)));
  }

  /** The package as a version kept it; undefined if some of it is missing from the store. */
  private async knownFiles(version: VersionRecord | undefined): Promise<PackageFile[] | undefined> {
    try {
      return await this.filesOf(version);
    } catch (error) {
      if (isRepertoireError(error) && error.code === "version-damaged") return undefined;
      throw error;
    }
  }
}

function isUnchanged(disk: readonly PackageFile[], head: VersionRecord | undefined): boolean {
  const kept = (head?.files ?? []).map(
    ({ path, sha256, executable }) => `${path} ${sha256} ${executable === true}`,
  );
  const now = disk.map(({ path, bytes, executable }) => `${path} ${sha256Of(bytes)} ${executable === true}`);
  return kept.sort().join("\n") === now.sort().join("\n");
}

function damaged(version: VersionRecord, path: string): RepertoireError {
  return new RepertoireError(
    "version-damaged",
    `${path} of version ${version.id} of "${version.name}" is missing from the store. Choose another version: repertoire history ${version.name}.`,
    version.id,
  );
}

function undoConflict(undoes: VersionRecord, head: VersionRecord): RepertoireError {
  const { name } = undoes;
  return new RepertoireError(
    "undo-conflict",
    `"${name}" has changed since version ${undoes.id} (${head.action} by ${head.author}, version ${head.id}). Look at repertoire history ${name}, then restore the version you want: repertoire restore ${name} ID.`,
    undoes.id,
  );
}

function newId(): string {
  return randomBytes(5).toString("hex");
}

function contentOf(version: VersionRecord | undefined): string {
  return (version?.files ?? [])
    .map(({ path, sha256 }) => `${path} ${sha256}`)
    .sort()
    .join("\n");
}
