// The rules that decide whether a skill can be used now, and by whom: allowlist, switches, requirements, and what
// only the person may invoke. Needs no library: it judges one skill at a time.

import type { SkillName } from "../model/name.ts";
import type { Skill, SkillManifest, SkillState } from "../model/skill.ts";
import type { SourceScope } from "../model/source.ts";
import { availabilityCheck, type Environment } from "./availability.ts";
import { matchesAny, nameMatcher, ruleFits } from "./glob.ts";

export interface VisibilityOptions {
  /** Who looks, for messages; absent for the person at the command line. */
  readonly agent?: string | undefined;
  /** Absent = all, `[]` = none, `['*']` = all, else names and globs. */
  readonly allowlist?: readonly string[] | undefined;
  readonly enable?: readonly string[] | undefined;
  /** Rules `GLOB` or `GLOB@SOURCE`. */
  readonly disable?: readonly string[] | undefined;
  /** Rules of the same form for what an agent has switched off in its own settings. */
  readonly disabledByHost?: readonly string[] | undefined;
  /** The scope of a source; `custom` unless given. */
  readonly scopeOf?: ((source: string) => SourceScope) | undefined;
  readonly env: Environment;
}

export interface JudgedState {
  readonly state: Exclude<SkillState, "shadowed">;
  readonly reason?: string;
}

/** What the rules need of a skill. */
export interface Judged extends Pick<Skill, "name" | "source"> {
  readonly manifest: Pick<SkillManifest, "defaultEnabled" | "userOnly" | "requires">;
}

export class Visibility {
  readonly options: VisibilityOptions;
  private readonly isAllowed: ((name: SkillName) => boolean) | undefined;

  constructor(options: VisibilityOptions) {
    this.options = options;
    this.isAllowed = options.allowlist && nameMatcher(options.allowlist);
  }

  /** A judge for one operation; requirements are looked at anew by the next one. */
  judge(): (skill: Judged) => JudgedState {
    const missing = availabilityCheck(this.options.env);
    return (skill) => {
      if (!this.allows(skill.name))
        return { state: "hidden", reason: `not in the allowlist of "${this.options.agent ?? "this view"}"` };
      if (this.isOffInHost(skill))
        return { state: "disabled", reason: "switched off in the settings of the agent that it belongs to" };
      if (!this.isEnabled(skill))
        return {
          state: "disabled",
          reason: `switched off; \`repertoire enable ${skill.name}\` switches it on`,
        };
      const reason = missing(skill);
      if (reason !== undefined) return { state: "unavailable", reason };
      if (skill.manifest.userOnly)
        return { state: "hidden", reason: `only you may invoke it, as /${skill.name}` };
      return { state: "active" };
    };
  }

  allows(name: SkillName): boolean {
    return this.isAllowed?.(name) ?? true;
  }

  /** Whether the agent may save, change or delete a skill of this name: one that it may see, or a name or `prefix/` in `given`. */
  mayWrite(name: SkillName, given: readonly string[] = []): boolean {
    const isGiven = (rule: string) =>
      rule.endsWith("/") ? name.startsWith(rule.toLowerCase()) : matchesAny([rule], name);
    return this.allows(name) || given.some(isGiven);
  }

  /** What a person enables by its name is enabled, whatever an agent's settings say. */
  private isOffInHost(skill: Judged): boolean {
    const { enable = [], disabledByHost = [] } = this.options;
    if (disabledByHost.length === 0 || enable.includes(skill.name)) return false;
    const subject = { name: skill.name, source: skill.source, scope: "user" } as const;
    return disabledByHost.some((rule) => ruleFits(rule, subject));
  }

  private isEnabled(skill: Judged): boolean {
    const { enable = [], disable = [], scopeOf = () => "custom" } = this.options;
    const subject = {
      name: skill.name,
      // Looked up only by a rule that names a source: a stored skill is decoded for it.
      get source() {
        return skill.source;
      },
      get scope() {
        return scopeOf(skill.source);
      },
    };
    if (disable.some((rule) => ruleFits(rule, subject))) return false;
    return skill.manifest.defaultEnabled || matchesAny(enable, skill.name);
  }
}
