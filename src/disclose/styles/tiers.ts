// The tiers style: nothing, a breadcrumb, a registry of briefs, or the full instructions of the matches.

import type { Skill } from "../../model/skill.ts";
import { forEnvelope, forLine, forXmlAttribute } from "../../text/escape.ts";
import { type Cost, fits, textCost } from "../budget.ts";
import { type Entry, NOTHING, pack, type Rendered } from "../fit.ts";
import { TOOL } from "../limits.ts";
import { briefLine, counted, listEntry, omissionNotice, turnNotice } from "../lines.ts";
import type { Selection } from "../select.ts";
import type { StyleRequest } from "./style.ts";

interface TierRequest {
  readonly skills: readonly Skill[];
  /** Whether any skill matches the turn. */
  readonly matched: boolean;
  readonly asksForList: boolean;
}

/** The tier of a turn. A question for the list comes before a match; if no skill has triggers, all are listed. */
export function tierOf({ skills, matched, asksForList }: TierRequest): 0 | 1 | 2 | 3 {
  if (skills.length === 0) return 0;
  if (asksForList) return 2;
  if (matched) return 3;
  return skills.some(hasTriggers) ? 1 : 2;
}

export function tiers({ selection, limit, bodyOf, asksForList }: StyleRequest): Rendered {
  const { skills, relevant } = selection;
  switch (tierOf({ skills, matched: relevant.length > 0, asksForList })) {
    case 0:
      return NOTHING;
    case 1:
      return { text: `[${counted(skills.length)} available]`, shown: [] };
    case 2:
      return registry(selection, limit);
    case 3:
      return documentation(selection, { limit, bodyOf });
  }
}

function hasTriggers({ manifest: { triggers } }: Skill): boolean {
  return triggers.keywords.length + triggers.verbs.length + triggers.patterns.length > 0;
}

function registry({ skills }: Selection, limit: Cost): Rendered {
  return pack({
    skills,
    entry: (skill) => listEntry(skill, "short"),
    head: `Skills (${TOOL.activate} loads one):\n`,
    notice: omissionNotice,
    limit,
  });
}

/**
 * Shows each body whole or not at all, because half an instruction misleads. A skill whose body does not fit, or to which
 * nobody has agreed, is named with its brief; the room for that is reserved while earlier bodies are placed.
 */
function documentation(
  { relevant }: Selection,
  { limit, bodyOf }: Pick<StyleRequest, "limit" | "bodyOf">,
): Rendered {
  const skills = relevant.map(({ skill }) => skill);
  const entries = skills.map((skill) =>
    pointer(skill, bodyOf(skill) === undefined ? NEEDS_CONSENT : TOO_LONG),
  );
  for (const [index, skill] of skills.entries()) {
    const body = bodyOf(skill);
    if (body === undefined) continue;
    const pointed = entries[index]!;
    entries[index] = document(skill, body);
    if (!fits(textCost(textOf(entries)), limit)) entries[index] = pointed;
  }
  const whole = textOf(entries);
  if (fits(textCost(whole), limit)) {
    return { text: whole, shown: entries.map(({ level }, index) => ({ name: skills[index]!.name, level })) };
  }
  return pack({ skills, entry: (skill) => listEntry(skill, "name"), head: "", notice: turnNotice, limit });
}

function document(skill: Skill, body: string): Entry {
  const text = forEnvelope(body).trim() || forEnvelope(skill.manifest.description).trim();
  const attributes = `name="${forXmlAttribute(skill.name)}" directory="${forXmlAttribute(skill.directory)}"`;
  return { text: `<skill_content ${attributes}>\n${text}\n</skill_content>`, level: "body" };
}

const TOO_LONG = `Too long to show here; call ${TOOL.activate}`;
const NEEDS_CONSENT = `Not shown without consent; call ${TOOL.activate}, which asks for it`;

function pointer(skill: Skill, why: string): Entry {
  const brief = briefLine(skill);
  const about = brief === "" ? "" : `: ${forLine(brief)}`;
  return {
    text: `[${why}] ${forLine(skill.name)}${about}`,
    level: brief === "" ? "name" : "short",
  };
}

function textOf(entries: readonly Entry[]): string {
  return entries.map((entry) => entry.text).join("\n\n");
}
