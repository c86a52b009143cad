// The boost for a skill whose `frames` or `domain` fit the turn's frame.

import type { Frame } from "../../model/frame.ts";
import { inAlphabet } from "../../text/patterns.ts";
import { type Query, type Signal, WORTH } from "./signal.ts";

/** Domains that belong to each frame besides its own name. In addition, a task fits any domain that the message names. */
const DOMAINS: Readonly<Record<Frame, readonly string[]>> = {
  task: [],
  debug: ["debugging", "code-review"],
  decision: ["architecture", "process"],
  question: [],
  creative: ["writing", "design"],
  conversation: [],
};

export const frameSignal: Signal = {
  name: "frame",
  judge({ manifest }, query) {
    const { frame } = query;
    if (manifest.frames.includes(frame.name)) return { kind: "boost", value: WORTH.frame, note: frame.name };
    const domain = manifest.domain?.toLowerCase().replace(/[\s_]+/g, "-");
    if (domain === undefined || domain === "") return undefined;
    const fits =
      domain === frame.name ||
      DOMAINS[frame.name].includes(domain) ||
      (frame.name === "task" && namesDomain(query, domain));
    return fits ? { kind: "boost", value: WORTH.frame, note: `${frame.name}, domain ${domain}` } : undefined;
  },
};

function namesDomain(query: Query, domain: string): boolean {
  return spacedWords(query).includes(` ${domain.replaceAll("-", " ")} `);
}

const spaced = new WeakMap<Query, string>();

/** The words of the message, each between two spaces: made once for all skills. */
function spacedWords(query: Query): string {
  let text = spaced.get(query);
  if (text === undefined) {
    const { message } = query;
    text = ` ${message.toLowerCase().replace(betweenWords(message), " ")} `;
    spaced.set(query, text);
  }
  return text;
}

const betweenWords = inAlphabet(({ letters, digits }) => `[^${letters}${digits}]+`, "g");
