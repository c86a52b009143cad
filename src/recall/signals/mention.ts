// Owns explicit mention: `/name`, `$name`, or the skill's name in the message. First of all signals.

import { lookupKey, type SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import { type Signal, WORTH } from "./signal.ts";

/** Names longer than this are nobody's typing. */
const CALL = /(?<![\p{L}\p{N}_/$.-])[/$]([\p{L}\p{N}][\p{L}\p{N}_./-]{0,127})/gu;
const SPELLED = /[\p{L}\p{N}][\p{L}\p{N}_.]*(?:[-/][\p{L}\p{N}_.]+)+/gu;
const WITH_SKILL =
  /(?<![\p{L}\p{N}_])(?:the\s+|use\s+)?["'`“]?([\p{L}\p{N}_.-]{2,64})["'`”]?\s+skill(?![\p{L}\p{N}_])/giu;

/** A message may name many things; only the first are looked up. */
const MAX_NAMES = 32;

/** Spellings in the message that may be names of skills, as look-up keys. */
export function mentionedNames(message: string): SkillName[] {
  const found = new Set<SkillName>();
  for (const pattern of [CALL, SPELLED, WITH_SKILL]) {
    for (const match of message.matchAll(pattern)) {
      const key = lookupKey(trimDots(match[1] ?? match[0]));
      if (key !== "") found.add(key);
      if (found.size >= MAX_NAMES) return [...found];
    }
  }
  return [...found];
}

export function mentionSignal(message: string): Signal {
  const mentioned = new Set(mentionedNames(message));
  const text = ` ${wordsOf(message)} `;
  return {
    name: "mention",
    judge(skill) {
      const spelling = namesOf(skill).find((name) => mentioned.has(name));
      if (spelling !== undefined)
        return { kind: "claim", value: WORTH.mention, note: `the message names ${spelling}` };
      const inWords = namesOf(skill)
        .map(wordsOf)
        .find((words) => words.includes(" ") && text.includes(` ${words} `));
      return inWords === undefined
        ? undefined
        : { kind: "claim", value: WORTH.nameInWords, note: `"${inWords}" stands in the message` };
    },
  };
}

function namesOf(skill: Skill): string[] {
  return [skill.name, lookupKey(skill.displayName)];
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function trimDots(text: string): string {
  return text.replace(/[./-]+$/, "");
}
