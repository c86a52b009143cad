// The boost for a skill whose `frames` or `domain` fit the turn's frame.

import type { Frame } from "../../model/frame.ts";
import { inAlphabet } from "../../text/patterns.ts";
import { type Signal, WORTH } from "./signal.ts";

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
  judge({ manifest }, { frame, message }) {
    if (manifest.frames.includes(frame.name)) return { kind: "boost", value: WORTH.frame, note: frame.name };
    const domain = manifest.domain?.toLowerCase().replace(/[\s_]+/g, "-");
    if (domain === undefined || domain === "") return undefined;
    const fits =
      domain === frame.name ||
      DOMAINS[frame.name].includes(domain) ||
      (frame.name === "task" && namesDomain(message, domain));
    return fits ? { kind: "boost", value: WORTH.frame, note: `${frame.name}, domain ${domain}` } : undefined;
  },
};

function namesDomain(message: string, domain: string): boolean {
  const text = ` ${message.toLowerCase().replace(betweenWords(message), " ")} `;
  return text.includes(` ${domain.replaceAll("-", " ")} `);
}

const betweenWords = inAlphabet(({ letters, digits }) => `[^${letters}${digits}]+`, "g");
