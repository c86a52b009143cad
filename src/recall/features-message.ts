// Reads a message: its terms, how much each counts by number and position, and which of them the message rejects.

import { inAlphabet, lazyPattern } from "../text/patterns.ts";
import { tokenize, visitTokens } from "../text/tokens.ts";
import type { Glossed } from "./glossary.ts";
import { leadOf } from "./lead.ts";
import { type Range, thingsIn } from "./things.ts";

export const MESSAGE = {
  /** Characters read from the beginning and from the end; a person's request is in one of the two. */
  headChars: 24_000,
  tailChars: 8_000,
  /** The first line of a message of several lines is its title: its words count this often. +0.2 Hit@1 on pasted tasks. */
  titleTimes: 3,
  /** A message with fewer characters has no title. */
  titleFrom: 400,
  /** Distinct terms kept, those of the lead first. A pasted task of 1,000 words has about 350; more change nothing. */
  maxTerms: 160,
  /** Weight of a word that occurs only after the lead of a long message. +1 Recall@3 and Recall@5 on pasted tasks. */
  behind: 0.3,
  /** Weight of a word that the message only rejects ("not", "without", "instead of"). */
  refused: 0.2,
  /** Weight of a numbered thing ("ADR-0024"): it says which one is meant, not what to do with it. */
  numbered: 0.2,
  /** How much less the last word counts than the first: people say first what to do, then with what. */
  trailing: 0.4,
  /** Size of the imagined large library in which a word is rare or common. */
  skills: 60_000,
  /** How many skills of that library use words as general prose does; a library of twelve skills cannot show it. */
  backgroundSkills: 3_000,
  /** Rarity of a word that is missing from the background. */
  unseenIdf: 8,
} as const;

export interface ReadMessage {
  /** Distinct terms in order of first appearance. */
  terms: string[];
  /** Factor for each term's rarity: higher for repeated terms, lower for rejected ones. */
  factors: number[];
  /** Whether the message only rejects the term. */
  refused: boolean[];
  /** Whether the message rejects the term at least once. */
  inRefusal: boolean[];
  /** Whether the term only occurs in the names of things (`things.ts`). */
  pointing: boolean[];
  /** Indexes into `terms` in reading order; -1 is a break. */
  order: number[];
}

// A running number, alone or with its word. Leading zeros distinguish it from a standard, a port or a year.
const NUMBERED = /^[a-z]{0,12}0\d{2,7}$/u;

/** Rarity of a word in general prose, in nats; undefined if the word is unknown. */
export type BackgroundIdf = (word: string) => number | undefined;

/** Reads a message in English words; the words of its original count as those behind the lead do. */
export function readMessage({ text: english, original }: Glossed): ReadMessage {
  const text = clipMessage(english);
  const numbers = new Map<string, number>();
  const times: number[] = [];
  const wanted: boolean[] = [];
  const inRefusal: boolean[] = [];
  const said: boolean[] = [];
  const order: number[] = [];
  const leading: boolean[] = [];
  const pieces = [...piecesOf(text), ...originalPiece(original)];
  pieces.forEach((piece, i) => {
    visitTokens(piece.text, (term) => {
      let number = numbers.get(term);
      if (number === undefined) {
        if (numbers.size === MESSAGE.maxTerms) return;
        number = numbers.size;
        numbers.set(term, number);
        times.push(0);
        wanted.push(false);
        inRefusal.push(false);
        said.push(false);
        leading.push(false);
      }
      times[number]! += piece.times;
      if (piece.kind === "refused") inRefusal[number] = true;
      else wanted[number] = true;
      if (piece.kind !== "thing") said[number] = true;
      if (piece.leading) leading[number] = true;
      order.push(number);
    });
    // The name of a thing is part of its sentence.
    if (piece.kind !== "thing" && pieces[i + 1]?.kind !== "thing") order.push(-1);
  });
  const terms = [...numbers.keys()];
  return {
    terms,
    factors: times.map(
      (count, i) =>
        (1 + Math.log(count)) *
        (1 - MESSAGE.trailing * (i / terms.length)) *
        (wanted[i] ? 1 : MESSAGE.refused) *
        (leading[i] ? 1 : MESSAGE.behind) *
        (NUMBERED.test(terms[i]!) ? MESSAGE.numbered : 1),
    ),
    refused: wanted.map((yes) => !yes),
    inRefusal,
    pointing: said.map((yes) => !yes),
    order,
  };
}

interface Piece {
  readonly text: string;
  /** How often each of its words counts. */
  readonly times: number;
  /** What the message does with it: it asks for it, rejects it, or only points at it. */
  readonly kind: "asked" | "refused" | "thing";
  readonly leading: boolean;
}

/** Cuts the message at the ends of each rejected part and of each thing; the pieces of the lead come first, then the others. */
function piecesOf(text: string): Piece[] {
  const title = titleEnd(text);
  const { end, closing } = leadOf(text);
  const refused = refusals(text.slice(title)).map(([from, to]): Range => [title + from, title + to]);
  const things = thingsIn(text).filter(([from, to]) => !refused.some(([a, b]) => a < to && from < b));
  const marks = [
    ...refused.map((range) => ({ range, kind: "refused" as const })),
    ...things.map((range) => ({ range, kind: "thing" as const })),
  ].sort((a, b) => a.range[0] - b.range[0]);
  const cut = (from: number, to: number, { leading = true, times = 1 } = {}): Piece[] => {
    const pieces: Piece[] = [];
    let at = from;
    for (const { range, kind } of marks) {
      if (range[1] <= from || range[0] >= to) continue;
      const [start, stop] = [Math.max(at, range[0]), Math.min(range[1], to)];
      pieces.push({ text: text.slice(at, start), times, kind: "asked", leading });
      pieces.push({ text: text.slice(start, stop), times, kind, leading });
      at = stop;
    }
    pieces.push({ text: text.slice(at, to), times, kind: "asked", leading });
    return pieces;
  };
  return [
    ...cut(0, title, { times: MESSAGE.titleTimes }),
    ...cut(title, Math.max(title, end)),
    ...cut(Math.max(closing, end), text.length),
    ...cut(Math.max(title, end), Math.max(closing, end), { leading: false }),
  ].filter((piece) => piece.text !== "");
}

function originalPiece(original: string | undefined): Piece[] {
  if (original === undefined) return [];
  return [{ text: clipMessage(original), times: 1, kind: "asked", leading: false }];
}

/** The message, or the beginning and the end of a message that is too long to be read whole. */
export function clipMessage(message: string): string {
  if (message.length <= MESSAGE.headChars + MESSAGE.tailChars) return message;
  return `${message.slice(0, MESSAGE.headChars)}\n${message.slice(-MESSAGE.tailChars)}`;
}

function titleEnd(text: string): number {
  if (text.length < MESSAGE.titleFrom) return 0;
  const end = text.indexOf("\n");
  return end > 0 && end < MESSAGE.titleFrom ? end : 0;
}

/**
 * The rarity of a word in nats, from the number of skills that have it and from general prose. It does not depend on the
 * size of the library, so that adding an unrelated skill changes nothing for a message.
 */
export function rarityOf(df: number, background: number | undefined): number {
  const inProse = MESSAGE.backgroundSkills * Math.exp(-(background ?? MESSAGE.unseenIdf));
  return Math.log(1 + MESSAGE.skills / (df + inProse + 0.5));
}

const words = inAlphabet(({ letters, digits }) => `[${letters}${digits}]+`, "g");

/** The background rarity of each term: that of the rarest spelling in the message, because the background has spellings. */
export function backgroundOfTerms(text: string, background: BackgroundIdf): Map<string, number> {
  const found = new Map<string, number>();
  for (const [word] of text.matchAll(words(text))) {
    const idf = background(word.toLowerCase());
    if (idf === undefined) continue;
    for (const term of tokenize(word)) found.set(term, Math.max(found.get(term) ?? 0, idf));
  }
  return found;
}

/** Words that one refusal covers. */
const REACH_WORDS = 5;

// "not sure", "no longer" and "not working" describe a state and reject nothing.
const STATES =
  "sure|only|just|longer|yet|able|found|matter|idea|problem|enough|many|much|more|less|than|one|need|know|want|being|been|running|be|to|so|too|very|really|quite|if|when|what|why|how|where|all|every|any";
const STATE_STEMS =
  "work|show|seem|get|appear|load|start|respond|compil|build|return|find|match|render|updat|pass";
/** What is done with or given up is not asked for; "don't forget the tests" and "I forget the command" ask for it. */
const GIVEN_UP =
  "(?:we|i|they)(?:['\\u2019](?:re|m)| are| am)\\s+(?:already\\s+)?(?:done|finished)(?:\\s+with)?|(?:threw|thrown)\\s+out|got\\s+rid\\s+of|ditched|moved\\s+(?:off|away\\s+from)|(?<=(?:^|[.,;:!?\\n])\\s*)forget\\s+(?:about\\s+)?(?:the|that)";
const REFUSAL = new RegExp(
  `\\b(?:${GIVEN_UP}|(?<!why\\s)(?:not|no)|without|isn['\\u2019]t|aren['\\u2019]t|(?<!why\\s)don['\\u2019]t\\s+(?:use|run|apply|invoke|activate|call|follow|load)|instead of|rather than|other than|except for|excluding)\\s+` +
    `(?!(?:${STATES})\\b|(?:${STATE_STEMS})\\w*)`,
  "gi",
);
const REACH_ENDS = ",;:!?()\n\u2014";

// A skill as people call it (`/plan`, `/sdd:plan --loop`, `the card-maker skill`), and a name as people type it.
const CALLED =
  "(?:the\\s+)?(?:(/[\\w.:-]{1,96})(?:\\s+(?:skill|command))?(?:\\s+--\\w+)?|[`\"']?([\\w.:-]{2,96})[`\"']?\\s+skill)";
const TYPED = "[`\"']?([\\w.]{1,64}(?:[:-][\\w.]{1,64}){1,12})[`\"']?";
const USE =
  "(?:us(?:e|ing)|run(?:ning)?|appl(?:y|ying)|invok(?:e|ing)|activat(?:e|ing)|call(?:ing)?|follow(?:ing)?|load(?:ing)?)";
// A question about a skill or about its name is not a request to use it, and neither is telling it apart from others.
const ABOUT = lazyPattern(
  [
    `\\bwhat\\s+does\\s+${CALLED}\\s+(?:actually\\s+)?(?:do|output|mean|cover|return|produce|offer)\\b`,
    `\\b(?:explain|describe|tell me|understand)\\s+(?:what|how)\\s+${CALLED}\\s+(?:actually\\s+)?(?:does|works|is|differs)\\b`,
    `\\bhow\\s+does\\s+${CALLED}\\s+(?:work|differ)\\b`,
    `\\bwhat(?:['\u2019]s|\\s+is)\\s+${CALLED}\\s*\\?`,
    `\\b(?:uninstall|delete|remove|disable|rename|move|locate|list\\s+the\\s+files\\s+(?:of|in))\\s+${CALLED}`,
    `\\b(?:who|when)\\s+(?:\\w+\\s+){1,2}(?:the\\s+)?${TYPED}`,
    `\\bcompare\\s+${TYPED}\\s+(?:with|and|to)\\b[^.?!\\n]{0,40}\\bskills?\\b`,
    `\\bis\\s+${TYPED}\\s+the\\s+(?:right|correct|best|proper)\\s+(?:skill|workflow|tool|one|choice)\\b`,
    `\\bis\\s+${TYPED}\\s+an?\\s+(?:\\w+\\s+){0,2}(?:name|word|title|term|domain)\\b`,
    `\\b(?:rhymes?\\s+with|spell|pronounce|translate|difference\\s+between|the\\s+(?:word|name|term|phrase|title))\\s+${TYPED}`,
    `\\b(?:skip|forget(?:\\s+about)?|ignore|leave\\s+out|no\\s+need\\s+(?:for|to\\s+${USE})|stop\\s+${USE})\\s+(?:the\\s+)?${TYPED}`,
  ].join("|"),
  "gi",
);
/** "what does X mean", "the term X": about the words, not about what they name. */
const MEANING = lazyPattern(
  [
    "\\bwhat(?:\\s+does|['\u2019]s|\\s+is)\\s+[`\"'“]?([\\w-]+)[`\"'”]?\\s+(?:mean|stand\\s+for|short\\s+for)\\b",
    "\\b(?:the|a)\\s+(?:terms?|words?|phrase|expression|names?)\\s+[`\"'“]?((?!(?:of|in|is|for|and|to|on|at|from|should|that|which|was|i|you|we|it)\\b)[\\w-]+(?:[ -][\\w-]+)?)",
    '["“]([\\w -]{2,60})["”]\\s+is\\s+(?:the|a|an|my|our)\\s+(?:\\w+\\s+)?(?:title|name|heading|label|caption|word|term|quote)\\b',
  ].join("|"),
  "gi",
);

/**
 * What a message rejects ("not X", "without X", "instead of X") or only asks about ("what does /x do"): [start, end) of
 * each range, in order, without overlaps. English only; in other languages nothing is found.
 */
export function refusals(text: string): Range[] {
  const found: Range[] = [];
  // Most messages name no skill, and the pattern is slow to compile.
  const about = /\/[\w.:-]|[\w.][:-][\w.]|\sskill/i.test(text) ? text.matchAll(ABOUT()) : [];
  const meaning = /\bwhat|["“]|(?:term|word|phrase|expression|name)/i.test(text)
    ? text.matchAll(MEANING())
    : [];
  for (const hit of [...about, ...meaning]) {
    const name = hit.slice(1).find((part) => part !== undefined) ?? "";
    const start = hit.index + hit[0].indexOf(name);
    found.push([start, start + name.length]);
  }
  REFUSAL.lastIndex = 0;
  const isRefusing =
    /\bnot?\b|without|n['\u2019]t|instead|rather|other|except|excluding|done|finished|thr[eo]w|rid of|ditched|moved|forget/i.test(
      text,
    );
  for (let hit = isRefusing ? REFUSAL.exec(text) : null; hit !== null; hit = REFUSAL.exec(text)) {
    const start = hit.index + hit[0].length;
    const end = reachEnd(text, start);
    if (end > start) found.push([start, end]);
    REFUSAL.lastIndex = Math.max(end, start);
  }
  return found.sort((a, b) => a[0] - b[0]).filter(([start], i, all) => i === 0 || start >= all[i - 1]![1]);
}

function reachEnd(text: string, start: number): number {
  let words = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i]!;
    if (REACH_ENDS.includes(char)) return i;
    if (char === "." && !/\w/u.test(text[i + 1] ?? "")) return i;
    if (char !== " ") continue;
    words++;
    if (words === REACH_WORDS || /^ (?:but|because|so|and)\b/u.test(text.slice(i, i + 9))) return i;
  }
  return text.length;
}
