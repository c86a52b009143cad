// Compares two texts clause by clause: which sentences, list items, table rows and code lines of one are not said by the other.
// Numbers, commands, paths and negations count, because "wait 30 seconds" and "never deploy" are lost by one changed word.

import { fold } from "../text/fold.ts";
import { stem } from "../text/stem.ts";
import { isStopWord } from "../text/stopwords.ts";
import { tokenize } from "../text/tokens.ts";
import { GUARD } from "./limits.ts";

interface Clause {
  readonly text: string;
  readonly kind: "prose" | "heading" | "code";
  /** Stems in order, without stop words, but with the words that turn a meaning around. */
  readonly words: readonly string[];
  /** What must be said to the letter: numbers, code, paths, flags, names in capitals, and whom it is restricted to. */
  readonly facts: ReadonlySet<string>;
  /** Its facts, and what else "only" may stand for: "only admins", "admins only", "only allowed for admins". */
  readonly says: ReadonlySet<string>;
  readonly isNegated: boolean;
}

interface LostClause {
  readonly text: string;
  /** The share of its words that the best place of the other text has; 0 if a fact or a negation is missing there. */
  readonly kept: number;
}

const NEGATIONS = new Set(
  `not no never none nobody nothing nowhere neither nor cannot without avoid except unless nicht kein keine keinen keinem nie
  niemals ohne ausser jamais sans aucun aucune nunca ninguno ninguna sin jamas nao nenhum nenhuma sem mai senza nessuno nessuna не
  нет никогда без`.split(/\s+/),
);

/** Stop words that decide what a clause says. */
const OPERATORS = new Set([
  ...NEGATIONS,
  ..."if when whenever while until before after only always must may should first last once again all any every each both either more most less least or instead than some sometimes up down".split(
    " ",
  ),
]);

/** The clauses of `before` that `after` does not say in the same words, in the same order. The strictest comparison. */
export function ownClauses(before: string, after: string): string[] {
  const said = new Set(clausesOf(after).map(identityOf));
  return clausesOf(before)
    .filter((clause) => !said.has(identityOf(clause)))
    .map(({ text }) => text);
}

/** How many neighbouring clauses together may say what one clause says: a rewrite splits sentences. */
const WINDOW = 3;

/** The clauses of `before` of which no place in `after` has this share of the words, and every fact. */
export function lostClauses(before: string, after: string, least: number): LostClause[] {
  const places = windowsOf(clausesOf(after));
  return clausesOf(before)
    .filter(({ kind }) => kind !== "heading")
    .map((clause) => ({ text: clause.text, kept: keptShare(clause, places) }))
    .filter(({ kept }) => kept < least);
}

/** The share of the different words of a text that another text has too, between 0 and 1. */
export function sharedWords(before: string, after: string): number {
  const words = new Set(tokenize(before, { partsOnly: true }));
  const there = new Set(tokenize(after, { partsOnly: true }));
  return words.size === 0 ? 1 : [...words].filter((word) => there.has(word)).length / words.size;
}

function identityOf({ kind, words, facts, text }: Clause): string {
  return kind === "code"
    ? `code ${flat(text)}`
    : `${kind} ${words.join(" ")}\n${[...facts].sort().join("\n")}`;
}

interface Window {
  readonly parts: readonly Clause[];
  readonly words: ReadonlySet<string>;
  /** Without the clauses that forbid something: they cannot say what to do. */
  readonly plainWords: ReadonlySet<string>;
  readonly facts: ReadonlySet<string>;
  readonly hasNegated: boolean;
}

function windowsOf(clauses: readonly Clause[]): Window[] {
  return clauses.flatMap((_, at) =>
    Array.from({ length: Math.min(WINDOW, clauses.length - at) }, (__, more) => {
      const part = clauses.slice(at, at + more + 1);
      return {
        parts: part,
        words: new Set(part.flatMap(({ words }) => words)),
        plainWords: new Set(part.flatMap(({ words, isNegated }) => (isNegated ? [] : words))),
        facts: new Set(part.flatMap(({ says }) => [...says])),
        hasNegated: part.some(({ isNegated }) => isNegated),
      };
    }),
  );
}

function keptShare(clause: Clause, places: readonly Window[]): number {
  const words = [...new Set(clause.words)];
  let best = 0;
  for (const place of places) {
    if (clause.isNegated && !place.hasNegated) continue;
    if (![...clause.facts].every((fact) => place.facts.has(fact))) continue;
    if (place.parts.some((part) => saysOtherwise(clause, part, place.words))) continue;
    const there = clause.isNegated ? place.words : place.plainWords;
    const found = words.filter((word) => there.has(word)).length;
    const share = words.length === 0 ? 1 : found / words.length;
    const isCut = share < 1 && place.parts.every((part) => isCutOf(clause, part));
    best = Math.max(best, isCut ? Math.min(share, GUARD.clauseCut) : share);
  }
  return Math.round(best * 100) / 100;
}

/** Words of which one cannot stand for the other. */
const OPPOSITES = new Map(
  `before after, first last, most least, more less, all some, every some, must may, always sometimes, up down`
    .split(", ")
    .flatMap((pair) => pair.split(" ") as [string, string])
    .map((word, at, all) => [word, all[at % 2 === 0 ? at + 1 : at - 1]!]),
);
const UNIVERSAL = new Set(["always", "all", "every", "each", "any"]);
const CONDITIONS = new Set(["if", "when", "unless", "except", "only"]);
/** So much of a clause must be there before what differs is taken for another saying of the same. */
const SAME_SUBJECT = 0.5;

/** Whether a clause says the same of something else: one word exchanged between the same neighbours, or turned around. */
function saysOtherwise({ words }: Clause, other: Clause, around: ReadonlySet<string>): boolean {
  const there = new Set(other.words);
  const own = new Set(words);
  if (words.filter((word) => there.has(word)).length < SAME_SUBJECT * words.length) return false;
  const isNarrower =
    words.some((word) => UNIVERSAL.has(word)) &&
    !words.some((word) => CONDITIONS.has(word)) &&
    other.words.some((word) => CONDITIONS.has(word)) &&
    !other.words.some((word) => UNIVERSAL.has(word));
  return (
    isNarrower ||
    words.some((word, at) => {
      if (around.has(word)) return false;
      const opposite = OPPOSITES.get(word);
      if (opposite !== undefined && there.has(opposite)) return true;
      // The first word is what is to be done, which has many names.
      if (at === 0 || OPERATORS.has(word)) return false;
      return other.words.some(
        (instead, place) =>
          !own.has(instead) &&
          !OPERATORS.has(instead) &&
          other.words[place - 1] === words[at - 1] &&
          other.words[place + 1] === words[at + 1],
      );
    })
  );
}

/** Whether a clause is what is left of another one: nothing takes the place of the words that are gone. */
function isCutOf({ words }: Clause, other: Clause): boolean {
  const own = new Set(words);
  return other.words.length > 0 && other.words.every((word) => own.has(word));
}

/** The clauses of a Markdown text in order. The title only repeats the name and is left out. */
function clausesOf(markdown: string): Clause[] {
  const clauses: Clause[] = [];
  let fence: string | undefined;
  let paragraph: string[] = [];
  let isFirstLine = true;
  const add = (text: string, kind: Clause["kind"]) => {
    const clause = toClause(text, kind);
    if (clause.words.length > 0 || clause.facts.size > 0) clauses.push(clause);
  };
  const flush = () => {
    for (const sentence of sentencesOf(paragraph.join(" "))) add(sentence, "prose");
    paragraph = [];
  };
  for (const line of markdown.split(/\r?\n/)) {
    const [, mark] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    const [, level, heading] = /^ {0,3}(#{1,6})\s+(.*)$/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      else if (line.trim() !== "") add(line.trim(), "code");
    } else if (mark !== undefined) {
      flush();
      fence = mark;
    } else if (heading !== undefined) {
      flush();
      if (!(isFirstLine && level === "#")) add(heading.replace(/#+\s*$/, ""), "heading");
    } else if (line.trim() === "" || /^\s*(?:[-*+]|\d{1,9}[.)])\s|^\s*\|/.test(line)) {
      flush();
      // The separator of a table has no words.
      paragraph.push(line.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/, ""));
    } else paragraph.push(line.trim());
    if (line.trim() !== "") isFirstLine = false;
  }
  flush();
  return clauses;
}

/** Sentences and parts between semicolons. Code in backticks is never cut. */
function sentencesOf(text: string): string[] {
  const spans: string[] = [];
  const held = text.replace(/`[^`]*`/g, (span) => `\u0000${spans.push(span) - 1}\u0000`);
  return held
    .split(/(?<=[.!?;…])["')\]*_]*\s+|(?<=[。！？；])/u)
    .map((part) => part.replace(/\u0000(\d+)\u0000/g, (_, at) => spans[Number(at)] ?? "").trim())
    .filter((part) => part !== "");
}

function toClause(text: string, kind: Clause["kind"]): Clause {
  const words = wordsOf(kind === "code" ? text : text.replace(/`[^`]*`/g, " "));
  const isNegated = kind === "prose" && words.some((word) => NEGATIONS.has(word));
  const facts = new Set([...factsOf(text, kind), ...scopesOf(words, kind, true)]);
  return { text, kind, words, facts, says: new Set([...facts, ...scopesOf(words, kind, false)]), isNegated };
}

const RESTRICTIONS = new Set(
  "only solely exclusively nur ausschliesslich seulement uniquement solo solamente unicamente somente soltanto только".split(
    " ",
  ),
);
/** Words for all people, which are read as one. */
const EVERYONE = new Set(
  "everybody everyone anybody anyone jeder jede jeden alle tous chacun todos todas cualquiera tutti chiunque все".split(
    " ",
  ),
);

/** Whom or what a clause is about, if it says so: "only admins" is not "everybody", and one word more or less hides that. */
function scopesOf(words: readonly string[], kind: Clause["kind"], isNeeded: boolean): string[] {
  if (kind !== "prose") return [];
  const isContent = (word: string) => !OPERATORS.has(word);
  const restricted = words.flatMap((word, at) => {
    if (!RESTRICTIONS.has(word)) return [];
    const after = words
      .slice(at + 1)
      .filter(isContent)
      .slice(0, 2);
    const before = words.slice(0, at).filter(isContent).slice(-1);
    const about = isNeeded ? [after[0] ?? before[0] ?? ""] : [...after, ...before];
    return about.map((each) => `only ${each}`);
  });
  return words.includes("everyone") ? [...restricted, "everyone"] : restricted;
}

/** Numbers that are written out. "One" is rarely a number. */
const NUMBERS = new Map(
  `two three four five six seven eight nine ten eleven twelve zwei drei vier fünf sechs sieben acht neun zehn elf zwölf`
    .split(" ")
    .map((word, at) => [word, String((at % 11) + 2)]),
);

/** Numbers as digits, and bounds in one wording. */
function inOneWording(text: string): string {
  return text
    .replace(/\b(?:no|not) more than\b/gi, "at most")
    .replace(/\b(?:no|not) (?:less|fewer) than\b/gi, "at least")
    .replace(/[\p{L}]+/gu, (word) => NUMBERS.get(word.toLowerCase()) ?? word);
}

function wordsOf(text: string): string[] {
  const plain = inOneWording(text)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(
      /\b(?:can't|won't|shan't)\b/gi,
      (word) => ({ "can't": "can not", "won't": "will not" })[word.toLowerCase()] ?? "shall not",
    )
    .replace(/n't\b/gi, " not");
  const found = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return found.flatMap((raw) => {
    const word = fold(raw);
    if (EVERYONE.has(word)) return ["everyone"];
    if (OPERATORS.has(word)) return [word === "cannot" ? "not" : word];
    if (isStopWord(word)) return [];
    return UNSPACED.test(word) ? tokenize(word) : [stem(word)];
  });
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** Numbers, flags, paths, addresses and names in capitals. */
const FACT =
  /https?:\/\/[^\s)>\]"']+|(?<![\w/])(?:~|\.{1,2})?\/[\w.@~+-]+(?:\/[\w.@~+-]*)*|\b[\w-]+(?:\/[\w.-]+)+|(?<![\w-])--?[a-z][\w-]*|\b[\w-]+\.(?:[a-z]{2,5})\b|\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*\b|\d[\d.,:%]*\d%?|\d%?/g;

function factsOf(text: string, kind: Clause["kind"]): Set<string> {
  if (kind === "code") return new Set([flat(text)]);
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => flat(span!));
  const plain = inOneWording(text.replace(/`[^`]*`/g, " "));
  return new Set([...spans, ...(plain.match(FACT) ?? []).map((fact) => flat(fact).replace(/[.,:]+$/, ""))]);
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
