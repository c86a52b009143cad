// Owns what a source is. Does not own which sources there are: `discover/sources.ts` has the table.

export type SourceScope = "bundled" | "user" | "project" | "custom";

/** A root folder that skills come from. Sources are ordered; a later one wins. */
export interface Source {
  /** Short and stable, for example `~/.claude` or `project/.agents`. */
  readonly id: string;
  /** Absolute path of the folder that holds the skills. */
  readonly root: string;
  readonly scope: SourceScope;
  /** The root itself may be a skill (`<project>/skills/SKILL.md`). */
  readonly rootSkill: boolean;
  /** Links may lead out of the source. */
  readonly trustLinks: boolean;
  /** Skip a skill without a description instead of taking its first paragraph. */
  readonly requireDescription: boolean;
  /** Skip a skill whose front matter has no name instead of taking the folder's. */
  readonly requireName: boolean;
}

/** A source that a config adds. */
export interface ExtraSource {
  readonly path: string;
  readonly id?: string;
  readonly rootSkill?: boolean;
  readonly trustLinks?: boolean;
  readonly requireDescription?: boolean;
  readonly requireName?: boolean;
}
