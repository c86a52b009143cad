// The catalog style: command, name and description of each skill as XML. Skills that are always shown come first and
// may exceed the limit, then come those that fit the message.

import type { NamedTools } from "../../model/agent-tool-alias.ts";
import { lastSegment } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import { forXmlText } from "../../text/escape.ts";
import { type Entry, type Rendered, shrink } from "../fit.ts";
import { describe, omissionNotice } from "../lines.ts";
import { matchedFirst } from "../select.ts";
import type { StyleRequest } from "./style.ts";

const OPENING = "<available_skills>\n";
const TAIL = "</available_skills>\n";

export function catalog({ selection, limit, standing, tools }: StyleRequest): Rendered {
  const { skills, pinned } = matchedFirst(selection, standing);
  const notice = omissionNotice(tools);
  return shrink({ skills, entry, head: headFor(tools), tail: TAIL, notice, limit, atLeast: pinned });
}

function headFor({ activate }: NamedTools): string {
  const use = `If a task fits one of these skills, call ${activate} with its command before anything else.\n\n`;
  return `## Skills\n\n${activate === undefined ? "" : use}${OPENING}`;
}

function entry(skill: Skill, level: "full" | "short" | "name"): Entry {
  const described = level === "name" ? undefined : describe(skill, level);
  const name = skill.displayName === "" ? lastSegment(skill.name) : skill.displayName;
  const text = [
    "  <skill>",
    `    <command>${forXmlText(skill.name)}</command>`,
    `    <name>${forXmlText(name)}</name>`,
    `    <description>${forXmlText(described?.text ?? "")}</description>`,
    "  </skill>\n",
  ].join("\n");
  return { text, level: described?.level ?? level };
}
