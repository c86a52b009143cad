// Which of the listed skills somebody wants to see, and in which order.

import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { ListedSkill, SkillState } from "../model/skill.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import { matchesAny } from "./glob.ts";
import { isManaged } from "./reports.ts";

export const SORTS = ["name", "used", "tokens", "findings"] as const;
export type Sort = (typeof SORTS)[number];

export interface SkillSelection {
  /** Also skills that another one shadows or that the agent may not see. */
  readonly all?: boolean | undefined;
  /** All of them are in the name or the description, or are globs that the name fits. */
  readonly words?: readonly string[] | undefined;
  /** The id of a source, or a glob. */
  readonly source?: string | undefined;
  readonly state?: SkillState | undefined;
  /** Not activated since this time, in milliseconds. */
  readonly unusedSince?: number | undefined;
}

/** When each skill was activated last, in milliseconds; a skill that never was is absent. */
type LastUses = ReadonlyMap<SkillName, number>;

/** The skills that fit. A source that has no skill is an error, because it is probably misspelt. */
export function selectSkills(
  listed: readonly ListedSkill[],
  selection: SkillSelection,
  lastUses: LastUses = new Map(),
): ListedSkill[] {
  const { words = [], source, state, unusedSince } = selection;
  const isShown = selection.all || state !== undefined ? () => true : isManaged;
  const bySource =
    source === undefined ? listed : listed.filter(({ skill }) => isSource(source, skill.source));
  if (source !== undefined && bySource.length === 0) throw noSource(source, listed);
  const wanted = words.map((word) => word.toLowerCase());
  return bySource.filter((one) => {
    const { name, manifest } = one.skill;
    const text = `${name} ${manifest.description}`.toLowerCase();
    return (
      isShown(one) &&
      (state === undefined || one.state === state) &&
      (unusedSince === undefined || (lastUses.get(name) ?? 0) < unusedSince) &&
      wanted.every((word) => text.includes(word) || (word.includes("*") && matchesAny([word], name)))
    );
  });
}

/** An id is not a path of names: in a glob a star also stands for slashes. */
function isSource(glob: string, id: string): boolean {
  const whole = (text: string) => text.replaceAll("/", ":");
  return glob === id || matchesAny([whole(glob)], whole(id));
}

/** The highest rank first; skills of the same rank keep their order, which is by name. */
export function sortedBy(listed: readonly ListedSkill[], rank: (one: ListedSkill) => number): ListedSkill[] {
  return listed.toSorted((a, b) => rank(b) - rank(a));
}

function noSource(asked: string, listed: readonly ListedSkill[]): RepertoireError {
  const sources = [...new Set(listed.map(({ skill }) => skill.source))];
  const near = nearTo(asked, sources);
  const instead = near.length > 0 ? didYouMean(near) : ` Sources: ${sources.join(", ")}.`;
  return new RepertoireError(
    "source-not-found",
    `No skill comes from a source "${asked}".${instead}`,
    asked,
    "repertoire sources",
  );
}
