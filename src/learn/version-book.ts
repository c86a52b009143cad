// Owns how a change of learned skills is made so that nothing is lost: versions first, then the files, and after a
// crash or a full disk either all of it or none. Does not own what is changed (`lessons.ts` says) or how versions are
// stored (a `Store` does).

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Files, sweepLeftovers } from "../disk/disk.ts";
import type { Awaitable } from "../model/awaitable.ts";
import type { Clock } from "../model/clock.ts";
import { messageOf, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import {
  isSameFile,
  type PackageFile,
  readPackage,
  replacePackage,
  sha256Of,
  skillFileOf,
} from "../package/package.ts";
import type { Store } from "../stores/stores.ts";
import { directoryOf, type Place, placeOf, type Roots, withRoot } from "./version-place.ts";
import type { VersionAction, VersionFile, VersionRecord } from "./version-store.ts";

/** What the change under way is, for whoever comes after a crash. */
const PENDING = "learn.pending";

export interface Change {
  readonly place: Place;
  readonly action: VersionAction;
  /** The package afterwards; empty when the skill goes. */
  readonly files: readonly PackageFile[];
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface ChangeOptions {
  readonly author: string;
  readonly reason?: string | undefined;
  readonly batch?: string | undefined;
}

export class VersionBook {
  private readonly store: Store;
  private readonly files: Files;
  private readonly clock: Clock;
  readonly roots: Roots;
  private swept = false;

  constructor(options: { store: Store; files: Files; clock: Clock; roots: Roots }) {
    this.store = options.store;
    this.files = options.files;
    this.clock = options.clock;
    this.roots = options.roots;
  }

  /** Runs the work alone among all processes, after what a crash left has been settled. */
  exclusive<T>(work: () => Awaitable<T>): Promise<T> {
    return this.store.exclusive(async () => {
      await this.settle();
      return work();
    });
  }

  /** Newest first. */
  async history(place: Place): Promise<VersionRecord[]> {
    const all = await this.store.versions.list({ name: place.name });
    return all.filter((version) => placeOf(version).root === place.root);
  }

  async head(place: Place): Promise<VersionRecord | undefined> {
    return (await this.history(place))[0];
  }

  /** The skill as it is on disk now. */
  onDisk(place: Place): PackageFile[] {
    return readPackage(this.files, directoryOf(this.roots, place));
  }

  /** The package as a version kept it. */
  async filesOf(version: VersionRecord | undefined): Promise<PackageFile[]> {
    const files: PackageFile[] = [];
    for (const { path, sha256, executable } of version?.files ?? []) {
      const bytes = await this.store.blobs.get(sha256);
      if (bytes === undefined) throw damaged(version!, path);
      files.push({ path, bytes, ...(executable && { executable }) });
    }
    return files;
  }

  /** Makes the changes, all or none. Only within `exclusive`. */
  async apply(changes: readonly Change[], options: ChangeOptions): Promise<VersionRecord[]> {
    const records: VersionRecord[] = [];
    for (const change of changes) {
      const parent = await this.adopt(change.place);
      records.push(await this.record(change, { ...options, parent }));
    }
    await this.store.meta.set(PENDING, JSON.stringify(records.map(({ id }) => id)));
    try {
      for (const record of records) await this.store.versions.add(record);
      for (const [at, record] of records.entries()) this.write(record, changes[at]!.files);
      for (const record of records) await this.redirect(record);
      await this.store.meta.remove(PENDING);
    } catch (error) {
      await this.unwind(records, error);
    }
    return records;
  }

  /** Whether the disk holds what this version, the newest of its skill, kept. */
  isRecorded(head: VersionRecord): boolean {
    return isUnchanged(this.onDisk(placeOf(head)), head);
  }

  /** Keeps what was changed past us, as versions of their own, the latest change last. Only within `exclusive`. */
  async adoptEdits(places: readonly Place[]): Promise<void> {
    const edited: { place: Place; at: number }[] = [];
    for (const place of places) {
      const head = await this.head(place);
      if (head === undefined || this.isRecorded(head)) continue;
      const folder = this.files.statSync(directoryOf(this.roots, place), { throwIfNoEntry: false });
      const [main] = this.onDisk(place);
      const path = main && join(directoryOf(this.roots, place), main.path);
      const at = (path ? this.files.statSync(path).mtimeMs : folder?.mtimeMs) ?? 0;
      edited.push({ place, at });
    }
    for (const { place } of edited.sort((a, b) => a.at - b.at)) await this.adopt(place);
  }

  filesIn(directory: string): PackageFile[] {
    return readPackage(this.files, directory);
  }

  digestOf(file: PackageFile): string {
    return sha256Of(file.bytes);
  }

  newId(): string {
    return randomBytes(5).toString("hex");
  }

  /** Keeps what is on disk when nobody has yet: a person's own edit, or a skill made by hand. Returns the head's id. */
  private async adopt(place: Place): Promise<string | undefined> {
    const disk = this.onDisk(place);
    const head = await this.head(place);
    if (isUnchanged(disk, head)) return head?.id;
    const found = await this.record(
      { place, action: disk.length > 0 ? "save" : "delete", files: disk },
      { author: "person", reason: "found on disk", parent: head?.id },
    );
    await this.store.versions.add(found);
    return found.id;
  }

  private async record(
    change: Change,
    options: ChangeOptions & { readonly parent?: string | undefined },
  ): Promise<VersionRecord> {
    const files: VersionFile[] = [];
    for (const { path, bytes, executable } of change.files) {
      const sha256 = await this.store.blobs.put(bytes);
      files.push({ path, sha256, size: bytes.length, ...(executable && { executable }) });
    }
    const { author, reason, batch, parent } = options;
    const main = skillFileOf(change.files);
    const data = withRoot(change.data, change.place);
    return {
      id: this.newId(),
      name: change.place.name,
      action: change.action,
      at: this.clock.now().getTime(),
      author,
      ...(reason !== undefined && { reason }),
      ...(batch !== undefined && { batch }),
      ...(parent !== undefined && { parent }),
      ...(main && { digest: sha256Of(main.bytes) }),
      files,
      ...(data && { data }),
    };
  }

  private write(
    record: VersionRecord,
    files: readonly PackageFile[],
    formerly: readonly PackageFile[] = [],
  ): void {
    const place = placeOf(record);
    const root = this.roots.path(place.root);
    replacePackage(this.files, { directory: directoryOf(this.roots, place), root, formerly }, files);
  }

  /** A skill that is there needs no redirect from its name; one that moved leaves one. */
  private async redirect(record: VersionRecord): Promise<void> {
    const to = record.data?.to as SkillName | undefined;
    if (record.files.length > 0) await this.store.redirects.remove(record.name);
    else if (to !== undefined)
      await this.store.redirects.put({
        from: record.name,
        to,
        at: record.at,
        ...(record.reason !== undefined && { reason: record.reason }),
      });
  }

  /** After a failure: back to the old state, and the error with the way on. What fails here too is settled later. */
  private async unwind(records: readonly VersionRecord[], error: unknown): Promise<never> {
    let after = "";
    try {
      const kept = await this.kept(records);
      await this.takeBack(kept, messageOf(error));
      await this.store.meta.remove(PENDING);
      after = kept.length > 0 ? ` What was to be written is kept as version ${kept[0]!.id}.` : "";
    } catch (second) {
      after = ` It could not be taken back either (${messageOf(second)}); the next change finishes it or takes it back.`;
    }
    const names = [...new Set(records.map(({ name }) => name))].join(", ");
    throw new RepertoireError(
      "change-failed",
      `${names} could not be changed: ${messageOf(error)}.${after} Make room or mend the disk, then try again.`,
      names,
    );
  }

  /** Finishes what a killed process began, or takes it back; then removes what its writes left. */
  private async settle(): Promise<void> {
    const pending = await this.store.meta.get(PENDING);
    if (pending !== undefined) {
      const ids = JSON.parse(pending) as string[];
      const found = await Promise.all(ids.map((id) => this.store.versions.get(id)));
      const kept = found.filter((version) => version !== undefined);
      const heads = await Promise.all(kept.map((version) => this.head(placeOf(version))));
      const whole = kept.length === ids.length && heads.every((head, at) => head?.id === kept[at]!.id);
      if (whole) for (const version of kept) await this.finish(version);
      else await this.takeBack(kept, "the program ended in the middle");
      await this.store.meta.remove(PENDING);
      this.swept = false;
    }
    if (!this.swept) for (const root of this.roots.all) sweepLeftovers(this.files, root);
    this.swept = true;
  }

  /** Writes a version's files, unless somebody has edited the skill since. */
  private async finish(version: VersionRecord): Promise<void> {
    const next = await this.filesOf(version);
    const parent = version.parent === undefined ? undefined : await this.store.versions.get(version.parent);
    const formerly = await this.filesOf(parent);
    const known = [...next, ...formerly];
    const disk = this.onDisk(placeOf(version));
    if (!disk.every((file) => known.some((one) => one.path === file.path && isSameFile(one, file)))) return;
    this.write(version, next, formerly);
    await this.redirect(version);
  }

  private async takeBack(kept: readonly VersionRecord[], why: string): Promise<void> {
    for (const version of [...kept].reverse()) {
      const place = placeOf(version);
      const head = await this.head(place);
      const before = version.parent === undefined ? undefined : await this.store.versions.get(version.parent);
      const files = await this.filesOf(before);
      if (head?.id === version.id) {
        const data = { undoes: version.id, failed: true };
        const options = { author: "repertoire", reason: `taken back: ${why}`, parent: version.id };
        await this.store.versions.add(await this.record({ place, action: "undo", files, data }, options));
      }
      this.write(version, files, await this.filesOf(version));
      if (before) await this.redirect(before);
    }
  }

  private async kept(records: readonly VersionRecord[]): Promise<VersionRecord[]> {
    const found = await Promise.all(records.map(({ id }) => this.store.versions.get(id)));
    return found.filter((version) => version !== undefined);
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
