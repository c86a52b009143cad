// The catalog style: command, name and description of each skill as XML. Skills that are always shown come first and
// may exceed the limit.

import { lastSegment } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import { forXmlText } from "../../text/escape.ts";
import { type Entry, pack, type Rendered } from "../fit.ts";
import { TOOL } from "../limits.ts";
import { descriptionOf, omissionNotice } from "../lines.ts";
import type { StyleRequest } from "./style.ts";

const HEAD = `## Skills

If a task fits one of these skills, call ${TOOL.activate} with its command before anything else.

<available_skills>
`;
const TAIL = "</available_skills>\n";

export function catalog({ selection, limit }: StyleRequest): Rendered {
  return pack({
    skills: selection.skills,
    entry,
    head: HEAD,
    tail: TAIL,
    notice: omissionNotice,
    limit,
    atLeast: selection.always,
  });
}

function entry(skill: Skill): Entry {
  const name = skill.displayName === "" ? lastSegment(skill.name) : skill.displayName;
  const text = [
    "  <skill>",
    `    <command>${forXmlText(skill.name)}</command>`,
    `    <name>${forXmlText(name)}</name>`,
    `    <description>${forXmlText(descriptionOf(skill))}</description>`,
    "  </skill>\n",
  ].join("\n");
  return { text, level: "full" };
}
