// Owns explicit mention: `/name`, `$name`, or the skill's name in the message. First of all signals.

import { lookupKey, type SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import type { Match } from "../../model/turn.ts";
import { inAlphabet, lazyPattern } from "../../text/patterns.ts";
import { clipMessage } from "../features-message.ts";
import { type Signal, WORTH } from "./signal.ts";

/** Behind a blank, an opening sign or a script without blanks; what follows anything else is part of a path. */
const call = lazyPattern(
  "(?<![^\\s([\"'`“‘«,;，。、：（「『\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}])[/$]([\\p{L}\\p{N}][\\p{L}\\p{N}_./-]{0,127})",
  "gu",
);
/** `git-workflow` or `mcp/email` as a whole: not the end of a path, nor a flag. */
const spelled = inAlphabet(({ letters, digits }) => {
  const word = letters + digits;
  return `(?<![${word}_./-])[${word}][${word}_.]*(?:[-/][${word}_.]+)+`;
}, "g");
const skillWord = inAlphabet(({ letters, digits }) => `(?<=\\s)skill(?![${letters}${digits}_])`, "gi");

/** "the code review skill": at most this many words before "skill" make a name. */
const NAME_WORDS = 4;
/** Where those words are looked for. */
const NAME_CHARS = 200;

/** A message may name many things; only the first are looked up. */
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
  // Most messages have none of the signs, and the patterns are slow to compile.
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
        : { kind: "claim", value: WORTH.nameInWords, note: `"${inWords}" stands in the message` };
    },
  };
}

/** Whether the message names the match outright. */
export function isMentioned(match: Match): boolean {
  return match.reasons.some(({ signal, value }) => signal === "mention" && value === WORTH.mention);
}

interface Names {
  readonly names: readonly string[];
  /** Names of several words, in words. */
  readonly inWords: readonly string[];
}

const known = new WeakMap<Skill, Names>();

/** A busy process meets the same skills at every message. */
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
