// The tiers style: nothing, a breadcrumb, a registry of briefs, or the full instructions of the matches. Instructions of
// earlier turns stay below, as far as there is room.

import type { NamedTools } from "../../model/agent-tool-alias.ts";
import type { Skill } from "../../model/skill.ts";
import { forEnvelope, forLine, forXmlAttribute } from "../../text/escape.ts";
import { type Cost, fits, minus, textCost } from "../budget.ts";
import { type Entry, NOTHING, pack, type Rendered } from "../fit.ts";
import { briefLine, counted, listEntry, omissionNotice, turnNotice } from "../lines.ts";
import type { StyleRequest, ToolLine } from "./style.ts";

interface TierRequest {
  readonly skills: readonly Skill[];
  /** Whether any skill matches the turn. */
  readonly matched: boolean;
  readonly asksForList: boolean;
}

/** The tier of a turn. A question for the list comes before a match; a skill without triggers is always listed. */
export function tierOf({ skills, matched, asksForList }: TierRequest): 0 | 1 | 2 | 3 {
  if (skills.length === 0) return 0;
  if (asksForList) return 2;
  if (matched) return 3;
  return skills.every(hasTriggers) ? 1 : 2;
}

export function tiers(request: StyleRequest): Rendered {
  return withKept(currentTier(request), request);
}

function currentTier(request: StyleRequest): Rendered {
  const { selection, limit, asksForList, standing, tools } = request;
  const { skills, relevant } = selection;
  switch (tierOf({ skills, matched: relevant.length > 0, asksForList })) {
    case 0:
      return NOTHING;
    case 1:
      return standing ? breadcrumb(skills.length) : NOTHING;
    case 2:
      return standing ? registry(skills, { limit, isWhole: asksForList, tools }) : NOTHING;
    case 3:
      return documentation(request);
  }
}

function breadcrumb(count: number): Rendered {
  return { text: `[${counted(count)} available]`, shown: [] };
}

function hasTriggers({ manifest: { triggers } }: Skill): boolean {
  return triggers.keywords.length + triggers.verbs.length + triggers.patterns.length > 0;
}

/** The whole list, or the skills that no trigger leads to, with a breadcrumb for the others. */
function registry(
  skills: readonly Skill[],
  { limit, isWhole, tools }: { readonly limit: Cost; readonly isWhole: boolean; readonly tools: NamedTools },
): Rendered {
  const listed = isWhole ? skills : skills.filter((skill) => !hasTriggers(skill));
  const others = skills.length - listed.length;
  const crumb = others === 0 ? "" : `\n\n${breadcrumb(others).text}`;
  const list = pack({
    skills: listed,
    entry: (skill) => listEntry(skill, "short"),
    head: tools.activate === undefined ? "Skills:\n" : `Skills (${tools.activate} loads one):\n`,
    notice: omissionNotice(tools),
    limit: minus(limit, textCost(crumb)),
  });
  const text = list.text + crumb;
  // In a budget for one line, that line counts all.
  return list.shown.length > 0 && fits(textCost(text), limit)
    ? { text, shown: list.shown }
    : { text: omissionNotice(tools)(skills.length, true), shown: [] };
}

/**
 * Shows each body whole or not at all, because half an instruction misleads. A skill whose body does not fit, or to which
 * nobody has agreed, is named with its brief; the room for that is reserved while earlier bodies are placed.
 */
function documentation({ selection, limit, bodyOf, toolsOf, tools }: StyleRequest): Rendered {
  const skills = selection.relevant.map(({ skill }) => skill);
  const entries = skills.map((skill) =>
    pointer(skill, bodyOf(skill) === undefined ? needsConsent(tools) : tooLong(tools)),
  );
  for (const [index, skill] of skills.entries()) {
    const body = bodyOf(skill);
    if (body === undefined) continue;
    const pointed = entries[index]!;
    entries[index] = document(skill, body, toolsText(skill, toolsOf(skill), tools));
    if (!fits(textCost(textOf(entries)), limit)) entries[index] = pointed;
  }
  const whole = textOf(entries);
  if (fits(textCost(whole), limit)) {
    return { text: whole, shown: entries.map(({ level }, index) => ({ name: skills[index]!.name, level })) };
  }
  const notice = turnNotice(tools);
  return pack({ skills, entry: (skill) => listEntry(skill, "name"), head: "", notice, limit });
}

/** Adds the instructions of earlier turns that fit whole below the tier of this turn, most relevant first. */
function withKept(current: Rendered, request: StyleRequest): Rendered {
  const { selection, limit, bodyOf, toolsOf, tools } = request;
  let { text, shown } = current;
  for (const { skill } of selection.kept) {
    const body = bodyOf(skill);
    if (body === undefined) continue;
    const gap = text === "" ? "" : GAP;
    const more = document(skill, body, toolsText(skill, toolsOf(skill), tools));
    if (!fits(textCost(text + gap + more.text), limit)) continue;
    text += gap + more.text;
    shown = [...shown, { name: skill.name, level: more.level }];
  }
  return { text, shown };
}

function document(skill: Skill, body: string, tools: string): Entry {
  const instructions = forEnvelope(body).trim() || forEnvelope(skill.manifest.description).trim();
  const text = [instructions, tools].filter((part) => part !== "").join(GAP);
  const attributes = `name="${forXmlAttribute(skill.name)}" directory="${forXmlAttribute(skill.directory)}"`;
  return { text: `<skill_content ${attributes}>\n${text}\n</skill_content>`, level: "body" };
}

/** Names the tools that are there; without a task there are none yet. */
function toolsText(
  { manifest }: Skill,
  brought: readonly ToolLine[] | undefined,
  { activate }: NamedTools,
): string {
  if (brought === undefined)
    return manifest.toolsets.length === 0 || activate === undefined
      ? ""
      : `[This skill has tools; ${activate} loads them]`;
  if (brought.length === 0) return "";
  const lines = brought.map(({ name, description }) => `- ${forLine(name)}: ${forLine(description)}`);
  return `Tools of this skill:\n${lines.join("\n")}`;
}

const GAP = "\n\n";

function tooLong({ activate }: NamedTools): string {
  return activate === undefined ? "Too long to show here" : `Too long to show here; call ${activate}`;
}

function needsConsent({ activate }: NamedTools): string {
  const use = activate === undefined ? "" : `; call ${activate}, which asks for it`;
  return `Not shown without consent${use}`;
}

function pointer(skill: Skill, why: string): Entry {
  const brief = briefLine(skill);
  const about = brief === "" ? "" : `: ${forLine(brief)}`;
  return {
    text: `[${why}] ${forLine(skill.name)}${about}`,
    level: brief === "" ? "name" : "short",
  };
}

function textOf(entries: readonly Entry[]): string {
  return entries.map((entry) => entry.text).join(GAP);
}
