// The part of the library that one agent, or the person, may see, and the state of each skill in it. The rules are in
// `visibility.ts`. Precedence is decided before, so that an unavailable override never uncovers the skill that it shadows.

import { RepertoireError } from "../model/errors.ts";
import { compareNames, type SkillName } from "../model/name.ts";
import type { ListedSkill, Skill } from "../model/skill.ts";
import { firstOf } from "../text/lists.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import type { Library } from "./precedence.ts";
import type { JudgedState, Visibility } from "./visibility.ts";

/** The person sees all that is allowed; the model does not see what only the person may invoke. */
export type Audience = "model" | "person";

/** How many names an error lists before it counts the rest. */
const NAMES_IN_ERROR = 10;

const NOT_FOUND: JudgedState = { state: "hidden" };

export class LibraryView {
  readonly library: Library;
  private readonly visibility: Visibility;

  constructor(library: Library, visibility: Visibility) {
    this.library = library;
    this.visibility = visibility;
  }

  /**
   * Every skill with its state, for management: shadowed and hidden ones included, by name.
   *
   * @example
   * for (const { skill, state } of (await skills.library.view()).list()) console.log(skill.name, state);
   */
  list(): ListedSkill[] {
    const stateOf = this.visibility.judge();
    const listed: ListedSkill[] = [];
    for (const skill of this.library.skills.values()) listed.push({ skill, ...stateOf(skill) });
    for (const { skill, by } of this.library.shadowed) {
      listed.push({ skill, state: "shadowed", reason: `covered by ${by.path}` });
    }
    return listed.sort((a, b) => compareNames(a.skill.name, b.skill.name));
  }

  /**
   * What may go into a prompt now, by name: allowed, enabled, available, and not only for the person.
   *
   * @example
   * const names = (await skills.library.view()).visible().map(({ name }) => name);
   */
  visible(): Skill[] {
    const stateOf = this.visibility.judge();
    return [...this.library.skills.values()].filter((skill) => stateOf(skill).state === "active");
  }

  /**
   * What a person may invoke: all that the model may use, and what only the person may.
   *
   * @example
   * const names = (await skills.library.view()).invocable().map(({ name }) => name);
   */
  invocable(): Skill[] {
    const stateOf = this.visibility.judge();
    return [...this.library.skills.values()].filter((skill) => {
      const { state } = stateOf(skill);
      return state === "active" || this.isPersonal(skill, state);
    });
  }

  /**
   * The skill of exactly this name, when it may go into a prompt now.
   *
   * @example
   * const found = toSkillName("pdf-tables");
   * const skill = found.ok ? (await skills.library.view()).active(found.name) : undefined;
   */
  active(name: SkillName): Skill | undefined {
    const skill = this.library.skills.get(name);
    return skill && this.visibility.judge()(skill).state === "active" ? skill : undefined;
  }

  /**
   * Finds a skill that the audience may use now, or fails with the names it may use instead.
   *
   * @example
   * const { path } = (await skills.library.view()).require("pdf-tables", "model");
   */
  require(spelling: string, audience: Audience): Skill {
    const skill = this.library.find(spelling);
    const { state, reason } = skill ? this.visibility.judge()(skill) : NOT_FOUND;
    if (skill && (state === "active" || (audience === "person" && this.isPersonal(skill, state))))
      return skill;
    if (skill && (state === "unavailable" || state === "disabled") && !skill.manifest.userOnly) {
      const code = state === "disabled" ? "skill-disabled" : "skill-unavailable";
      throw new RepertoireError(code, `"${skill.name}" is ${state}: ${reason}.`, spelling);
    }
    const { agent } = this.visibility.options;
    throw new RepertoireError(
      "skill-not-found",
      `There is no skill "${spelling}"${agent ? ` that "${agent}" may see` : ""}.${this.instead(spelling, audience)}`,
      spelling,
    );
  }

  /**
   * Direct children that the model may see.
   *
   * @example
   * const view = await skills.library.view();
   * for (const { name } of view.visible()) console.log(name, view.children(name).length);
   */
  children(name: SkillName): Skill[] {
    const stateOf = this.visibility.judge();
    return this.library.children(name).filter((skill) => stateOf(skill).state === "active");
  }

  private isPersonal(skill: Skill, state: JudgedState["state"]): boolean {
    return skill.manifest.userOnly && state === "hidden" && this.visibility.allows(skill.name);
  }

  /** The names that resemble it; for a model, or if there are none, also the first of those that there are. */
  private instead(spelling: string, audience: Audience): string {
    const names = this.visible().map((skill) => skill.name);
    if (names.length === 0) return " No skill is visible.";
    const near = nearTo(spelling, names);
    const meant = near.length > 0 ? didYouMean(near) : "";
    if (near.length > 0 && audience === "person") return meant;
    return `${meant} Visible: ${firstOf(names, NAMES_IN_ERROR)}.`;
  }
}
