// Writes the one-line entries of a skill and the notices that several styles share.

import type { NamedTools } from "../model/agent-tool-alias.ts";
import type { Skill } from "../model/skill.ts";
import { forLine, oneLine } from "../text/escape.ts";
import { clip, firstSentence } from "../text/markdown.ts";
import type { Entry } from "./fit.ts";
import { DISCLOSE_LIMITS } from "./limits.ts";

/** The description on one line, up to the length that the open spec allows. */
function descriptionOf(skill: Skill): string {
  return clip(oneLine(skill.manifest.description), DISCLOSE_LIMITS.description);
}

/** The brief on one line, or the description's first sentence if there is no brief. */
export function briefLine(skill: Skill): string {
  const brief = oneLine(skill.manifest.brief);
  return brief === ""
    ? firstSentence(descriptionOf(skill), DISCLOSE_LIMITS.brief)
    : clip(brief, DISCLOSE_LIMITS.brief);
}

/** `- name: text`, without a suffix, at one of three levels. */
export function listEntry(skill: Skill, level: "full" | "short" | "name"): Entry {
  return entryWith(skill, { level, suffix: "" });
}

/** Like `listEntry`, with a suffix. */
export function entryWith(
  skill: Skill,
  options: { readonly level: "full" | "short" | "name"; readonly suffix: string },
): Entry {
  const name = forLine(skill.name);
  const described = options.level === "name" ? undefined : describe(skill, options.level);
  if (described === undefined) return { text: `- ${name}${options.suffix}\n`, level: "name" };
  return { text: `- ${name}: ${forLine(described.text)}${options.suffix}\n`, level: described.level };
}

/** The description or the brief. The description if the brief is not shorter, so that shrinking never makes an entry longer. */
export function describe(skill: Skill, level: "full" | "short"): Entry | undefined {
  const description = descriptionOf(skill);
  const brief = briefLine(skill);
  if (description === "" && brief === "") return undefined;
  const whole = level === "full" || brief.length >= description.length;
  return whole && description !== "" ? { text: description, level: "full" } : { text: brief, level: "short" };
}

/** `1 skill`, `12 skills`. */
export function counted(count: number): string {
  return count === 1 ? "1 skill" : `${count} skills`;
}

/** Writes how many skills are left out; `none` if no skill is shown. */
export type OmissionNotice = (left: number, none: boolean) => string;

/** The notice that skills are left out. */
export function omissionNotice({ recall }: NamedTools): OmissionNotice {
  return (left, none) => {
    const search = recall === undefined ? "" : `; search ${none || left > 1 ? "them" : "it"} with ${recall}`;
    if (none) return `[${counted(left)} available${search}]`;
    return `… and ${left === 1 ? "1 more skill" : `${left} more skills`}${search}`;
  };
}

/** The notice that matches of the turn are left out. */
export function turnNotice({ recall }: NamedTools): OmissionNotice {
  const search = recall === undefined ? "" : `; search with ${recall}`;
  return (left, none) =>
    none ? `[${counted(left)} for this message${search}]` : `… and ${left} more for this message${search}`;
}
