// The order in which skills compete for room in a prompt before any message is known, and how that order is stored. It
// depends on nothing that changes from turn to turn, so that prompt caches can be used.

import { compareNames, type SkillName } from "../model/name.ts";
import { NO_REQUIREMENTS, type Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import type { Judged } from "./visibility.ts";

/** `always` first, then the sources nearest to the work (highest precedence), then parents before children, by name. */
function rankForDisclosure(skills: readonly Skill[], sources: readonly Source[]): Skill[] {
  const precedence = new Map(sources.map((source, index) => [source.id, index]));
  const keyed = skills.map((skill) => ({
    skill,
    always: Number(skill.manifest.always),
    precedence: precedence.get(skill.source) ?? 0,
    depth: depth(skill),
  }));
  keyed.sort(
    (a, b) =>
      b.always - a.always ||
      b.precedence - a.precedence ||
      a.depth - b.depth ||
      compareNames(a.skill.name, b.skill.name),
  );
  return keyed.map(({ skill }) => skill);
}

function depth({ name }: Skill): number {
  let slashes = 0;
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) slashes++;
  return slashes;
}

/** The order in columns: what a prompt needs of every skill before it knows which ones it shows. */
export interface StoredRanking {
  readonly names: readonly SkillName[];
  /** For each skill 1 if it has the manifest `PLAIN`, as nearly all have; the others are decoded to judge them. */
  readonly plain: readonly (0 | 1)[];
}

const PLAIN: Judged["manifest"] = { defaultEnabled: true, userOnly: false, requires: NO_REQUIREMENTS };

export function packRanking(skills: readonly Skill[], sources: readonly Source[]): StoredRanking {
  const ranked = rankForDisclosure(skills, sources);
  return {
    names: ranked.map(({ name }) => name),
    plain: ranked.map(({ manifest }) => (isPlain(manifest) ? 1 : 0)),
  };
}

function isPlain({ defaultEnabled, userOnly, requires }: Skill["manifest"]): boolean {
  const needsNothing =
    requires === NO_REQUIREMENTS || JSON.stringify(requires) === JSON.stringify(NO_REQUIREMENTS);
  return defaultEnabled && !userOnly && needsNothing;
}

export function unpackRanking({ names, plain }: StoredRanking, decode: StoredSkill["decode"]): StoredSkill[] {
  return names.map((name, at) => new StoredSkill(name, decode, plain[at] === 1));
}

/** What is judged of a skill with the manifest `PLAIN`: decoded only for its source. */
class PlainSkill implements Judged {
  readonly name: SkillName;
  readonly manifest = PLAIN;
  private readonly whole: StoredSkill;

  constructor(whole: StoredSkill) {
    this.name = whole.name;
    this.whole = whole;
  }

  get source() {
    return this.whole.source;
  }
}

/** A skill that is decoded when more than its name is asked for. */
export class StoredSkill implements Skill {
  readonly name: SkillName;
  /** What decides whether the skill can be used now. */
  readonly judged: Judged;
  readonly decode: (name: SkillName) => Skill;

  constructor(name: SkillName, decode: StoredSkill["decode"], isPlain: boolean) {
    this.name = name;
    this.decode = decode;
    this.judged = isPlain ? new PlainSkill(this) : this;
  }
  get displayName() {
    return this.decode(this.name).displayName;
  }
  get manifest() {
    return this.decode(this.name).manifest;
  }
  get source() {
    return this.decode(this.name).source;
  }
  get path() {
    return this.decode(this.name).path;
  }
  get directory() {
    return this.decode(this.name).directory;
  }
  get digest() {
    return this.decode(this.name).digest;
  }
  get withheld() {
    return this.decode(this.name).withheld;
  }
}
