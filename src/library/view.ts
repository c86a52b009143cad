// Owns what one agent, or the person, may see of the library, and the state of each skill in that view.
// Does not own precedence: that is settled before, so that an unavailable override never uncovers what lies beneath.

import { RepertoireError } from "../model/errors.ts";
import { compareNames, type SkillName } from "../model/name.ts";
import type { ListedSkill, Skill, SkillState } from "../model/skill.ts";
import { availabilityCheck, type Environment } from "./availability.ts";
import { matchesAny } from "./glob.ts";
import type { Library } from "./library.ts";

export interface ViewOptions {
  /** Who looks, for messages; absent for the person at the command line. */
  readonly agent?: string;
  /** Absent = all, `[]` = none, `['*']` = all, else names and globs. */
  readonly allowlist?: readonly string[];
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  readonly env: Environment;
}

/** The person sees all that is allowed; the model does not see what only the person may invoke. */
export type Audience = "model" | "person";

/** How many names an error lists before it counts the rest. */
const NAMES_IN_ERROR = 20;

export class LibraryView {
  readonly library: Library;
  private readonly options: ViewOptions;

  constructor(library: Library, options: ViewOptions) {
    this.library = library;
    this.options = options;
  }

  /** Every skill with its state, for management: shadowed and hidden ones included, by name. */
  list(): ListedSkill[] {
    const check = availabilityCheck(this.options.env);
    const listed: ListedSkill[] = [];
    for (const skill of this.library.skills.values()) listed.push({ skill, ...this.stateOf(skill, check) });
    for (const { skill, by } of this.library.shadowed) {
      listed.push({ skill, state: "shadowed", reason: `covered by ${by.path}` });
    }
    return listed.sort((a, b) => compareNames(a.skill.name, b.skill.name));
  }

  /** What may go into a prompt now, by name: allowed, enabled, available, and not only for the person. */
  visible(): Skill[] {
    const check = availabilityCheck(this.options.env);
    return [...this.library.skills.values()].filter((skill) => this.stateOf(skill, check).state === "active");
  }

  /** Whether the model may see this skill now. For many skills at once use `visible`. */
  isVisible(skill: Skill): boolean {
    return this.stateOf(skill, availabilityCheck(this.options.env)).state === "active";
  }

  /** Finds a skill that the audience may use now, or fails with the names it may use instead. */
  require(spelling: string, audience: Audience): Skill {
    const skill = this.library.find(spelling);
    const { state, reason } = skill ? this.stateOf(skill, availabilityCheck(this.options.env)) : NOT_FOUND;
    const usable =
      state === "active" ||
      (audience === "person" && skill?.manifest.userOnly && state === "hidden" && this.allows(skill.name));
    if (skill && usable) return skill;
    if (skill && (state === "unavailable" || state === "disabled") && !skill.manifest.userOnly) {
      throw new RepertoireError(`skill-${state}`, `"${skill.name}" is ${state}: ${reason}.`, spelling);
    }
    const viewer = this.options.agent ? ` to "${this.options.agent}"` : "";
    throw new RepertoireError(
      "skill-not-found",
      `"${spelling}" is not visible${viewer}. ${this.visibleNames()}`,
      spelling,
    );
  }

  /** Direct children that the model may see. */
  children(name: SkillName): Skill[] {
    const check = availabilityCheck(this.options.env);
    return this.library.children(name).filter((skill) => this.stateOf(skill, check).state === "active");
  }

  private stateOf(
    skill: Skill,
    check: (skill: Skill) => string | undefined,
  ): { state: SkillState; reason?: string } {
    if (!this.allows(skill.name))
      return { state: "hidden", reason: `not in the allowlist of "${this.options.agent ?? "this view"}"` };
    if (!this.isEnabled(skill))
      return {
        state: "disabled",
        reason: `switched off; \`repertoire enable ${skill.name}\` switches it on`,
      };
    const missing = check(skill);
    if (missing !== undefined) return { state: "unavailable", reason: missing };
    if (skill.manifest.userOnly)
      return { state: "hidden", reason: `only you may invoke it, as /${skill.name}` };
    return { state: "active" };
  }

  private allows(name: SkillName): boolean {
    const { allowlist } = this.options;
    return allowlist === undefined || matchesAny(allowlist, name);
  }

  private isEnabled(skill: Skill): boolean {
    const { enable = [], disable = [] } = this.options;
    if (matchesAny(disable, skill.name)) return false;
    return skill.manifest.defaultEnabled || matchesAny(enable, skill.name);
  }

  private visibleNames(): string {
    const names = this.visible().map((skill) => skill.name);
    if (names.length === 0) return "No skill is visible.";
    const more = names.length - NAMES_IN_ERROR;
    return `Visible: ${names.slice(0, NAMES_IN_ERROR).join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
  }
}

const NOT_FOUND: { state: SkillState; reason?: string } = { state: "hidden" };
