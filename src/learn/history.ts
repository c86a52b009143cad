// Owns looking at learned skills and their past: one skill whole, its versions, what each changed, what is archived.
// Composes the version book, the store and the library; changes nothing.

import type { Repertoire } from "../engine/engine.ts";
import { RepertoireError } from "../model/errors.ts";
import { compareNames, lookupKey, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { skillFileOf } from "../package/package.ts";
import { metadataOf } from "../parse/parse.ts";
import type { Store } from "../stores/stores.ts";
import { unifiedDiff } from "../text/diff.ts";
import type { LessonPlaces } from "./places.ts";
import type { VersionBook } from "./version-book.ts";
import { type Place, placeOf } from "./version-place.ts";
import type { VersionRecord } from "./version-store.ts";

/** A skill as a record: name, summary, content and times, from any source. */
export interface SkillText {
  readonly name: SkillName;
  readonly summary: string;
  /** The whole SKILL.md. */
  readonly content: string;
  readonly digest: string;
  readonly path: string;
  readonly source: string;
  readonly learned: boolean;
  readonly pinned: boolean;
  readonly provenance?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly lastUsedAt?: string;
  readonly seeAlso: readonly string[];
}

export interface HistoryReport {
  readonly name: SkillName;
  /** Newest first. */
  readonly versions: readonly VersionRecord[];
  readonly state: "there" | "archived" | "renamed" | "edited-outside";
  /** Where an old name leads. */
  readonly to?: SkillName;
}

export class History {
  private readonly engine: Repertoire;
  private readonly store: Store;
  private readonly book: VersionBook;
  private readonly locations: LessonPlaces;

  constructor(parts: { engine: Repertoire; store: Store; book: VersionBook; places: LessonPlaces }) {
    this.engine = parts.engine;
    this.store = parts.store;
    this.book = parts.book;
    this.locations = parts.places;
  }

  /** One skill with its text, read from disk now; an old name leads to the new one. */
  async text(skill: Skill): Promise<SkillText> {
    const { manifest, name, path, source } = skill;
    const main = skillFileOf(this.book.filesIn(skill.directory));
    if (main === undefined) throw gone(name);
    const tallies = await this.store.journal.tallies(name);
    const lastUsedAt = Math.max(0, ...tallies.map((tally) => tally.lastUsedAt));
    const [provenance, createdAt, updatedAt, pinned] = [
      "provenance",
      "created-at",
      "updated-at",
      "pinned",
    ].map((key) => metadataOf(manifest.metadata, key));
    const learned = this.locations.isLearned(skill);
    return {
      name,
      summary: manifest.summary ?? manifest.brief,
      content: Buffer.from(main.bytes).toString("utf8"),
      digest: this.book.digestOf(main),
      path,
      source,
      learned,
      pinned: pinned === "true",
      ...(provenance !== undefined ? { provenance } : learned && { provenance: "person" }),
      ...(createdAt !== undefined && { createdAt }),
      ...(updatedAt !== undefined && { updatedAt }),
      ...(lastUsedAt > 0 && { lastUsedAt: new Date(lastUsedAt).toISOString() }),
      seeAlso: manifest.seeAlso,
    };
  }

  async of(spelling: string): Promise<HistoryReport> {
    const { name, versions } = await this.pastOf(spelling);
    const [head] = versions;
    if (head === undefined) throw this.noHistory(spelling, name);
    const to = head.data?.to as SkillName | undefined;
    const state = !this.book.isRecorded(head)
      ? "edited-outside"
      : head.files.length > 0
        ? "there"
        : to === undefined
          ? "archived"
          : "renamed";
    return { name, versions, state, ...(to !== undefined && { to }) };
  }

  /** What a version changed, file by file, as a patch; against the disk's state with `against: "disk"`. */
  async diff(version: VersionRecord, against: "parent" | "disk" = "parent"): Promise<string> {
    const parent = version.parent === undefined ? undefined : await this.store.versions.get(version.parent);
    const [before, after] =
      against === "parent"
        ? [await this.book.filesOf(parent), await this.book.filesOf(version)]
        : [await this.book.filesOf(version), this.book.onDisk(placeOf(version))];
    const paths = [...new Set([...before, ...after].map(({ path }) => path))];
    const text = (files: typeof before, path: string) =>
      Buffer.from(files.find((file) => file.path === path)?.bytes ?? "").toString("utf8");
    const patches: string[] = [];
    for (const path of paths) {
      const patch = await unifiedDiff(text(before, path), text(after, path));
      if (patch !== "") patches.push(`--- ${path}\n+++ ${path}\n${patch}`);
    }
    return patches.join("\n");
  }

  /** Skills that were deleted and can be restored, by name. */
  async archived(): Promise<VersionRecord[]> {
    const heads = (await this.store.versions.heads()).filter((head) => this.isKnown(head));
    return heads
      .filter(
        ({ files, action, data }) => files.length === 0 && !(action === "rename" && data?.to !== undefined),
      )
      .sort((a, b) => compareNames(a.name, b.name));
  }

  /** The version that a restore would bring back. */
  async toRestore(spelling: string, wanted?: string): Promise<VersionRecord> {
    const { name, versions } = await this.pastOf(spelling);
    if (versions.length === 0) throw this.noHistory(spelling, name);
    if (wanted !== undefined) {
      const fitting = versions.filter(({ id }) => id.startsWith(wanted));
      if (fitting.length === 1 && fitting[0]!.files.length > 0) return fitting[0]!;
      throw new RepertoireError(
        "version-not-found",
        `"${name}" has ${fitting.length > 1 ? "several versions" : "no version with content"} "${wanted}". Choose one of: ${versions
          .filter(({ files }) => files.length > 0)
          .map(({ id }) => id)
          .slice(0, 10)
          .join(", ")}.`,
        wanted,
      );
    }
    if (this.book.onDisk(placeOf(versions[0]!)).length > 0) {
      throw new RepertoireError(
        "skill-exists",
        `"${name}" is there already. Name the version to return to: repertoire restore ${name} ID (repertoire history ${name} lists them).`,
        name,
      );
    }
    return versions.find(({ files }) => files.length > 0)!;
  }

  /** A name that has a past of its own is meant before a skill that only declares it. */
  private async pastOf(spelling: string): Promise<{ name: SkillName; versions: VersionRecord[] }> {
    const own = lookupKey(spelling);
    const versions = await this.known({ name: own });
    const name = this.engine.library.find(spelling)?.name ?? own;
    return versions.length > 0 ? { name: own, versions } : { name, versions: await this.known({ name }) };
  }

  /** Versions of this home folder and this project, newest first. */
  async known(filter: { readonly name?: SkillName }): Promise<VersionRecord[]> {
    const all = await this.store.versions.list(filter);
    return all.filter((version) => this.isKnown(version));
  }

  /** Where skills with a history stand; of one name, or all. */
  async places(spelling?: string): Promise<Place[]> {
    const heads = (await this.store.versions.heads()).filter((head) => this.isKnown(head));
    const name = spelling === undefined ? undefined : lookupKey(spelling);
    return heads.filter((head) => name === undefined || head.name === name).map(placeOf);
  }

  private isKnown(version: VersionRecord): boolean {
    return this.locations.both(version.name).some(({ root }) => root === placeOf(version).root);
  }

  private noHistory(spelling: string, name: SkillName): RepertoireError {
    const skill = this.engine.library.skills.get(name);
    return new RepertoireError(
      "no-history",
      skill
        ? `"${name}" (${skill.source}) has no versions yet: they begin with the first change made through Repertoire.`
        : `There is no skill "${spelling}" and no version of one. repertoire archive --list shows what was deleted.`,
      spelling,
    );
  }
}

function gone(name: SkillName): RepertoireError {
  return new RepertoireError(
    "skill-not-found",
    `"${name}" was there a moment ago and is gone now. repertoire archive --list shows what was deleted.`,
    name,
  );
}
