// The claim of a skill whose declared keywords, verbs or patterns are in the message. Word boundaries work in every
// script, so that `c++` and `café` match; untrusted patterns run in linear time.

import type { RE2JS } from "re2js";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Skill } from "../../model/skill.ts";
import { isPlain, lazyPattern } from "../../text/patterns.ts";
import { type Judgement, type Signal, WORTH } from "./signal.ts";

/** Characters of a message that are searched for triggers; the longest real messages are shorter. */
const READ_CHARS = 20_000;

/** A longer pattern is rejected. */
const PATTERN_CHARS = 500;

/** In a message of more words, a declared word or phrase is too often there by chance to recall a skill on its own. */
const CALLS_WITHIN = { word: 12, phrase: 60 } as const;

/** `isCommon` says whether so many skills have a word that it cannot tell which of them is meant. */
export function triggerSignal(message: string, isCommon: (word: string) => boolean = () => false): Signal {
  const asWritten = searched(message);
  const text = asWritten.toLowerCase();
  const words = wordCount(asWritten);
  const texts = { asWritten, text, words, isCommon };
  return {
    name: "triggers",
    judge({ manifest }) {
      const { keywords, verbs, patterns } = manifest.triggers;
      if (keywords.length + verbs.length + patterns.length === 0) return undefined;
      const best = [
        ...keywords.map((phrase) => phraseJudgement(texts, phrase, "keyword")),
        ...verbs.map((phrase) => phraseJudgement(texts, phrase, "verb")),
        ...patterns.map((pattern) => patternJudgement(text, pattern)),
      ].filter((judgement) => judgement !== undefined);
      return best.sort((a, b) => b.value - a.value)[0];
    },
  };
}

interface SearchedMessage {
  readonly asWritten: string;
  /** In lower case. */
  readonly text: string;
  readonly words: number;
  readonly isCommon: (word: string) => boolean;
}

function phraseJudgement(
  { asWritten, text, words, isCommon }: SearchedMessage,
  phrase: string,
  kind: string,
): Judgement | undefined {
  const keepsCase = isShortName(phrase);
  const wanted = keepsCase ? phrase : normal(phrase);
  if (!containsWhole(keepsCase ? asWritten : text, wanted)) return undefined;
  const several = wanted.includes(" ");
  const note = `${kind} "${phrase}"`;
  if (words > CALLS_WITHIN[several ? "phrase" : "word"] || (!several && isCommon(wanted))) {
    const claim = claimOf(several ? "pattern" : "word", note);
    return { ...claim, value: claim.beside, phrase: several };
  }
  return { ...claimOf(several ? "phrase" : "word", note), phrase: several };
}

function patternJudgement(text: string, pattern: string): Judgement | undefined {
  if (!mayMatch(text, pattern)) return undefined;
  const compiled = compile(pattern);
  if (typeof compiled === "string" || !compiled.matcher(text).find()) return undefined;
  return claimOf("pattern", `pattern ${pattern}`);
}

/** What a trigger claims, and how much it adds if the text of the skill fits too. */
const CLAIMS = {
  phrase: { kind: "claim", value: WORTH.exactPhrase, beside: WORTH.exactPhraseBeside },
  pattern: { kind: "claim", value: WORTH.triggerPattern, beside: WORTH.triggerPatternBeside },
  word: { kind: "claim", value: WORTH.triggerWord, beside: WORTH.triggerWordBeside },
} as const;

function claimOf(trigger: keyof typeof CLAIMS, note: string) {
  return { ...CLAIMS[trigger], note };
}

/** Whether the text has the phrase as whole words: no letter or digit touches the phrase's own letters or digits. */
export function containsWhole(text: string, phrase: string): boolean {
  if (phrase === "") return false;
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    const touchedBefore = startsWithWord(phrase) && endsWithWord(text.slice(Math.max(0, at - 2), at));
    const after = text.slice(end, end + 2);
    const touchedAfter = endsWithWord(phrase) && (startsWithWord(after) || isLanguageSign(after));
    if (!touchedBefore && !touchedAfter) return true;
  }
  return false;
}

// Patterns for every script take milliseconds to compile, so ASCII letters are recognized by their codes.
const PLAIN_END = 128;

function isPlainWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  );
}

function startsWithWord(text: string): boolean {
  const first = text.charCodeAt(0);
  return first < PLAIN_END ? isPlainWord(first) : wordStart().test(text);
}

function endsWithWord(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last < PLAIN_END ? isPlainWord(last) : wordEnd().test(text);
}

/** Whether the text continues a language name: the keyword `c` does not match `c++` and `c#`. */
function isLanguageSign(text: string): boolean {
  return text === "++" || (text[0] === "#" && !letterOrDigit().test(text.slice(1)));
}

/** The first two words of a phrase, or its only one, under which it is indexed; a phrase of signs alone has the empty word. */
export function phraseStart(phrase: string): string {
  return wordsIn(normal(phrase)).slice(0, 2).join(" ");
}

/** Everything under which a phrase that may recall a skill for this message on its own is indexed. */
export function phraseStarts(message: string): Set<string> {
  const text = searched(message);
  const length = wordCount(text);
  const words = wordsIn(text.toLowerCase());
  const starts = new Set([""]);
  for (const [i, word] of words.entries()) {
    if (length <= CALLS_WITHIN.word) starts.add(word);
    if (length <= CALLS_WITHIN.phrase && i > 0) starts.add(`${words[i - 1]} ${word}`);
  }
  return starts;
}

/** Counts no further than what matters. */
function wordCount(searched: string): number {
  return searched.split(" ", CALLS_WITHIN.phrase + 1).length;
}

function wordsIn(text: string): readonly string[] {
  return text.match(isPlain(text) ? /\w+/g : words()) ?? [];
}

/** Scripts written without spaces: each character counts as a word. */
const UNSPACED =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー]";
const SPACED = `(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}_]`;
const wordStart = lazyPattern(`^${SPACED}`, "u");
const wordEnd = lazyPattern(`${SPACED}$`, "u");
const words = lazyPattern(`${UNSPACED}|(?:${SPACED})+`, "gu");
const letterOrDigit = lazyPattern("^[\\p{L}\\p{N}]", "u");

/** Two letters, each of which may take two units. */
const SHORT_UNITS = 4;

/** `Go`, `R` and `AI` are names, `go` and `ai` may be anything; so names this short match with their case only. */
function isShortName(phrase: string): boolean {
  return phrase.length <= SHORT_UNITS && /^\p{Lu}\p{L}?$/u.test(phrase);
}

function normal(text: string): string {
  return squeezed(text).toLowerCase();
}

/** ASCII words with one space between them, as nearly all phrases are: nothing is to be done to them. */
const SQUEEZED = /^[!-~]+(?: [!-~]+)*$/;

function squeezed(text: string): string {
  return SQUEEZED.test(text) ? text : text.normalize("NFC").replace(/\s+/g, " ").trim();
}

/** The part of a message in which triggers are searched. */
function searched(message: string): string {
  return squeezed(message.slice(0, READ_CHARS));
}

/**
 * What the quick look at a pattern understands: escaped signs and classes, sets, groups, quantifiers, single characters. Of other
 * scripts those that stand for no ASCII letter in any case.
 */
const PIECE =
  /(?<other>\\[bBsSwWdD]|\\[^\w\s]|\[\^?[\w .-]+\]|[\^$.])|(?<open>\((?:\?:|(?!\?)))|(?<close>\))|(?<optional>[?*]\??|\{\d+(?:,\d*)?\}\??)|(?<more>\+\??)|(?<or>\|)|(?<literal>[\w -]|[\u0080-\u017e\u0180-\u2129\u212b-\ud7ff])/y;

/**
 * Whether a pattern may match a lower-case text, without compiling it: false if the text lacks characters that every match
 * has. True if the pattern is not understood.
 */
export function mayMatch(text: string, pattern: string): boolean {
  if (!isPlain(text)) return true;
  let run = "";
  let depth = 0;
  let isHeld = true;
  const endRun = () => {
    isHeld &&= text.includes(run);
    run = "";
  };
  for (PIECE.lastIndex = 0; PIECE.lastIndex < pattern.length; ) {
    const piece = PIECE.exec(pattern)?.groups;
    if (piece === undefined) return true;
    if (piece.open !== undefined) depth++;
    if (piece.close !== undefined) depth--;
    if (depth < 0) return true;
    if (piece.literal !== undefined && depth === 0) {
      run += piece.literal.toLowerCase();
      continue;
    }
    if (piece.optional !== undefined) run = run.slice(0, -1);
    endRun();
    if (piece.or === undefined || depth > 0) continue;
    if (isHeld) return true;
    isHeld = true;
  }
  endRun();
  return isHeld;
}

/** Loads what the patterns of these skills need for a message: nothing if none of them may match. */
export async function readyPatternsFor(message: string, skills: Iterable<Skill>): Promise<void> {
  const text = searched(message).toLowerCase();
  for (const { manifest } of skills)
    if (manifest.triggers.patterns.some((pattern) => mayMatch(text, pattern))) return readyPatterns();
}

let engine: typeof RE2JS | undefined;

/** Loads the pattern engine. It is loaded on demand, because few skills have patterns. */
export async function readyPatterns(): Promise<void> {
  engine ??= (await import("re2js")).RE2JS;
}

const compiledPatterns = new Map<string, RE2JS | string>();

/** The compiled pattern, or the reason why it cannot be used. All are cached, because skills have few patterns. */
function compile(pattern: string): RE2JS | string {
  let known = compiledPatterns.get(pattern);
  if (known === undefined) {
    known = compileAnew(pattern);
    compiledPatterns.set(pattern, known);
  }
  return known;
}

function compileAnew(pattern: string): RE2JS | string {
  if (engine === undefined) throw new Error("readyPatterns must be awaited before a pattern is used");
  if (pattern.length > PATTERN_CHARS) return `it has more than ${PATTERN_CHARS} characters`;
  try {
    return engine.compile(pattern, engine.CASE_INSENSITIVE);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** Reports patterns that can never match. */
export function* patternFindings(skills: readonly Skill[]): Generator<undefined, Diagnostic[]> {
  const findings: Diagnostic[] = [];
  for (const skill of skills) {
    for (const pattern of skill.manifest.triggers.patterns) {
      const compiled = compile(pattern);
      if (typeof compiled === "string") findings.push(badPattern(skill, pattern, compiled));
      yield;
    }
  }
  return findings;
}

function badPattern(skill: Skill, pattern: string, why: string): Diagnostic {
  return {
    code: "trigger-pattern",
    severity: "warning",
    path: skill.path,
    message: `The trigger pattern ${JSON.stringify(pattern)} cannot be used: ${why}.`,
    fix: "Write it in RE2 syntax, without look-around and back-references.",
  };
}

/** The words and phrases that several skills declare, with those skills. */
export function sharedPhrases(skills: readonly Skill[]): ReadonlyMap<string, readonly Skill[]> {
  const claims = new Map<string, Skill[]>();
  for (const skill of skills) {
    const { keywords, verbs } = skill.manifest.triggers;
    for (const phrase of new Set([...keywords, ...verbs].map(normal))) {
      const claimants = claims.get(phrase);
      if (claimants) claimants.push(skill);
      else claims.set(phrase, [skill]);
    }
  }
  return new Map([...claims].filter(([, claimants]) => claimants.length > 1));
}
