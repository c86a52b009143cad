// Reads the past of learned skills: their versions, what each changed, what was deleted.

import type { Library } from "../library/library.ts";
import type { Awaitable } from "../model/awaitable.ts";
import { RepertoireError } from "../model/errors.ts";
import { compareNames, lookupKey, type SkillName } from "../model/name.ts";
import { packagePatch } from "../package/package.ts";
import type { SkillPlaces } from "./places.ts";
import type { Past } from "./undo-stack.ts";
import { placeOf, type SkillPlace, type VersionRecord, type VersionStore } from "./version-store.ts";
import type { BesidePackage, SkillVersions } from "./versions.ts";

export interface HistoryOptions {
  /** Add what each version changed. */
  readonly diff?: boolean | undefined;
  /** The newest versions only. */
  readonly limit?: number | undefined;
}

/** The newest version of a deleted skill. */
export interface ArchivedSkill extends VersionRecord {
  /** The folder of skills of another project; only there it can be restored. */
  readonly elsewhere?: string | undefined;
}

export interface HistoryReport {
  readonly name: SkillName;
  /** Newest first. */
  readonly versions: readonly (VersionRecord & { readonly diff?: string | undefined })[];
  /** How many versions there are without the limit. */
  readonly total: number;
  readonly state: "there" | "archived" | "renamed" | "edited-outside";
  /** Where an old name leads. */
  readonly to?: SkillName | undefined;
}

/** The last few versions answer nearly every undo. */
const PAGE = { first: 16, largest: 512 } as const;

interface HistoryNeeds {
  readonly library: () => Promise<Library>;
  readonly store: VersionStore;
  readonly versions: SkillVersions;
  readonly places: SkillPlaces;
}

export class SkillHistory implements Past {
  private readonly needs: HistoryNeeds;

  constructor(needs: HistoryNeeds) {
    this.needs = needs;
  }

  async report(spelling: string, { diff, limit }: HistoryOptions): Promise<HistoryReport> {
    const past = await this.pastOf(spelling);
    const to = past.head.data?.to as SkillName | undefined;
    const versions: HistoryReport["versions"][number][] = [];
    for (const version of past.versions.slice(0, limit))
      versions.push(diff ? { ...version, diff: await this.diff(version) } : version);
    return { name: past.name, versions, total: past.versions.length, state: this.stateOf(past.head), to };
  }

  /** What a version changed, file by file, as a patch. */
  async diff(version: VersionRecord): Promise<string> {
    const { versions } = this.needs;
    const before = await versions.filesOf(await versions.parentOf(version));
    return packagePatch(before, await versions.filesOf(version));
  }

  /** The newest versions of skills that were deleted, by name; also those of other projects. */
  async archived(): Promise<ArchivedSkill[]> {
    return (await this.needs.store.heads())
      .filter(
        ({ files, action, data }) => files.length === 0 && !(action === "rename" && data?.to !== undefined),
      )
      .map((version) =>
        this.needs.places.isKnown(version) ? version : { ...version, elsewhere: placeOf(version).root },
      )
      .sort((a, b) => compareNames(a.name, b.name));
  }

  /** The version that a restore brings back. */
  async toRestore(spelling: string, wanted: string | undefined): Promise<VersionRecord> {
    const { name, head, versions } = await this.pastOf(spelling);
    const withContent = versions.filter(({ files }) => files.length > 0);
    if (wanted !== undefined) {
      const found = versions.filter(({ id }) => id.startsWith(wanted));
      if (found.length === 1 && found[0]!.files.length > 0) return found[0]!;
      const ids = withContent.slice(0, 10).map(({ id }) => id);
      throw new RepertoireError(
        "version-not-found",
        `"${name}" has ${found.length > 1 ? "several versions" : "no version with content"} "${wanted}". Choose one of: ${ids.join(", ")}.`,
        wanted,
      );
    }
    if (this.needs.versions.onDisk(placeOf(head)).length > 0) {
      throw new RepertoireError(
        "skill-exists",
        `"${name}" exists. Name the version to return to: repertoire restore ${name} ID (repertoire history ${name} lists them).`,
        name,
      );
    }
    return withContent[0]!;
  }

  /** What was known about a skill when it was deleted; undefined if it is there. */
  async knownWhenDeleted(place: SkillPlace): Promise<BesidePackage | undefined> {
    const head = await this.needs.versions.head(place);
    return head?.files.length === 0 ? (head.data?.before as BesidePackage | undefined) : undefined;
  }

  /** Versions of this home folder and this project, read page by page. */
  async *newestFirst(name: SkillName | undefined): AsyncGenerator<VersionRecord> {
    let before: string | undefined;
    for (let limit: number = PAGE.first; ; limit = Math.min(2 * limit, PAGE.largest)) {
      const page = await this.needs.store.list({ name, before, limit });
      yield* this.ofHere(page);
      before = page.at(-1)?.id;
      if (page.length < limit) return;
    }
  }

  get(id: string): Awaitable<VersionRecord | undefined> {
    return this.needs.store.get(id);
  }

  async batch(id: string): Promise<VersionRecord[]> {
    return this.ofHere(await this.needs.store.list({ batch: id }));
  }

  /** Where skills of a name with a history are. */
  async places(name: SkillName): Promise<SkillPlace[]> {
    return (await this.heads(name)).map(placeOf);
  }

  /** The names that have versions here, of deleted skills too. */
  async names(): Promise<SkillName[]> {
    return [...new Set((await this.heads()).map(({ name }) => name))].sort(compareNames);
  }

  private async heads(name?: SkillName): Promise<VersionRecord[]> {
    return this.ofHere(await this.needs.store.heads(name));
  }

  private ofHere(versions: readonly VersionRecord[]): VersionRecord[] {
    return versions.filter((version) => this.needs.places.isKnown(version));
  }

  private stateOf(head: VersionRecord): HistoryReport["state"] {
    if (!this.needs.versions.isRecorded(head)) return "edited-outside";
    if (head.files.length > 0) return "there";
    return head.data?.to === undefined ? "archived" : "renamed";
  }

  /** The versions of a name; if it has none, those of the skill that declares it. */
  private async pastOf(
    spelling: string,
  ): Promise<{ name: SkillName; head: VersionRecord; versions: VersionRecord[] }> {
    const own = lookupKey(spelling);
    const library = await this.needs.library();
    for (const name of new Set([own, library.find(spelling)?.name ?? own])) {
      const versions = this.ofHere(await this.needs.store.list({ name }));
      if (versions[0]) return { name, head: versions[0], versions };
    }
    const skill = library.find(spelling) ?? library.skills.get(own);
    throw new RepertoireError(
      "no-history",
      skill
        ? `"${skill.name}" (${skill.source}) has no versions yet: they begin with the first change made through Repertoire.`
        : `There is no skill "${spelling}" and no version of one. repertoire archive --list shows what was deleted.`,
      spelling,
    );
  }
}
