// Owns what a skill is once it is read: its manifest (front matter, all dialects united) and where it stands.
// Does not own parsing (`parse/`), precedence or state (`library/`).

import type { SkillName } from "./name.ts";

/** Phrases that speak for a skill. A plain list in the front matter becomes `keywords`. */
export interface Triggers {
  readonly keywords: readonly string[];
  readonly verbs: readonly string[];
  /** Regular expressions, untrusted: matched in linear time only. */
  readonly patterns: readonly string[];
}

/** What must be present on the machine for the skill to work. */
export interface Requirements {
  readonly env: readonly string[];
  readonly bins: readonly string[];
  /** At least one of these must be there. */
  readonly anyBins: readonly string[];
}

/** The front matter of every dialect in one shape. Lists are empty, never absent. */
export interface SkillManifest {
  /** The front matter's `name`, as written. */
  readonly declaredName?: string | undefined;
  readonly description: string;
  /** `brief_description`, or the first sentence of the description, at most 80 characters. */
  readonly brief: string;
  /** `summary` of a learned skill. */
  readonly summary?: string | undefined;
  readonly whenToUse?: string | undefined;
  readonly version?: string | undefined;
  readonly license?: string | undefined;
  readonly compatibility?: string | undefined;
  readonly domain?: string | undefined;
  readonly frames: readonly string[];
  readonly triggers: Triggers;
  readonly tags: readonly string[];
  /** Tools that the skill provides or works with. */
  readonly tools: readonly string[];
  /** Tools that the skill asks to be allowed (`allowed-tools`). */
  readonly allowedTools: readonly string[];
  readonly requires: Requirements;
  /** `path:Export` entries. */
  readonly toolsets: readonly string[];
  readonly scripts: readonly string[];
  readonly seeAlso: readonly string[];
  readonly knowledge: readonly string[];
  /** Globs of files that the skill is about. */
  readonly paths: readonly string[];
  readonly argumentHint?: string | undefined;
  /** Shown in every prompt, whatever the budget. */
  readonly always: boolean;
  readonly defaultEnabled: boolean;
  /** Only a person may invoke it; hidden from the model everywhere. */
  readonly userOnly: boolean;
  /** May be invoked as a slash command. */
  readonly userInvocable: boolean;
  /** The spec's `metadata`, as written (null prototype). */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Keys that no dialect knows, kept (null prototype). */
  readonly unknown: Readonly<Record<string, unknown>>;
}

/** A skill of the library: its manifest, its identity and its place on disk. The body is read when it is needed. */
export interface Skill {
  readonly name: SkillName;
  /** The front matter's name where it differs from the identity's last segment, else the last segment. */
  readonly displayName: string;
  readonly manifest: SkillManifest;
  /** The id of the source it came from. */
  readonly source: string;
  /** The SKILL.md file. */
  readonly path: string;
  /** The folder of the package. */
  readonly directory: string;
  /** SHA-256 of the SKILL.md file's bytes, hex. */
  readonly digest: string;
}

export const SKILL_STATES = ["active", "unavailable", "disabled", "shadowed", "hidden"] as const;
export type SkillState = (typeof SKILL_STATES)[number];

/** A skill together with whether it can be used, and why not. */
export interface ListedSkill {
  readonly skill: Skill;
  readonly state: SkillState;
  readonly reason?: string;
}

export const NO_TRIGGERS: Triggers = { keywords: [], verbs: [], patterns: [] };
export const NO_REQUIREMENTS: Requirements = { env: [], bins: [], anyBins: [] };
