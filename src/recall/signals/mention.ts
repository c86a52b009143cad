// The claim of a skill that the message names: `/name`, `$name`, "use the X skill", or the name in running text.

import { lookupKey, type SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import { inAlphabet, lazyPattern } from "../../text/patterns.ts";
import { isStopWord } from "../../text/stopwords.ts";
import { type BackgroundIdf, clipMessage, refusals } from "../features-message.ts";
import { merged, type Range, thingsIn, without } from "../things.ts";
import { type Judgement, type Signal, WORTH } from "./signal.ts";

/** "called": the skill is meant. "spelled": the words of its name are there, which may mean something else. */
type Form = "called" | "spelled";

/** `/name` or `$name` after a space, an opening sign or a script without spaces; otherwise it is part of a path. */
const call = lazyPattern(
  "(?<![^\\s([\"'`“‘«,;，。、：（「『\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}])([/$])([\\p{L}\\p{N}][\\p{L}\\p{N}_./:-]{0,127})",
  "gu",
);
/** `git-workflow` or `mcp/email` as a whole, but not the end of a path, a flag or a scoped package. */
const spelled = inAlphabet(({ letters, digits }) => {
  const word = letters + digits;
  return `(?<![${word}_./@:=#-])[${word}][${word}_.]*(?:[-/][${word}_.]+)+(?![@(=\\\\])`;
}, "g");
/** What comes before a call. */
const asksForCall = /(?:^|\b(?:with|use|using|run|via|invoke|apply|try))\s*[`"'“]?$/i;
const skillWord = inAlphabet(({ letters, digits }) => `(?<=\\s)skill(?![${letters}${digits}_])`, "gi");
/** "skill called X", "skill named X". */
const afterSkill = /\bskill\s+(?:called|named)\s+[`"'“]?([\w./-]+)/gi;
/** "use X" or "start X", also with a name of several words. */
const used =
  /\b(use|using|invoke|activate|apply|load|follow|run|start|launch)\s+(?:the\s+|my\s+|our\s+)?[`"'“]?([\w][\w./-]*(?:\s+[\w][\w-]*){0,3})/gi;
/** A name alone in quotes or backticks. */
const quoted = lazyPattern(
  "[`\"“']([\\p{L}\\p{N}][\\p{L}\\p{N}_./-]*(?: [\\p{L}\\p{N}][\\p{L}\\p{N}_-]*){0,3})[`\"”']",
  "gu",
);
/** "name: do this", "name, please". */
const leading = /^\s*([\w][\w./-]*[-/][\w./-]*[\w])[:,]\s/;
/** A name before the word for "skill" in scripts without spaces. */
const beforeSkill = /([a-zA-Z0-9][\w./-]*)\s?(?:技能|スキル|스킬)/g;

/** "the code review skill": at most this many words before "skill" are a name. */
const NAME_WORDS = 4;
/** Characters around a name that are read. */
const NAME_CHARS = 200;

/** Only the first names in a message are looked up. */
const MAX_NAMES = 32;

/** A word with this rarity or more in general prose is not an ordinary word. */
const UNUSUAL_IDF = 9;

interface Spelling {
  readonly spelling: string;
  readonly form: Form;
  /** Where it begins in the message; 0 if the words around do not matter. */
  readonly at: number;
}

/** What a message says of skills by name. */
interface Mentions {
  /** Spellings that may be names of skills, as look-up keys, with the form of the mention. */
  readonly names: ReadonlyMap<SkillName, Form>;
  /** The words of the message, without those that name nothing it wants. */
  readonly words: string;
}

/** Reads a message once, for the candidates and for the signal. */
export function mentionsIn(message: string): Mentions {
  const text = clipMessage(message);
  const aside = asideIn(text);
  const names = new Map<SkillName, Form>();
  for (const { spelling, form, at } of spellings(text)) {
    const key = lookupKey(spelling.replace(/[./:-]+$/, "").replaceAll(":", "/"));
    if (key === "" || (at > 0 && aside.some(([start, end]) => start <= at && at < end))) continue;
    if (names.size >= MAX_NAMES && !names.has(key)) break;
    if (names.get(key) !== "called") names.set(key, form);
  }
  return { names, words: wordsOf(without(text, aside)) };
}

/** The parts of a message that name nothing it wants: what it rejects, asks about, or only points at. */
function asideIn(text: string): Range[] {
  return merged([...refusals(text), ...thingsIn(text)]);
}

function* spellings(text: string): Generator<Spelling> {
  yield* calls(text);
  yield* names(text);
  // Most messages have none of these signs, and the pattern is slow to compile.
  if (!/[/-]/.test(text)) return;
  for (const { 0: spelling, index: at } of text.matchAll(spelled(text)))
    yield { spelling, form: "spelled", at };
}

function* calls(text: string): Generator<Spelling> {
  if (!/[/$]/.test(text)) return;
  for (const { 1: sign, 2: spelling, index: at } of text.matchAll(call())) {
    const isVariable = sign === "$" && spelling === spelling!.toUpperCase();
    // At the start or after "use", even what looks like a path is a call.
    const isCall = asksForCall.test(text.slice(Math.max(0, at - NAME_CHARS), at));
    if (!isVariable) yield { spelling: spelling!, form: "called", at: isCall ? 0 : at };
  }
}

function* names(text: string): Generator<Spelling> {
  for (const { index } of text.matchAll(skillWord(text))) {
    const words = text
      .slice(Math.max(0, index - NAME_CHARS), index)
      .trimEnd()
      .split(/\s+/)
      .slice(-NAME_WORDS);
    for (let from = words.length - 1; from >= 0; from--) {
      const at = index - words.slice(from).join(" ").length - 1;
      yield { spelling: words.slice(from).join("-"), form: "called", at };
    }
  }
  for (const pattern of [afterSkill, beforeSkill])
    for (const hit of text.matchAll(pattern))
      yield { spelling: hit[1]!, form: "called", at: hit.index + hit[0].indexOf(hit[1]!) };
  const lead = leading.exec(text)?.[1];
  if (lead !== undefined) yield { spelling: lead, form: "called", at: 0 };
  for (const hit of text.matchAll(used)) {
    const words = hit[2]!.split(/\s+/);
    const at = hit.index + hit[0].length - hit[2]!.length;
    for (let size = 1; size <= words.length; size++) {
      const spelling = words.slice(0, size).join("-");
      // One ordinary word after "use" is what the work is done with, which may be anything.
      yield { spelling, form: /[-/]/.test(spelling) ? "called" : "spelled", at };
    }
  }
  if (!/[`"“']/.test(text)) return;
  for (const hit of text.matchAll(quoted()))
    if (/[-/ ]/.test(hit[1]!))
      yield { spelling: hit[1]!.replaceAll(" ", "-"), form: "called", at: hit.index + 1 };
}

export function mentionSignal(mentions: Mentions, background: BackgroundIdf = () => undefined): Signal {
  const text = ` ${mentions.words} `;
  return {
    name: "mention",
    judge(skill) {
      const { names, inWords: spellings } = namesOf(skill);
      const forms = names.map((name) => mentions.names.get(name));
      const called = forms.indexOf("called");
      if (called >= 0) {
        const note = `the message names ${names[called]}`;
        return { kind: "claim", value: WORTH.mention, named: true, note };
      }
      const at = forms.indexOf("spelled");
      if (at >= 0) return spelledJudgement(names[at]!, background);
      const inWords = spellings.find((words) => text.includes(` ${words} `));
      return inWords === undefined
        ? undefined
        : {
            kind: "claim",
            value: 0,
            beside: WORTH.nameInWords,
            needsFit: true,
            note: `the message has "${inWords}"`,
          };
    },
  };
}

/** A spelling of three or more words, or with an unusual word, is a name; others need a message that fits. */
function spelledJudgement(name: SkillName, background: BackgroundIdf): Judgement {
  const words = wordsOf(name)
    .split(" ")
    .filter((word) => !isStopWord(word));
  const isUnusual = words.length >= 3 || words.some((word) => (background(word) ?? 0) >= UNUSUAL_IDF);
  const note = `the message has ${name}`;
  return isUnusual
    ? { kind: "claim", value: WORTH.spelledName, beside: WORTH.spelledName, spelled: true, note }
    : { kind: "claim", value: 0, beside: WORTH.spelledName, needsFit: true, spelled: true, note };
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
