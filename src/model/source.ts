// The shape of a source, a folder with skills.

export type SourceScope = "bundled" | "user" | "project" | "custom";

/** Who decides whether a project's skills are shown: the host, the person, or nobody. */
export const PROJECT_TRUST = ["host", "ask", "all"] as const;
export type ProjectTrust = (typeof PROJECT_TRUST)[number];

/** A root folder of skills. Sources are ordered; a later one takes precedence. */
export interface Source {
  /** Short and stable, for example `~/.claude` or `project/.agents`. */
  readonly id: string;
  /** Absolute path of the folder that holds the skills. */
  readonly root: string;
  readonly scope: SourceScope;
  /** The root itself may be a skill (`<project>/skills/SKILL.md`). */
  readonly rootSkill: boolean;
  /** Links may point out of the source. */
  readonly trustLinks: boolean;
  /** Skip a skill without a description instead of taking its first paragraph. */
  readonly requireDescription: boolean;
  /** Skip a skill whose front matter has no name instead of taking the folder's. */
  readonly requireName: boolean;
  /** What names a skill: its path below the root, or the name in its front matter. */
  readonly identity: Identity;
}

export const IDENTITIES = ["path", "name"] as const;
export type Identity = (typeof IDENTITIES)[number];

/** A source that the configuration adds. */
export interface ExtraSource {
  readonly path: string;
  readonly id?: string | undefined;
  readonly rootSkill?: boolean | undefined;
  readonly trustLinks?: boolean | undefined;
  readonly requireDescription?: boolean | undefined;
  readonly requireName?: boolean | undefined;
}
