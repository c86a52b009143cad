// The on-demand style: name, location and description of each skill.

import type { Skill } from "../../model/skill.ts";
import { forCode, forLine } from "../../text/escape.ts";
import { type Entry, pack, type Rendered } from "../fit.ts";
import { TOOL } from "../limits.ts";
import { descriptionOf, omissionNotice } from "../lines.ts";
import type { StyleRequest } from "./style.ts";

const HEAD = `## Available Skills

Name, location and description only; ${TOOL.activate} loads a skill's instructions and resources.

`;

export function onDemand({ selection, limit }: StyleRequest): Rendered {
  return pack({ skills: selection.skills, entry, head: HEAD, notice: omissionNotice, limit });
}

/** The location comes before the description, so that a description cannot fake it. */
function entry(skill: Skill): Entry {
  const place = `- ${forLine(skill.name)} (location: ${forCode(skill.path)})`;
  return { text: `${place}: ${forLine(descriptionOf(skill))}\n`, level: "full" };
}
