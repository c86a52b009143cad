// Owns the boost for a skill that is made for the turn's frame: by its `frames`, or by its `domain`.

import type { Frame } from "../../model/frame.ts";
import { inAlphabet } from "../../text/patterns.ts";
import { type Signal, WORTH } from "./signal.ts";

/** Domains that belong to a frame. A task takes any domain that the message names; a conversation takes none. */
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
      DOMAINS[frame.name].includes(domain) || (frame.name === "task" && namesDomain(message, domain));
    return fits ? { kind: "boost", value: WORTH.frame, note: `${frame.name}, domain ${domain}` } : undefined;
  },
};

function namesDomain(message: string, domain: string): boolean {
  const text = ` ${message.toLowerCase().replace(betweenWords(message), " ")} `;
  return text.includes(` ${domain.replaceAll("-", " ")} `);
}

const betweenWords = inAlphabet(({ letters, digits }) => `[^${letters}${digits}]+`, "g");
