// Owns where a learned skill is or goes: the home folder's root or the project's, and what it would be copied from.
// Composes the library with the version book; changes nothing.

import { join, resolve } from "node:path";
import type { Repertoire } from "../engine/engine.ts";
import { RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import type { VersionBook } from "./version-book.ts";
import { directoryOf, type Place, type Roots, rootsOf } from "./version-place.ts";

export interface Target {
  readonly place: Place;
  /** The skill of another source that the new one starts from. */
  readonly copyFrom?: Skill;
  /** A skill of a source above all learned ones, which will stay in front. */
  readonly coveredBy?: Skill;
}

export class LessonPlaces {
  readonly roots: Roots;
  private readonly engine: Repertoire;
  private readonly projectRoot: string | undefined;

  constructor(engine: Repertoire) {
    const home = join(engine.config.home, ".repertoire", "skills");
    const project = resolve(engine.config.dir, ".repertoire", "skills");
    this.engine = engine;
    this.projectRoot = project === home ? undefined : project;
    this.roots = rootsOf(home, this.projectRoot);
  }

  home(name: SkillName): Place {
    return { name };
  }

  project(name: SkillName): Place {
    return this.projectRoot === undefined ? { name } : { name, root: this.projectRoot };
  }

  /** Both places that a name can have, the one that wins first. */
  both(name: SkillName): Place[] {
    return this.projectRoot === undefined ? [this.home(name)] : [this.project(name), this.home(name)];
  }

  /** Where the learned skill of this name is, if there is one. */
  existing(book: VersionBook, name: SkillName): Place | undefined {
    return this.both(name).find((place) => book.onDisk(place).length > 0);
  }

  /** The learned skill of this name, or an error that says what the name is instead. */
  require(book: VersionBook, spelling: string): Place {
    const name = this.engine.library.find(spelling)?.name ?? lookupKey(spelling);
    const place = this.existing(book, name) ?? this.existing(book, lookupKey(spelling));
    if (place) return place;
    const other = this.engine.library.skills.get(name);
    if (other) {
      throw new RepertoireError(
        "skill-not-learned",
        `"${name}" comes from ${other.source} (${other.directory}), which is not written to. Switch it off with repertoire disable ${name}, or save a version of your own: repertoire save ${name}.`,
        spelling,
      );
    }
    throw new RepertoireError(
      "skill-not-found",
      `There is no learned skill "${spelling}". repertoire list shows what there is, repertoire archive --list what was deleted.`,
      spelling,
    );
  }

  /** Where a save goes: where the skill is, else to the lowest learned root that stands above what it changes. */
  target(book: VersionBook, name: SkillName, inProject: boolean): Target {
    const other = this.engine.library.skills.get(name);
    const existing = this.existing(book, name);
    if (existing && (!inProject || existing.root === this.projectRoot)) return { place: existing };
    if (other === undefined || this.isLearned(other)) {
      return { place: inProject ? this.project(name) : this.home(name) };
    }
    const isAbove = (place: Place) => this.rank(this.roots.path(place.root)) > this.rank(other);
    const fitting = [...(inProject ? [] : [this.home(name)]), this.project(name)];
    const place = fitting.find(isAbove);
    return place ? { place, copyFrom: other } : { place: fitting.at(-1)!, copyFrom: other, coveredBy: other };
  }

  directory(place: Place): string {
    return directoryOf(this.roots, place);
  }

  /** The id of the source that the configuration would have to read for this place to count, when it does not. */
  unread(place: Place): string | undefined {
    const root = this.roots.path(place.root);
    if (this.engine.sources.some((source) => source.root === root)) return undefined;
    return `${root === this.projectRoot ? "." : "~"}/.repertoire/skills`;
  }

  isLearned(skill: Skill): boolean {
    const source = this.engine.sources.find(({ id }) => id === skill.source);
    return source !== undefined && this.roots.all.includes(source.root);
  }

  /** How high a source stands. */
  private rank(of: string | Skill): number {
    const fits =
      typeof of === "string" ? ({ root }: Source) => root === of : ({ id }: Source) => id === of.source;
    return this.engine.sources.findIndex(fits);
  }
}
