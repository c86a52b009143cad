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
  /** What the skill's author could change so that such messages recall it. */
  readonly advice: readonly string[];
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
    fellShort.push(
      `Its evidence ${told(scored.evidence, threshold)} is below the threshold ${told(threshold, scored.evidence)}.`,
    );
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
    wouldMatch: recalled ? [] : suggestions(skill, turn.message, options.background),
    advice:
      recalled || isLight ? [] : adviceFor(skill, turn.message, { ...options, ahead: ahead[0]?.skill.name }),
  };
}

/** A number with as many digits as it takes to tell it from another one. */
function told(value: number, other: number): string {
  for (let digits = 2; digits < 6; digits++)
    if (value.toFixed(digits) !== other.toFixed(digits)) return value.toFixed(digits);
  return String(value);
}

/** Words of a message or a description that are named at most. */
const WORDS_NAMED = 5;

/** The words of the message that the skill says nowhere, as an author can add them; and the skill to set it apart from. */
function adviceFor(
  skill: Skill,
  message: string,
  { background, ahead }: Pick<RecallOptions, "background"> & { readonly ahead: string | undefined },
): string[] {
  const { description, triggers } = skill.manifest;
  const own = new Set(tokenize([skill.name, description, ...triggers.keywords, ...triggers.verbs].join(" ")));
  const missing = rarest(message, (term) => !own.has(term), background);
  const words = missing.map((word) => `"${word}"`).join(", ");
  return [
    ...(missing.length > 0
      ? [`If it is for such messages, say so in its description or triggers; they lack ${words}.`]
      : []),
    ...(ahead === undefined ? [] : [`Say in its description when to use it rather than ${ahead}.`]),
  ];
}

/** The words of a text whose terms all fit, the rarest in general language first. */
function rarest(
  text: string,
  fits: (term: string) => boolean,
  background: RecallOptions["background"],
): string[] {
  const words = new Set(text.toLowerCase().match(/\p{L}[\p{L}\p{N}-]*\p{L}/gu));
  return [...words]
    .map((word) => ({ word, terms: tokenize(word) }))
    .filter(({ terms }) => terms.length > 0 && terms.every(fits))
    .map(({ word }) => ({ word, rarity: background(word) ?? Number.POSITIVE_INFINITY }))
    .sort((a, b) => (a.rarity === b.rarity ? 0 : b.rarity - a.rarity))
    .slice(0, WORDS_NAMED)
    .map(({ word }) => word);
}

/** The name, the triggers, and the words of the description that the message does not have. */
function suggestions(skill: Skill, message: string, background: RecallOptions["background"]): string[] {
  const said = new Set(readMessage({ text: message }).terms);
  const { keywords, verbs, patterns } = skill.manifest.triggers;
  const missing = rarest(skill.manifest.description, (term) => !said.has(term), background);
  return [
    `/${skill.name}`,
    ...[...keywords, ...verbs].slice(0, 5).map((phrase) => `the trigger "${phrase}"`),
    ...patterns.slice(0, 2).map((pattern) => `the pattern ${pattern}`),
    ...(missing.length > 0 ? [`words such as ${missing.join(", ")}`] : []),
  ];
}
