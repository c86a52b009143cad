// Works out and checks a requested change of a learned skill, without making it. Called under the lock.

import { join } from "node:path";
import { entriesOf, type Files } from "../disk/disk.ts";
import type { Repertoire } from "../engine/engine.ts";
import type { Clock } from "../model/clock.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { type PackageFile, readPackage, sha256Of, skillFileOf } from "../package/package.ts";
import {
  composeSkill,
  type ManagedKey,
  metadataOf,
  readSkillText,
  type SkillText,
  withMetadata,
} from "../parse/parse.ts";
import { checkDigest, checkPermission, checkSupportPath, isPinned, metadataIn } from "./checks.ts";
import type { Changed, Notice } from "./learned-skills.ts";
import { checkConformance, checkSafety } from "./lesson-text.ts";
import type { LessonPlaces, Target } from "./places.ts";
import { learnedName } from "./skill-name.ts";
import type { Change, VersionBook } from "./version-book.ts";
import type { Place } from "./version-place.ts";
import type { RedirectStore } from "./version-store.ts";

export interface SaveRequest {
  readonly name: string;
  /** A whole SKILL.md, or the procedure alone. */
  readonly content: string;
  readonly description?: string;
  readonly summary?: string;
  readonly seeAlso?: readonly string[];
  /** Support files by path, added to those that the skill has. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly author?: string;
  readonly reason?: string;
  /** Into the project's `.repertoire/skills` instead of the home folder's. */
  readonly project?: boolean;
  /** A person's word that content which looks dangerous is meant. */
  readonly allowUnsafe?: boolean;
  /** Refuse when the SKILL.md is no longer the one with this digest. */
  readonly ifDigest?: string;
}

export interface Draft {
  readonly place: Place;
  /** Absent when nothing would change. */
  readonly change?: Change;
  readonly result: Changed["result"];
  readonly notices: readonly Notice[];
  readonly summary?: { readonly text: string; readonly wanted: boolean };
}

type Managed = Readonly<Partial<Record<ManagedKey, string>>>;
type AuthoredRequest = SaveRequest & { readonly author: string; readonly managed?: Managed };

export class Drafts {
  private readonly engine: Repertoire;
  private readonly book: VersionBook;
  private readonly places: LessonPlaces;
  private readonly clock: Clock;
  private readonly files: Files;
  private readonly redirects: RedirectStore;

  constructor(parts: {
    engine: Repertoire;
    book: VersionBook;
    places: LessonPlaces;
    clock: Clock;
    files: Files;
    redirects: RedirectStore;
  }) {
    this.engine = parts.engine;
    this.book = parts.book;
    this.places = parts.places;
    this.clock = parts.clock;
    this.files = parts.files;
    this.redirects = parts.redirects;
  }

  async save(request: AuthoredRequest): Promise<Draft> {
    const asked = learnedName(request.name);
    const name = this.engine.library.skills.has(asked) ? asked : await this.redirects.resolve(asked);
    const target = this.places.target(this.book, name, request.project ?? false);
    const { place, copyFrom } = target;
    const current = this.book.onDisk(place);
    if (current.length === 0) this.checkFolder(place);
    const basis = current.length > 0 ? current : copyFrom ? readPackage(this.files, copyFrom.directory) : [];
    const main = skillFileOf(basis);
    const existing = main && readSkillText(main.bytes, main.path);
    checkPermission(request.author, name, existing);
    checkDigest(request.ifDigest, name, main);
    const text = this.compose(request, { name, existing, target, isUpdate: current.length > 0 });
    const files = withSupport(basis, request.files ?? {}, { path: main?.path ?? "SKILL.md", text });
    checkConformance(text, join(this.places.directory(place), "SKILL.md"));
    const findings = checkSafety(files, request.allowUnsafe === true && request.author === "person");
    const isSame = current.length > 0 && isUnchanged(files, current);
    const summary = metadataOf(
      readSkillText(text, "SKILL.md").front.metadata as Record<string, unknown>,
      "summary",
    );
    return {
      place,
      ...(!isSame && { change: { place, action: "save", files } }),
      result: isSame ? "unchanged" : current.length > 0 ? "updated" : "created",
      notices: [
        ...noticesAbout(asked, target, this.places.unread(place)),
        ...findings
          .filter(({ severity }) => severity !== "low")
          .map(({ code, path, message }) => ({ code, message: `${path}: ${message}` })),
      ],
      summary: { text: summary ?? "", wanted: request.summary === undefined },
    };
  }

  async archive(
    spelling: string,
    options: { readonly author: string; readonly into?: SkillName | undefined },
  ): Promise<Draft> {
    const place = this.places.require(this.book, spelling);
    checkPermission(options.author, place.name, this.lesson(place));
    const beneath = this.engine.library.shadowed.findLast(({ skill }) => skill.name === place.name);
    return {
      place,
      change: {
        place,
        action: "delete",
        files: [],
        ...(options.into !== undefined && { data: { to: options.into } }),
      },
      result: "archived",
      notices: beneath
        ? [
            {
              code: "uncovered",
              message: `The skill of the same name from ${beneath.skill.source} counts again.`,
            },
          ]
        : [],
    };
  }

  async rename(
    spelling: string,
    to: SkillName,
    author: string,
  ): Promise<{ place: Place; changes: Change[] }> {
    const from = this.places.require(this.book, spelling);
    const place: Place = { ...from, name: to };
    const lesson = this.lesson(from);
    checkPermission(author, from.name, lesson);
    if (this.engine.library.skills.has(to) || this.book.onDisk(place).length > 0) throw taken(from.name, to);
    this.checkFolder(place);
    const text = composeSkill({
      name: to,
      incoming: lesson,
      existing: lesson,
      managed: { "updated-at": this.now() },
    });
    checkConformance(text, join(this.places.directory(place), "SKILL.md"));
    const disk = this.book.onDisk(from);
    const files = withSupport(disk, {}, { path: skillFileOf(disk)!.path, text });
    return {
      place,
      changes: [
        { place, action: "rename", files, data: { from: from.name } },
        { place: from, action: "rename", files: [], data: { to } },
      ],
    };
  }

  async pin(spelling: string, on: boolean): Promise<{ place: Place; change?: Change }> {
    const place = this.places.require(this.book, spelling);
    const lesson = this.lesson(place);
    if (isPinned(lesson) === on) return { place };
    const text = withMetadata(lesson, { pinned: on ? "true" : undefined });
    const disk = this.book.onDisk(place);
    const files = withSupport(disk, {}, { path: skillFileOf(disk)!.path, text });
    return { place, change: { place, action: on ? "pin" : "unpin", files } };
  }

  /** What the skill would be described as, for the search for similar ones. */
  descriptionOf({ content, description }: SaveRequest): string {
    if (description !== undefined) return description;
    const lesson = readSkillText(content, "SKILL.md");
    return typeof lesson.front.description === "string" ? lesson.front.description : lesson.firstParagraph;
  }

  private compose(
    request: AuthoredRequest,
    now: { name: SkillName; existing: SkillText | undefined; target: Target; isUpdate: boolean },
  ): string {
    const incoming = readSkillText(request.content, "SKILL.md");
    const metadata = metadataIn(now.existing);
    const updatedAt = now.isUpdate ? metadataOf(metadata, "updated-at") : undefined;
    const parts = {
      name: now.name,
      incoming,
      existing: now.existing,
      description: request.description,
      summary: request.summary,
      seeAlso: request.seeAlso,
      managed: {
        "created-at": (now.isUpdate && metadataOf(metadata, "created-at")) || this.now(),
        provenance: metadataOf(metadata, "provenance") ?? provenanceOf(request.author, now),
        ...(now.target.copyFrom && { "copied-from": now.target.copyFrom.source }),
        ...(updatedAt !== undefined && { "updated-at": updatedAt }),
        ...request.managed,
      },
    };
    const text = composeSkill(parts);
    const before = now.isUpdate ? skillFileOf(this.book.onDisk(now.target.place)) : undefined;
    if (before === undefined || Buffer.from(text).equals(before.bytes)) return text;
    return composeSkill({ ...parts, managed: { ...parts.managed, "updated-at": this.now() } });
  }

  private lesson(place: Place): SkillText {
    const main = skillFileOf(this.book.onDisk(place))!;
    return readSkillText(main.bytes, main.path);
  }

  /** A folder that holds another skill's support files must not become a skill: that one would lose them. */
  private checkFolder(place: Place): void {
    const folder = this.places.directory(place);
    if (!entriesOf(this.files, folder).some((entry) => entry.isFile())) return;
    throw new RepertoireError(
      "folder-taken",
      `${folder} holds files of another skill, so "${place.name}" cannot be saved there. Choose another name. Nothing was changed.`,
      place.name,
    );
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
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

/** Who made a skill that does not say so itself. */
function provenanceOf(author: string, now: { existing: SkillText | undefined; target: Target }): string {
  const { copyFrom } = now.target;
  if (copyFrom) return copyFrom.source === "bundled" ? "starter" : "installed";
  return now.existing !== undefined || author === "person" ? "person" : "agent";
}

function noticesAbout(
  asked: SkillName,
  { place, copyFrom, coveredBy }: Target,
  unread: string | undefined,
): Notice[] {
  const notices: Notice[] = [];
  if (asked !== place.name)
    notices.push({
      code: "renamed",
      message: `"${asked}" is now called "${place.name}"; that one was saved.`,
    });
  if (copyFrom)
    notices.push({
      code: "copied",
      message: `"${place.name}" comes from ${copyFrom.source}, which is not written to; a copy was made first, and the copy counts from now on.`,
    });
  if (coveredBy)
    notices.push({
      code: "covered",
      message: `The skill from ${coveredBy.source} stands above all learned ones and stays in front of this copy.`,
    });
  if (unread)
    notices.push({
      code: "not-a-source",
      message: `It is saved but not read: the configuration leaves ${unread} out. Add it to sources.only, or take it out of sources.drop.`,
    });
  return notices;
}

function taken(from: SkillName, to: SkillName): RepertoireError {
  return new RepertoireError(
    "skill-exists",
    `"${from}" cannot be renamed: there is a skill "${to}" already. Choose another name, or delete that one first.`,
    to,
  );
}
