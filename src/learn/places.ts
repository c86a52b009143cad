// Where learned skills are: below the home folder's `.repertoire/skills` or the project's.

import { join, resolve } from "node:path";
import { isBelow } from "../disk/disk.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { placeOf, type SkillPlace, type VersionRecord } from "./version-store.ts";

/** The folders that learned skills belong to, and the sources that the library reads. */
export interface PlaceNeeds {
  readonly home: string;
  readonly project: string;
  /** Where learned skills are kept instead of the home folder's `.repertoire/skills`. */
  readonly learned?: string | undefined;
  /** The mirror of a library that many machines share. Learned skills are kept there then, and its path means nothing elsewhere. */
  readonly mirror?: string | undefined;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
}

export class SkillPlaces {
  /** The folders that learned skills are written to. */
  readonly roots: readonly string[];
  private readonly needs: PlaceNeeds;
  private readonly homeRoot: string;
  /** Undefined if the project is the home folder. */
  private readonly projectRoot: string | undefined;

  constructor(needs: PlaceNeeds) {
    const project = resolve(ownRoot(needs.project));
    this.needs = needs;
    this.homeRoot = needs.mirror ?? needs.learned ?? ownRoot(needs.home);
    this.projectRoot = project === this.homeRoot ? undefined : project;
    this.roots = this.projectRoot === undefined ? [this.homeRoot] : [this.homeRoot, this.projectRoot];
  }

  home(name: SkillName): SkillPlace {
    const { learned, mirror } = this.needs;
    return learned === undefined || mirror !== undefined ? { name } : { name, root: learned };
  }

  project(name: SkillName): SkillPlace {
    return this.projectRoot === undefined ? this.home(name) : { name, root: this.projectRoot };
  }

  /** The place of a name in any folder of skills. */
  at(root: string, name: SkillName): SkillPlace {
    return root === this.homeRoot ? this.home(name) : { name, root };
  }

  /** Both places that a name can have, the one with precedence first. */
  both(name: SkillName): SkillPlace[] {
    return this.projectRoot === undefined ? [this.home(name)] : [this.project(name), this.home(name)];
  }

  root({ root }: SkillPlace): string {
    return root ?? this.homeRoot;
  }

  directory(place: SkillPlace): string {
    return join(this.root(place), ...place.name.split("/"));
  }

  isInProject({ root }: SkillPlace): boolean {
    return root === this.projectRoot;
  }

  /** Whether a version belongs to this home folder, this project, or a source that packages were added to. */
  isKnown(version: VersionRecord): boolean {
    const { root } = placeOf(version);
    if (this.both(version.name).some((place) => place.root === root)) return true;
    return this.needs.sources.some((source) => source.root === root && source.scope !== "bundled");
  }

  /** The id of the source that would have to be configured for the library to read this place, if it does not. */
  unread(place: SkillPlace): string | undefined {
    const root = this.root(place);
    if (this.needs.sources.some((source) => source.root === root)) return undefined;
    if (root === this.needs.learned) return root;
    return `${root === this.projectRoot ? "." : "~"}/.repertoire/skills`;
  }

  isLearned(skill: Skill): boolean {
    const source = this.needs.sources.find(({ id }) => id === skill.source);
    return source !== undefined && this.roots.includes(source.root);
  }

  /** Whether a skill at this place would have precedence over the given one. */
  isAbove(place: SkillPlace, skill: Skill): boolean {
    const { sources } = this.needs;
    const root = this.root(place);
    return (
      sources.findIndex((source) => source.root === root) > sources.findIndex(({ id }) => id === skill.source)
    );
  }

  /**
   * Where a new skill goes: our own folder of the scope, or the highest source of the scope if the configuration leaves ours
   * out. A project without any source of its own has its skills where the configuration does read them.
   */
  rootForNew(scope: "user" | "project"): string {
    const own = scope === "user" ? this.homeRoot : ownRoot(this.needs.project);
    return (
      this.readRoot(scope, own) ??
      (scope === "project" ? this.readRoot("user", this.homeRoot) : undefined) ??
      own
    );
  }

  private readRoot(scope: "user" | "project", own: string): string | undefined {
    const base = scope === "user" ? this.needs.home : this.needs.project;
    if (this.needs.sources.some(({ root }) => root === own)) return own;
    const read = this.needs.sources.filter((source) => source.scope === scope && isBelow(base, source.root));
    return read.at(-1)?.root;
  }

  /** The id of the source that a folder belongs to. */
  sourceOf(directory: string): string | undefined {
    return this.needs.sources.find(({ root }) => isBelow(root, directory))?.id;
  }
}

function ownRoot(base: string): string {
  return join(base, ".repertoire", "skills");
}
