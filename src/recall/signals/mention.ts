// The claim of a skill that the message names: `/name`, `$name`, or the name in words.

import { lookupKey, type SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import type { Match } from "../../model/turn.ts";
import { inAlphabet, lazyPattern } from "../../text/patterns.ts";
import { clipMessage } from "../features-message.ts";
import { type Signal, WORTH } from "./signal.ts";

/** `/name` or `$name` after a space, an opening sign or a script without spaces; otherwise it is part of a path. */
const call = lazyPattern(
  "(?<![^\\s([\"'`“‘«,;，。、：（「『\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}])[/$]([\\p{L}\\p{N}][\\p{L}\\p{N}_./-]{0,127})",
  "gu",
);
/** `git-workflow` or `mcp/email` as a whole, but not the end of a path or a flag. */
const spelled = inAlphabet(({ letters, digits }) => {
  const word = letters + digits;
  return `(?<![${word}_./-])[${word}][${word}_.]*(?:[-/][${word}_.]+)+`;
}, "g");
const skillWord = inAlphabet(({ letters, digits }) => `(?<=\\s)skill(?![${letters}${digits}_])`, "gi");

/** "the code review skill": at most this many words before "skill" are a name. */
const NAME_WORDS = 4;
/** Characters before "skill" in which those words are searched. */
const NAME_CHARS = 200;

/** Only the first names in a message are looked up. */
const MAX_NAMES = 32;

/** Spellings in the message that may be names of skills, as look-up keys. */
export function mentionedNames(message: string): SkillName[] {
  const found = new Set<SkillName>();
  for (const spelling of spellings(clipMessage(message))) {
    const key = lookupKey(spelling.replace(/[./-]+$/, ""));
    if (key !== "") found.add(key);
    if (found.size >= MAX_NAMES) break;
  }
  return [...found];
}

function* spellings(text: string): Generator<string> {
  // Most messages have none of these signs, and the patterns are slow to compile.
  if (/[/$]/.test(text)) for (const [, name] of text.matchAll(call())) yield name!;
  if (/[/-]/.test(text)) for (const [name] of text.matchAll(spelled(text))) yield name;
  for (const { index } of text.matchAll(skillWord(text))) {
    const words = text
      .slice(Math.max(0, index - NAME_CHARS), index)
      .trimEnd()
      .split(/\s+/)
      .slice(-NAME_WORDS);
    for (let from = words.length - 1; from >= 0; from--) yield words.slice(from).join("-");
  }
}

export function mentionSignal(message: string): Signal {
  const mentioned = new Set(mentionedNames(message));
  const text = ` ${wordsOf(clipMessage(message))} `;
  return {
    name: "mention",
    judge(skill) {
      const { names, inWords: spellings } = namesOf(skill);
      const spelling = names.find((name) => mentioned.has(name));
      if (spelling !== undefined)
        return { kind: "claim", value: WORTH.mention, note: `the message names ${spelling}` };
      const inWords = spellings.find((words) => text.includes(` ${words} `));
      return inWords === undefined
        ? undefined
        : { kind: "claim", value: WORTH.nameInWords, note: `the message has "${inWords}"` };
    },
  };
}

/** Whether the message names the match explicitly. */
export function isMentioned(match: Match): boolean {
  return match.reasons.some(({ signal, value }) => signal === "mention" && value === WORTH.mention);
}

interface Names {
  readonly names: readonly string[];
  /** The names of several words, separated by spaces. */
  readonly inWords: readonly string[];
}

const known = new WeakMap<Skill, Names>();

/** Cached, because a long-running process judges the same skills for every message. */
function namesOf(skill: Skill): Names {
  let found = known.get(skill);
  if (found === undefined) {
    const names = [skill.name, lookupKey(skill.displayName)];
    found = { names, inWords: names.map(wordsOf).filter((words) => words.includes(" ")) };
    known.set(skill, found);
  }
  return found;
}

function wordsOf(text: string): string {
  const lower = text.toLowerCase();
  return lower.replace(betweenWords(lower), " ").trim();
}

const betweenWords = inAlphabet(({ letters, digits }) => `[^${letters}${digits}]+`, "g");
