// A skill after reading: its manifest (the front matter of all dialects in one shape), identity and state.

import type { SkillName } from "./name.ts";

/** Phrases that suggest a skill. A plain list in the front matter becomes `keywords`. */
export interface Triggers {
  readonly keywords: readonly string[];
  readonly verbs: readonly string[];
  /** Untrusted regular expressions: match them in linear time only. */
  readonly patterns: readonly string[];
}

/** What the skill needs on the machine. */
export interface Requirements {
  readonly env: readonly string[];
  readonly bins: readonly string[];
  /** At least one of these is needed. */
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
  /** Globs of the files that the skill is for. */
  readonly paths: readonly string[];
  readonly argumentHint?: string | undefined;
  /** Shown in every prompt, whatever the budget. */
  readonly always: boolean;
  readonly defaultEnabled: boolean;
  /** Only a person may invoke the skill; it is hidden from the model. */
  readonly userOnly: boolean;
  /** The skill may be invoked as a slash command. */
  readonly userInvocable: boolean;
  /** The spec's `metadata`, as written (null prototype). */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Keys that are in no dialect, as written (null prototype). */
  readonly unknown: Readonly<Record<string, unknown>>;
}

/** A skill of the library: its manifest, identity and files. The body is read when needed. */
export interface Skill {
  readonly name: SkillName;
  /** The front matter's name, or the last segment of `name` if there is none. */
  readonly displayName: string;
  readonly manifest: SkillManifest;
  /** The id of the skill's source. */
  readonly source: string;
  /** The SKILL.md file. */
  readonly path: string;
  /** The folder of the package. */
  readonly directory: string;
  /** SHA-256 of the SKILL.md file's bytes, hex. */
  readonly digest: string;
  /** Set if inspection found something dangerous: the manifest then has a notice instead of the author's words. */
  readonly withheld?: boolean | undefined;
}

export const SKILL_STATES = ["active", "unavailable", "disabled", "shadowed", "hidden"] as const;
export type SkillState = (typeof SKILL_STATES)[number];

/** A skill with its state, and the reason if it cannot be used. */
export interface ListedSkill {
  readonly skill: Skill;
  readonly state: SkillState;
  readonly reason?: string | undefined;
}

export const NO_TRIGGERS: Triggers = { keywords: [], verbs: [], patterns: [] };
export const NO_REQUIREMENTS: Requirements = { env: [], bins: [], anyBins: [] };
