// The text that a hook adds to a message: the skills that fit it, their files, and how to load one.

import type { Skill } from "../../model/skill.ts";
import { forCode, forLine, oneLine } from "../../text/escape.ts";
import { clip } from "../../text/markdown.ts";

export const HINT = {
  /** Claude Code keeps longer output out of the prompt and shows a preview only. */
  chars: 10_000,
  /** The open spec's longest description. */
  description: 1_024,
} as const;

const HEAD =
  "Skills that fit this message. Before work that one of them covers, load it with activate_skill, or read its file, and follow it:\n";

/** As many as fit, best first; nothing when there are none. */
export function hintFor(skills: readonly Skill[]): {
  readonly text: string;
  readonly shown: readonly Skill[];
} {
  let text = HEAD;
  const shown: Skill[] = [];
  for (const skill of skills) {
    const line = entry(skill);
    if (text.length + line.length > HINT.chars) break;
    text += line;
    shown.push(skill);
  }
  return shown.length === 0 ? { text: "", shown } : { text: text.trimEnd(), shown };
}

/** The path comes before the description, so that no description can fake one. */
function entry({ name, path, manifest }: Skill): string {
  const description = clip(oneLine(manifest.description), HINT.description);
  return `- ${forLine(name)} (${forCode(path)}): ${forLine(description)}\n`;
}
