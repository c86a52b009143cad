// The claim of a skill that the message names: `/name`, `$name`, "use the X skill", or the name in running text.

import { lookupKey, type SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import { inAlphabet, lazyPattern } from "../../text/patterns.ts";
import { isStopWord } from "../../text/stopwords.ts";
import { type BackgroundIdf, clipMessage } from "../features-message.ts";
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
const skillWord = inAlphabet(({ letters, digits }) => `(?<=\\s)skill(?![${letters}${digits}_])`, "gi");
/** "skill called X", "skill named X". */
const afterSkill = /\bskill\s+(?:called|named)\s+[`"'“]?([\w./-]+)/gi;
/** "use X", also with a name of several words. */
const used =
  /\b(use|using|invoke|activate|apply|load|follow|run)\s+(?:the\s+|my\s+|our\s+)?[`"'“]?([\w][\w./-]*(?:\s+[\w][\w-]*){0,3})/gi;
/** A name alone in quotes or backticks. */
const quoted = /[`"“']([\p{L}\p{N}][\p{L}\p{N}_./-]*(?: [\p{L}\p{N}][\p{L}\p{N}_-]*){0,3})[`"”']/gu;
/** "name: do this", "name, please". */
const leading = /^\s*([\w][\w./-]*[-/][\w./-]*[\w])[:,]\s/;
/** A name before the word for "skill" in scripts without spaces. */
const beforeSkill = /([a-zA-Z0-9][\w./-]*)\s?(?:技能|スキル|스킬)/g;

/** Words beside a name which say that it is a route, a file, a package or a piece of code. */
const PLACES =
  "routes?|endpoints?|pages?|paths?|urls?|folders?|director(?:y|ies)|dirs?|files?|handlers?|screens?|views?|apis?|branch(?:es)?|packages?|librar(?:y|ies)|modules?|propert(?:y|ies)|class(?:es)?|headers?|flags?|columns?|tables?|variables?|fields?|hooks?|components?|functions?|methods?|plugins?|attributes?|selectors?|mode|keywords?|tags?|labels?|buttons?|tabs?|menus?|sections?|requests?|redirects?";
const placeAfter = new RegExp(`^[\`"'”]?\\s+(?:${PLACES})\\b`, "i");
const placeBefore = new RegExp(
  `\\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|cd|ls|cat|rm|mkdir|curl|import|from|require|${PLACES})\\s*[\`"'“]?$`,
  "i",
);
/** Before a slash, these words lead to a place: "the form at /plan". */
const leadsToPath = /\b(?:in|under|at|on|behind|visit|open|opens|hit|hits|the)\s+[`"'“]?$/i;

/** "the code review skill": at most this many words before "skill" are a name. */
const NAME_WORDS = 4;
/** Characters around a name that are read. */
const NAME_CHARS = 200;

/** Only the first names in a message are looked up. */
const MAX_NAMES = 32;

/** A word with this rarity or more in general prose is not an ordinary word. */
const UNUSUAL_IDF = 9;

/** Spellings in the message that may be names of skills, as look-up keys, with the form of the mention. */
export function mentionedNames(message: string): Map<SkillName, Form> {
  const found = new Map<SkillName, Form>();
  for (const { spelling, form } of spellings(clipMessage(message))) {
    const key = lookupKey(spelling.replace(/[./:-]+$/, "").replaceAll(":", "/"));
    if (key === "") continue;
    if (found.size >= MAX_NAMES && !found.has(key)) break;
    if (found.get(key) !== "called") found.set(key, form);
  }
  return found;
}

function* spellings(text: string): Generator<{ readonly spelling: string; readonly form: Form }> {
  yield* calls(text);
  yield* names(text);
  // Most messages have none of these signs, and the pattern is slow to compile.
  if (!/[/-]/.test(text)) return;
  for (const { 0: spelling } of text.matchAll(spelled(text))) yield { spelling, form: "spelled" };
}

function* calls(text: string): Generator<{ readonly spelling: string; readonly form: Form }> {
  if (!/[/$]/.test(text)) return;
  for (const hit of text.matchAll(call())) {
    const [whole, sign, spelling] = hit as unknown as [string, string, string];
    const isVariable = sign === "$" && spelling === spelling.toUpperCase();
    const atStart = text.slice(0, hit.index).trim() === "";
    if (isVariable || (!atStart && isPlace(text, hit.index, hit.index + whole.length))) continue;
    yield { spelling, form: "called" };
  }
}

function* names(text: string): Generator<{ readonly spelling: string; readonly form: Form }> {
  for (const { index } of text.matchAll(skillWord(text))) {
    const words = text
      .slice(Math.max(0, index - NAME_CHARS), index)
      .trimEnd()
      .split(/\s+/)
      .slice(-NAME_WORDS);
    for (let from = words.length - 1; from >= 0; from--)
      yield { spelling: words.slice(from).join("-"), form: "called" };
  }
  for (const { 1: spelling } of text.matchAll(afterSkill)) yield { spelling: spelling!, form: "called" };
  for (const { 1: spelling } of text.matchAll(beforeSkill)) yield { spelling: spelling!, form: "called" };
  const lead = leading.exec(text)?.[1];
  if (lead !== undefined) yield { spelling: lead, form: "called" };
  for (const hit of text.matchAll(used)) {
    const words = hit[2]!.split(/\s+/);
    for (let size = 1; size <= words.length; size++) {
      const spelling = words.slice(0, size).join("-");
      const end = hit.index + hit[0].length - hit[2]!.length + words.slice(0, size).join(" ").length;
      // One ordinary word after "use" is what the work is done with, which may be anything.
      const form = /[-/]/.test(spelling) && !isPlace(text, hit.index, end) ? "called" : "spelled";
      yield { spelling, form };
    }
  }
  for (const hit of text.matchAll(quoted)) {
    const spelling = hit[1]!;
    const meant = /[-/ ]/.test(spelling) && !isPlace(text, hit.index, hit.index + hit[0].length);
    if (/[-/ ]/.test(spelling))
      yield { spelling: spelling.replaceAll(" ", "-"), form: meant ? "called" : "spelled" };
  }
}

/** Whether the words around say that the text from `start` to `end` is a route, a file or a piece of code. */
function isPlace(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - NAME_CHARS), start);
  const after = text.slice(end, end + NAME_CHARS);
  return (
    placeAfter.test(after) || placeBefore.test(before) || (text[start] === "/" && leadsToPath.test(before))
  );
}

export function mentionSignal(message: string, background: BackgroundIdf = () => undefined): Signal {
  const mentioned = mentionedNames(message);
  const text = ` ${wordsOf(clipMessage(message))} `;
  return {
    name: "mention",
    judge(skill) {
      const { names, inWords: spellings } = namesOf(skill);
      const forms = names.map((name) => mentioned.get(name));
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
    ? { kind: "claim", value: WORTH.spelledName, beside: WORTH.spelledName, note }
    : { kind: "claim", value: 0, beside: WORTH.spelledName, needsFit: true, note };
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
