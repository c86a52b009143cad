// Drafts, without a model, an outline for requests that many sessions made and no skill answers: what was asked, in the person's
// words, and the task for their own agent to save the steps once they are known.

import { toSkillName } from "../model/name.ts";
import { forLine } from "../text/escape.ts";
import { clip } from "../text/markdown.ts";
import type { DreamChange } from "./changes.ts";
import type { DreamEvidence, Gap } from "./evidence.ts";
import { EVIDENCE_LIMITS } from "./limits.ts";
import type { Material } from "./material.ts";

/** Words of a topic that make a name. */
const NAME_WORDS = 3;
const QUOTED_CHARS = 200;

export function draftsFrom(
  { gaps }: Pick<DreamEvidence, "gaps">,
  { byName, redirects }: Material,
): DreamChange[] {
  return gaps
    .filter(({ sessions }) => sessions.length >= EVIDENCE_LIMITS.draftSessions)
    .flatMap((gap): DreamChange[] => {
      const name = nameFor(gap);
      if (name === undefined || byName.has(name) || redirects.has(name)) return [];
      const topic = gap.topic.join(" ");
      const description = `Outline for requests about ${topic}. Use when the user asks something like: ${gap.messages
        .slice(0, 2)
        .map((message) => clip(forLine(message), QUOTED_CHARS))
        .join("; ")}`;
      const save = { name, description, summary: `Outline: ${topic}`, body: bodyFor(gap, name) };
      return [{ kind: "draft", pass: "gap", save, archives: [] }];
    });
}

function nameFor({ topic }: Gap): string | undefined {
  const result = toSkillName(topic.slice(0, NAME_WORDS).join("-"));
  return result.ok ? result.name : undefined;
}

function bodyFor({ topic, messages, sessions }: Gap, name: string): string {
  const asked = messages.map((message) => `- ${clip(forLine(message), QUOTED_CHARS)}`).join("\n");
  return `# ${topic.join(" ")}

This is an outline, not a procedure yet: ${sessions.length} sessions asked for this and no skill answered.

## What was asked

${asked}

## Next time

1. Do the work with the user, and ask what is unclear.
2. When it is done, save the steps that worked with save_skill under the name ${name}, instead of this outline.
3. Write what to check at the end, and what went wrong.
`;
}
