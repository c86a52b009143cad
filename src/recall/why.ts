// Explains why a skill was or was not recalled for a message: its place, its reasons, and what would have matched.

import type { Skill } from "../model/skill.ts";
import type { Scored, Turn } from "../model/turn.ts";
import { tokenize } from "../text/tokens.ts";
import { ABSTAIN_BELOW } from "./calibrate.ts";
import { readMessage } from "./features-message.ts";
import { consider, isShown, RECALL, type RecallOptions } from "./recall-skills.ts";

export interface Explanation extends Scored {
  readonly name: string;
  readonly recalled: boolean;
  /** 1-based place among all skills that were examined. */
  readonly place?: number | undefined;
  readonly threshold: number;
  readonly limit: number;
  /** The skills that ranked before it, best first. */
  readonly ahead: readonly { readonly name: string; readonly score: number }[];
  /** Why it was not recalled, in sentences. */
  readonly fellShort: readonly string[];
  /** What the message could have said to recall it. */
  readonly wouldMatch: readonly string[];
}

/** Explains the recall of `skill` for `turn`, also if retrieval alone would not have found it. */
export async function explain(skill: Skill, turn: Turn, options: RecallOptions): Promise<Explanation> {
  const { threshold = ABSTAIN_BELOW, limit = RECALL.limit } = options;
  const { considered, frame } = await consider(turn, options, [skill.name]);
  const isLight = frame.name === "conversation";
  const at = considered.findIndex((one) => one.skill.name === skill.name);
  const own = considered[at];
  const original = considered.find((one) => one.duplicates.includes(skill.name));
  const ahead = considered.slice(0, Math.max(0, at)).slice(0, limit);
  const fitting = considered.filter((one, place) => isShown(one, place, { threshold, isLight }));
  const recalled = own !== undefined && fitting.slice(0, limit).includes(own);
  const scored = own?.scored() ?? { score: 0, evidence: 0, boosts: 0, reasons: [] };
  const fellShort: string[] = [];
  if (original) fellShort.push(`It is nearly the same as ${original.skill.name}, which is shown instead.`);
  if (own && isLight && !own.called)
    fellShort.push("In a conversation only what is named or triggered is recalled.");
  if (own && own.fit < threshold && !own.mentioned)
    fellShort.push(`Its evidence ${scored.evidence} is below the threshold ${threshold.toFixed(2)}.`);
  if (own && own.fit > 0 && at >= limit) fellShort.push(`${at} skills fit better; ${limit} are shown.`);
  if (own && !scored.reasons.some(({ signal }) => signal === "lexical"))
    fellShort.push("The message has none of its words.");
  return {
    name: skill.name,
    recalled,
    place: at >= 0 ? at + 1 : undefined,
    ...scored,
    threshold,
    limit,
    ahead: ahead.map((one) => ({ name: one.skill.name, score: one.scored().score })),
    fellShort,
    wouldMatch: recalled ? [] : suggestions(skill, turn.message),
  };
}

/** The name, the triggers, and the words of the description that the message does not have. */
function suggestions(skill: Skill, message: string): string[] {
  const said = new Set(readMessage({ text: message }).terms);
  const { keywords, verbs, patterns } = skill.manifest.triggers;
  const words = skill.manifest.description.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [];
  const missing = [...new Set(words)].filter((word) => {
    const terms = tokenize(word);
    return terms.length > 0 && terms.every((term) => !said.has(term));
  });
  return [
    `/${skill.name}`,
    ...[...keywords, ...verbs].slice(0, 5).map((phrase) => `the trigger "${phrase}"`),
    ...patterns.slice(0, 2).map((pattern) => `the pattern ${pattern}`),
    ...(missing.length > 0 ? [`words such as ${missing.slice(0, 8).join(", ")}`] : []),
  ];
}
