// Precedence and look-up: which of several skills of one name wins, and what its aliases, parent and children are. Files
// are read in `catalog.ts`; who may see what is in `view.ts`.

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
  private readonly winners: readonly Skill[];
  private readonly given: readonly Diagnostic[];
  // Made when first asked for: a prompt needs none of them.
  private named: ReturnType<typeof aliasesOf> | undefined;
  private findings: readonly Diagnostic[] | undefined;
  private childrenOf: ReadonlyMap<SkillName, readonly Skill[]> | undefined;

  /** `discovered` is in order of discovery, lowest precedence first; a later skill wins over an earlier one. */
  constructor(discovered: readonly Skill[], diagnostics: readonly Diagnostic[]) {
    const winners = new Map<SkillName, Skill>();
    const shadowed: ShadowedSkill[] = [];
    for (const skill of discovered) {
      const earlier = winners.get(skill.name);
      if (earlier) {
        shadowed.push({ skill: earlier, by: skill });
        winners.delete(skill.name);
      }
      winners.set(skill.name, skill);
    }
    this.winners = [...winners.values()];
    this.skills = new Map([...winners.keys()].sort().map((name) => [name, winners.get(name)!]));
    this.shadowed = shadowed;
    this.given = diagnostics;
  }

  /** What is wrong with the files, then with names that several skills have. */
  get diagnostics(): readonly Diagnostic[] {
    this.findings ??= [
      ...this.given,
      ...this.shadowed.map(({ skill, by }) => shadowDiagnostic(skill, by)),
      ...this.aliases.ambiguous,
    ];
    return this.findings;
  }

  /**
   * By identity, display name or slash form, in any case; the identity comes first.
   *
   * @example
   * const skill = (await skills.library.current()).find("PDF Tables");
   */
  find(spelling: string): Skill | undefined {
    const key = lookupKey(spelling);
    return this.skills.get(key) ?? this.aliases.skills.get(key);
  }

  /**
   * Direct children only; grandchildren belong to their own parent.
   *
   * @example
   * const library = await skills.library.current();
   * for (const name of library.skills.keys()) console.log(name, library.children(name).length);
   */
  children(name: SkillName): readonly Skill[] {
    this.childrenOf ??= byParent(this.skills.values());
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

  private get aliases() {
    this.named ??= aliasesOf(this.winners);
    return this.named;
  }
}

/** The skills by declared name, where that is another one, and the findings about those that share one. */
function aliasesOf(winners: readonly Skill[]) {
  const skills = new Map<string, Skill>();
  const ambiguous: Diagnostic[] = [];
  for (const skill of winners) {
    const declared = skill.manifest.declaredName;
    const alias = declared === undefined || declared === skill.name ? "" : lookupKey(declared);
    if (alias === "" || alias === skill.name) continue;
    const earlier = skills.get(alias);
    if (earlier) {
      ambiguous.push({
        code: "alias-ambiguous",
        severity: "warning",
        path: skill.path,
        message: `"${declared}" is the declared name of ${earlier.name} and of ${skill.name}; the name leads to ${skill.name}.`,
        fix: "Give one of the two another name in its front matter, or call them by their paths.",
      });
    }
    skills.set(alias, skill);
  }
  return { skills, ambiguous };
}

function byParent(skills: Iterable<Skill>): ReadonlyMap<SkillName, readonly Skill[]> {
  const children = new Map<SkillName, Skill[]>();
  for (const skill of skills) {
    const parent = parentName(skill.name);
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings) siblings.push(skill);
    else children.set(parent, [skill]);
  }
  return children;
}

function shadowDiagnostic(earlier: Skill, winner: Skill): Diagnostic {
  const sameSource = earlier.source === winner.source;
  return {
    code: sameSource ? "duplicate-name" : "shadowed",
    severity: sameSource ? "warning" : "info",
    path: earlier.path,
    message: `"${earlier.name}" is covered by the skill of the same name at ${winner.path}.`,
    fix: sameSource
      ? "Rename one of the two."
      : "Nothing to do if that is meant; otherwise rename one of the two.",
  };
}
