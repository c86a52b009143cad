// Owns precedence and look-up: which of several skills of one name wins, what its aliases, parent and children are.
// Front door of the stage. Does not own reading files (`catalog.ts`) or who may see what (`view.ts`).

import type { Diagnostic } from "../model/diagnostic.ts";
import { lookupKey, parentName, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";

/** A skill that another one of the same name covers. */
export interface ShadowedSkill {
  readonly skill: Skill;
  readonly by: Skill;
}

/** All known skills after precedence. Immutable: a re-scan makes a new one. */
export class Library {
  /** The winners, by name. */
  readonly skills: ReadonlyMap<SkillName, Skill>;
  readonly shadowed: readonly ShadowedSkill[];
  readonly diagnostics: readonly Diagnostic[];
  private readonly aliases = new Map<string, Skill>();
  private readonly childrenOf = new Map<SkillName, Skill[]>();

  /** `discovered` is in order of discovery, lowest precedence first; a later skill wins over an earlier one. */
  constructor(discovered: readonly Skill[], diagnostics: readonly Diagnostic[]) {
    const findings = [...diagnostics];
    const winners = new Map<SkillName, Skill>();
    const shadowed: ShadowedSkill[] = [];
    for (const skill of discovered) {
      const earlier = winners.get(skill.name);
      if (earlier) {
        shadowed.push({ skill: earlier, by: skill });
        winners.delete(skill.name);
        findings.push(shadowDiagnostic(earlier, skill));
      }
      winners.set(skill.name, skill);
    }
    for (const skill of winners.values()) this.addAlias(skill, findings);
    this.skills = new Map([...winners.keys()].sort().map((name) => [name, winners.get(name)!]));
    for (const skill of this.skills.values()) {
      const parent = parentName(skill.name);
      if (parent === undefined) continue;
      const siblings = this.childrenOf.get(parent);
      if (siblings) siblings.push(skill);
      else this.childrenOf.set(parent, [skill]);
    }
    this.shadowed = shadowed;
    this.diagnostics = findings;
  }

  /**
   * By identity, display name or slash form, in any case; the identity comes first.
   *
   * @example
   * const skill = (await skills.library.current()).find("PDF Tables");
   */
  find(spelling: string): Skill | undefined {
    const key = lookupKey(spelling);
    return this.skills.get(key) ?? this.aliases.get(key);
  }

  /**
   * Direct children only; grandchildren belong to their own parent.
   *
   * @example
   * const library = await skills.library.current();
   * for (const name of library.skills.keys()) console.log(name, library.children(name).length);
   */
  children(name: SkillName): readonly Skill[] {
    return this.childrenOf.get(name) ?? [];
  }

  /**
   * The skill that this one is a part of, as `meetings` of `meetings/plan`.
   *
   * @example
   * const library = await skills.library.current();
   * for (const name of library.skills.keys()) console.log(name, library.parent(name)?.name);
   */
  parent(name: SkillName): Skill | undefined {
    const parent = parentName(name);
    return parent === undefined ? undefined : this.skills.get(parent);
  }

  private addAlias(skill: Skill, findings: Diagnostic[]): void {
    const declared = skill.manifest.declaredName;
    const alias = declared === undefined || declared === skill.name ? "" : lookupKey(declared);
    if (alias === "" || alias === skill.name) return;
    const earlier = this.aliases.get(alias);
    if (earlier) {
      findings.push({
        code: "alias-ambiguous",
        severity: "warning",
        path: skill.path,
        message: `"${declared}" is the declared name of ${earlier.name} and of ${skill.name}; the name leads to ${skill.name}.`,
        fix: "Give one of the two another name in its front matter, or call them by their paths.",
      });
    }
    this.aliases.set(alias, skill);
  }
}

function shadowDiagnostic(earlier: Skill, winner: Skill): Diagnostic {
  const sameSource = earlier.source === winner.source;
  return {
    code: sameSource ? "duplicate-name" : "shadowed",
    severity: sameSource ? "warning" : "info",
    path: earlier.path,
    message: `"${earlier.name}" is covered by the skill of the same name at ${winner.path}.`,
    fix: sameSource
      ? "Rename one of the two folders."
      : "Nothing to do if that is meant; otherwise rename one of the two folders.",
  };
}
