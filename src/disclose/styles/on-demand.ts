// The on-demand style: name, location and description of each skill, those that fit the message first.

import type { NamedTools } from "../../model/agent-tool-alias.ts";
import type { Skill } from "../../model/skill.ts";
import { forCode, forLine } from "../../text/escape.ts";
import { type Entry, type Rendered, shrink } from "../fit.ts";
import { describe, omissionNotice } from "../lines.ts";
import { matchedFirst } from "../select.ts";
import type { StyleRequest } from "./style.ts";

export function onDemand({ selection, limit, standing, tools }: StyleRequest): Rendered {
  const { skills } = matchedFirst(selection, standing);
  return shrink({ skills, entry, head: headFor(tools), notice: omissionNotice(tools), limit });
}

function headFor({ activate }: NamedTools): string {
  const use = activate === undefined ? "" : `; ${activate} loads a skill's instructions and resources`;
  return `## Available Skills\n\nName, location and description only${use}.\n\n`;
}

/** The location comes before the description, so that a description cannot fake it. */
function entry(skill: Skill, level: "full" | "short" | "name"): Entry {
  const place = `- ${forLine(skill.name)} (location: ${forCode(skill.path)})`;
  const described = level === "name" ? undefined : describe(skill, level);
  if (described === undefined) return { text: `${place}\n`, level: "name" };
  return { text: `${place}: ${forLine(described.text)}\n`, level: described.level };
}
