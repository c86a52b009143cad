// Compares two texts clause by clause: which sentences, list items, table rows and code lines of one are not said by the other.
// Numbers, commands, paths and negations count, because "wait 30 seconds" and "never deploy" are lost by one changed word.

import { fold } from "../text/fold.ts";
import { stem } from "../text/stem.ts";
import { isStopWord } from "../text/stopwords.ts";
import { tokenize } from "../text/tokens.ts";

interface Clause {
  readonly text: string;
  readonly kind: "prose" | "heading" | "code";
  /** Stems in order, without stop words, but with the words that turn a meaning around. */
  readonly words: readonly string[];
  /** What must be said to the letter: numbers, code, paths, flags, names in capitals. */
  readonly facts: ReadonlySet<string>;
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
  ..."if when whenever while until before after only always must may should first last once again all any every each both either more most less least or instead than".split(
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
        words: new Set(part.flatMap(({ words }) => words)),
        plainWords: new Set(part.flatMap(({ words, isNegated }) => (isNegated ? [] : words))),
        facts: new Set(part.flatMap(({ facts }) => [...facts])),
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
    const there = clause.isNegated ? place.words : place.plainWords;
    const found = words.filter((word) => there.has(word)).length;
    best = Math.max(best, words.length === 0 ? 1 : found / words.length);
  }
  return Math.round(best * 100) / 100;
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
  return { text, kind, words, facts: new Set([...factsOf(text, kind), ...scopeOf(words, kind)]), isNegated };
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
function scopeOf(words: readonly string[], kind: Clause["kind"]): string[] {
  if (kind !== "prose") return [];
  const restricted = words.flatMap((word, at) =>
    RESTRICTIONS.has(word) ? `only ${words.slice(at + 1).find((next) => !OPERATORS.has(next)) ?? ""}` : [],
  );
  return words.includes("everyone") ? [...restricted, "everyone"] : restricted;
}

function wordsOf(text: string): string[] {
  const plain = text
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
  const plain = text.replace(/`[^`]*`/g, " ");
  return new Set([...spans, ...(plain.match(FACT) ?? []).map((fact) => flat(fact).replace(/[.,:]+$/, ""))]);
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
