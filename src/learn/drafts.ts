// Works out and checks the changes that a person or an agent asks for, without making them. Used within
// `SkillVersions.exclusive`, so that what a draft read is still true when it is applied.

import { join } from "node:path";
import { entriesOf, type Files } from "../disk/disk.ts";
import type { Library } from "../library/library.ts";
import type { Clock } from "../model/clock.ts";
import { RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { type PackageFile, readPackage, SKILL_FILE, sha256Of, skillFileOf } from "../package/package.ts";
import {
  composeSkill,
  type ManagedKey,
  metadataOf,
  readSkillText,
  type SkillText,
  withMetadata,
} from "../parse/parse.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import { summaryOf } from "../text/summary.ts";
import {
  agentName,
  checkConformance,
  checkCovering,
  checkDigest,
  checkPermission,
  checkSafety,
  checkSupportPath,
  isAgent,
  isPinned,
  learnedName,
  metadataIn,
} from "./checks.ts";
import type { SkillPlaces } from "./places.ts";
import type { RedirectStore, SkillPlace } from "./version-store.ts";
import type { SkillChange, SkillVersions } from "./versions.ts";

export interface SaveRequest {
  readonly name: string;
  /** A whole SKILL.md, or the procedure alone. */
  readonly content: string;
  readonly description?: string | undefined;
  readonly summary?: string | undefined;
  readonly seeAlso?: readonly string[] | undefined;
  /** The same as `seeAlso`, as models spell it. */
  readonly see_also?: readonly string[] | undefined;
  /** Support files by path, added to those that the skill has. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined;
  /** `person`, `agent`, `agent:reviewer`, `dream`; a person unless given. */
  readonly author?: string | undefined;
  readonly reason?: string | undefined;
  /** Save in the project's `.repertoire/skills` instead of the home folder's. */
  readonly project?: boolean | undefined;
  /** Save content that looks dangerous. Only a person may. */
  readonly allowUnsafe?: boolean | undefined;
  /** Save it although a skill of another source has this name, so that the saved one is used instead. Only a person may. */
  readonly force?: boolean | undefined;
  /** Refuse if the SKILL.md has another digest now. */
  readonly ifDigest?: string | undefined;
}

/** One step of a batch: a save, or an archiving that names the skill that replaces the archived one. */
export type LearnedStep =
  | { readonly save: SaveRequest }
  | { readonly archive: string; readonly into?: SkillName | undefined };

/** Something that the caller should know although the change was made. */
export interface Notice {
  readonly code: string;
  readonly message: string;
}

interface Draft {
  readonly place: SkillPlace;
  /** Absent if nothing would change. */
  readonly change?: SkillChange | undefined;
  readonly result: "created" | "updated" | "unchanged" | "archived";
  readonly notices: readonly Notice[];
  readonly summary?: { readonly text: string; readonly wanted: boolean };
}

/** Where a save goes, and which skills of other sources it meets. */
interface Target {
  readonly place: SkillPlace;
  /** The skill of another source that the new one starts from. */
  readonly copyFrom?: Skill;
  /** A skill that keeps precedence over all learned ones. */
  readonly coveredBy?: Skill;
}

type AuthoredRequest = SaveRequest & {
  readonly author: string;
  readonly managed?: Readonly<Partial<Record<ManagedKey, string>>>;
};

interface DraftNeeds {
  readonly library: Library;
  readonly versions: SkillVersions;
  readonly places: SkillPlaces;
  readonly redirects: RedirectStore;
  readonly clock: Clock;
  readonly files: Files;
  /** Whether the configuration lets this agent, perhaps without a name, save, change or delete a skill of this name. */
  readonly mayWrite: (agent: string | undefined, name: SkillName) => boolean;
}

export class Drafts {
  readonly library: Library;
  private readonly needs: DraftNeeds;

  constructor(needs: DraftNeeds) {
    this.library = needs.library;
    this.needs = needs;
  }

  async steps(steps: readonly LearnedStep[], author: string): Promise<Draft[]> {
    const made: Draft[] = [];
    for (const step of steps)
      made.push(
        "save" in step
          ? await this.save({ ...step.save, author })
          : await this.archive(step.archive, author, step.into),
      );
    return made;
  }

  async save(request: AuthoredRequest): Promise<Draft> {
    const asked = learnedName(request.name);
    const name = this.library.skills.has(asked) ? asked : await this.needs.redirects.resolve(asked);
    const target = this.target(name, request.project ?? false);
    const { place, copyFrom } = target;
    this.checkWriting(request.author, name);
    if (copyFrom) checkCovering(request, copyFrom);
    const current = this.needs.versions.onDisk(place);
    if (current.length === 0) this.checkFolder(place);
    const basis =
      current.length > 0 ? current : copyFrom ? readPackage(this.needs.files, copyFrom.directory) : [];
    const main = skillFileOf(basis);
    const existing = main && readSkillText(main.bytes, main.path);
    checkPermission(request.author, name, existing);
    checkDigest(request.ifDigest, name, main);
    const before = current.length > 0 ? main : undefined;
    const text = this.compose(request, { name, existing, copyFrom, before });
    const files = withSupport(basis, request.files ?? {}, { path: main?.path ?? SKILL_FILE, text });
    const { manifest } = checkConformance(text, join(this.needs.places.directory(place), SKILL_FILE));
    const findings = checkSafety({ files, basis, author: request.author, allowUnsafe: request.allowUnsafe });
    const isSame = current.length > 0 && isUnchanged(files, current);
    return {
      place,
      change: isSame ? undefined : { place, action: "save", files },
      result: isSame ? "unchanged" : current.length > 0 ? "updated" : "created",
      notices: [
        ...noticesAbout(asked, target, this.needs.places.unread(place)),
        ...findings
          .filter(({ severity }) => severity !== "low")
          .map(({ code, path, message }) => ({ code, message: `${path}: ${message}` })),
      ],
      // A summary that somebody wrote is not improved.
      summary: {
        text: manifest.summary ?? "",
        wanted: request.summary === undefined && manifest.summary === summaryOf(manifest.description),
      },
    };
  }

  async archive(spelling: string, author: string, into: SkillName | undefined): Promise<Draft> {
    const place = await this.require(spelling, author);
    checkPermission(author, place.name, this.textAt(place));
    const covered = this.library.shadowed.findLast(({ skill }) => skill.name === place.name);
    const data = into === undefined ? undefined : { to: into };
    const message = `The skill of the same name from ${covered?.skill.source} is used again.`;
    return {
      place,
      change: { place, action: "delete", files: [], data },
      result: "archived",
      notices: covered ? [{ code: "uncovered", message }] : [],
    };
  }

  async rename(
    spelling: string,
    to: SkillName,
    author: string,
  ): Promise<{ place: SkillPlace; changes: SkillChange[] }> {
    const from = await this.require(spelling, author);
    const place: SkillPlace = { ...from, name: to };
    const existing = this.textAt(from);
    this.checkWriting(author, to);
    checkPermission(author, from.name, existing);
    if (this.library.skills.has(to) || this.needs.versions.onDisk(place).length > 0)
      throw taken(from.name, to);
    this.checkFolder(place);
    const text = composeSkill({
      name: to,
      incoming: existing,
      existing,
      managed: { "updated-at": this.now() },
    });
    checkConformance(text, join(this.needs.places.directory(place), SKILL_FILE));
    const files = this.withText(from, text);
    const beside = this.needs.versions.besideMoved(from, place);
    return {
      place,
      changes: [
        { place, action: "rename", files, data: { from: from.name }, beside },
        { place: from, action: "rename", files: [], data: { to } },
      ],
    };
  }

  /** Without a change if the skill is pinned, or not pinned, already. */
  async pin(spelling: string, on: boolean): Promise<{ place: SkillPlace; change?: SkillChange | undefined }> {
    const place = await this.require(spelling, "person");
    const existing = this.textAt(place);
    if (isPinned(existing) === on) return { place };
    const files = this.withText(place, withMetadata(existing, { pinned: on ? "true" : undefined }));
    return { place, change: { place, action: on ? "pin" : "unpin", files } };
  }

  /** The same words whether or not there is such a skill: an agent does not learn what it may not see. */
  private checkWriting(author: string, name: SkillName, spelling: string = name): void {
    if (this.mayWrite(author, name)) return;
    throw new RepertoireError(
      "skill-not-writable",
      `"${spelling}" is not among the names that this agent may save, change or delete. Choose a name that it may see, or leave it to a person. Nothing was changed.`,
      spelling,
    );
  }

  private mayWrite(author: string, name: SkillName): boolean {
    if (!isAgent(author)) return true;
    const isPersonal = this.library.skills.get(name)?.manifest.userOnly === true;
    return !isPersonal && this.needs.mayWrite(agentName(author), name);
  }

  /** The place of the learned skill of this name, or an error that says what the name is instead, to those who may know. */
  private async require(spelling: string, author: string): Promise<SkillPlace> {
    const own = lookupKey(spelling);
    const name = this.library.find(spelling)?.name ?? (await this.needs.redirects.resolve(own));
    this.checkWriting(author, name, spelling);
    const place = this.existing(own) ?? this.existing(name);
    if (place) return place;
    const other = this.library.skills.get(name);
    if (other) {
      throw new RepertoireError(
        "skill-not-learned",
        `"${name}" comes from ${other.source} (${other.directory}), which is not written to. Switch it off with repertoire disable ${name}, or save a version of your own: repertoire save ${name}.`,
        spelling,
      );
    }
    const names = [...this.library.skills.keys()].filter((each) => this.mayWrite(author, each));
    throw new RepertoireError(
      "skill-not-found",
      `There is no learned skill "${spelling}".${didYouMean(nearTo(spelling, names))} repertoire list shows all skills, repertoire archive --list those that were deleted.`,
      spelling,
    );
  }

  private existing(name: SkillName): SkillPlace | undefined {
    return this.needs.places.both(name).find((place) => this.needs.versions.onDisk(place).length > 0);
  }

  /** Where the learned skill is, or else the lowest learned root with precedence over the skill that it changes. */
  private target(name: SkillName, inProject: boolean): Target {
    const { places } = this.needs;
    const existing = this.existing(name);
    if (existing && (!inProject || places.isInProject(existing))) return { place: existing };
    const other = this.library.skills.get(name);
    if (other === undefined || places.isLearned(other))
      return { place: inProject ? places.project(name) : places.home(name) };
    const possible = [...(inProject ? [] : [places.home(name)]), places.project(name)];
    const place = possible.find((each) => places.isAbove(each, other));
    return place
      ? { place, copyFrom: other }
      : { place: possible.at(-1)!, copyFrom: other, coveredBy: other };
  }

  private compose(
    request: AuthoredRequest,
    now: {
      readonly name: SkillName;
      readonly existing: SkillText | undefined;
      readonly copyFrom: Skill | undefined;
      /** The SKILL.md that the save replaces; not one that it copies. */
      readonly before: PackageFile | undefined;
    },
  ): string {
    const incoming = readSkillText(request.content, SKILL_FILE);
    const metadata = metadataIn(now.existing);
    const updatedAt = now.before && metadataOf(metadata, "updated-at");
    const parts = {
      name: now.name,
      incoming,
      existing: now.existing,
      description: request.description,
      firstParagraph: incoming.firstParagraph,
      summary: request.summary,
      seeAlso: request.seeAlso ?? request.see_also,
      managed: {
        "created-at": (now.before && metadataOf(metadata, "created-at")) || this.now(),
        provenance: metadataOf(metadata, "provenance") ?? provenanceOf(request.author, now),
        ...(now.copyFrom && { "copied-from": now.copyFrom.source }),
        ...(updatedAt && { "updated-at": updatedAt }),
        ...request.managed,
      },
    };
    const text = composeSkill(parts);
    if (now.before === undefined || Buffer.from(text).equals(now.before.bytes)) return text;
    return composeSkill({ ...parts, managed: { ...parts.managed, "updated-at": this.now() } });
  }

  private textAt(place: SkillPlace): SkillText {
    const main = skillFileOf(this.needs.versions.onDisk(place))!;
    return readSkillText(main.bytes, main.path);
  }

  private withText(place: SkillPlace, text: string): PackageFile[] {
    const files = this.needs.versions.onDisk(place);
    return withSupport(files, {}, { path: skillFileOf(files)!.path, text });
  }

  /** A folder that holds another skill's support files must not become a skill: the other skill would lose them. */
  private checkFolder(place: SkillPlace): void {
    const folder = this.needs.places.directory(place);
    if (!entriesOf(this.needs.files, folder).some((entry) => entry.isFile())) return;
    throw new RepertoireError(
      "folder-taken",
      `${folder} holds files of another skill, so "${place.name}" cannot be saved there. Choose another name. Nothing was changed.`,
      place.name,
    );
  }

  private now(): string {
    return this.needs.clock.now().toISOString();
  }
}

/** The description that a saved skill would have, as far as the request tells. */
export function requestedDescription({ content, description }: SaveRequest): string {
  if (description !== undefined) return description;
  const { front, firstParagraph } = readSkillText(content, SKILL_FILE);
  return typeof front.description === "string" ? front.description : firstParagraph;
}

function withSupport(
  basis: readonly PackageFile[],
  added: NonNullable<SaveRequest["files"]>,
  main: { readonly path: string; readonly text: string },
): PackageFile[] {
  const support = new Map(basis.filter(({ path }) => path !== main.path).map((file) => [file.path, file]));
  for (const [path, content] of Object.entries(added)) {
    checkSupportPath(path);
    const bytes = Buffer.from(content);
    support.set(path, { path, bytes, ...(bytes.subarray(0, 2).toString() === "#!" && { executable: true }) });
  }
  return [{ path: main.path, bytes: Buffer.from(main.text) }, ...support.values()];
}

function isUnchanged(next: readonly PackageFile[], current: readonly PackageFile[]): boolean {
  const key = ({ path, bytes }: PackageFile) => `${path} ${sha256Of(bytes)}`;
  return next.map(key).sort().join("\n") === current.map(key).sort().join("\n");
}

/** Who made a skill whose text does not say so. */
function provenanceOf(
  author: string,
  { copyFrom, existing }: { copyFrom: Skill | undefined; existing: SkillText | undefined },
): string {
  if (copyFrom) return copyFrom.source === "bundled" ? "starter" : "installed";
  return existing !== undefined || author === "person" ? "person" : "agent";
}

function noticesAbout(
  asked: SkillName,
  { place, copyFrom, coveredBy }: Target,
  unread: string | undefined,
): Notice[] {
  const notices: Notice[] = [];
  const add = (code: string, message: string) => notices.push({ code, message });
  if (asked !== place.name) add("renamed", `"${asked}" is now called "${place.name}"; that skill was saved.`);
  const isUsed = coveredBy ? "" : " and is used from now on";
  const from = `"${place.name}" comes from ${copyFrom?.source}, which is not written to`;
  if (copyFrom) add("copied", `${from}, so a copy was saved${isUsed}.`);
  const covered = "has precedence over all learned skills, so it is still used instead of this copy";
  if (coveredBy) add("covered", `The skill from ${coveredBy.source} ${covered}.`);
  const advice = "Add it to sources.only, or remove it from sources.drop";
  if (unread)
    add("not-a-source", `It is saved but not read: the configuration leaves ${unread} out. ${advice}.`);
  return notices;
}

function taken(from: SkillName, to: SkillName): RepertoireError {
  return new RepertoireError(
    "skill-exists",
    `"${from}" cannot be renamed: there is a skill "${to}" already. Choose another name, or delete that skill first.`,
    to,
  );
}
