// Owns how a message is read: which terms it has, how often and where they stand, which of them it turns down.
// Does not own document frequencies (the index gives them) nor what is found in skills (features.ts).

import { inAlphabet } from "../text/patterns.ts";
import { tokenize, visitTokens } from "../text/tokens.ts";
import { refusals } from "./features-refusals.ts";
import { leadOf } from "./lead.ts";

export const MESSAGE = {
  /** Characters read from the beginning and from the end; what a person asks stands in one of the two. */
  headChars: 24_000,
  tailChars: 8_000,
  /** In a message of several lines the first line is its title: its words count this often. +0.2 Hit@1 on pasted tasks. */
  titleTimes: 3,
  /** A message with fewer characters has no title. */
  titleFrom: 400,
  /** Distinct terms kept, the lead's first: a pasted task of 1,000 words has about 350, and the others change nothing. */
  maxTerms: 160,
  /** What a word counts that stands only behind the lead of a long message. +1 Recall@3 and Recall@5 on pasted tasks. */
  behind: 0.3,
  /** What a word counts that the message only names to turn it down ("not", "without", "instead of"). */
  refused: 0.2,
  /** What a numbered thing counts ("ADR-0024"): it says which one is meant, not what is to be done with it. */
  numbered: 0.2,
  /** What the last word of a message loses against the first: people say first what is to be done, then with what. */
  trailing: 0.4,
  /** Skills among which a word is rare or common, in thought: what a large library would have. */
  skills: 60_000,
  /** And of these, how many are taken to use words like everyone does: what a library of twelve cannot know. */
  backgroundSkills: 3_000,
  /** The rarity of a word that the background has never seen. */
  unseenIdf: 8,
} as const;

export interface ReadMessage {
  /** Distinct terms in order of first appearance. */
  terms: string[];
  /** What each term's rarity is multiplied by: how often it stands there, less when it is turned down. */
  factors: number[];
  /** Terms named only to be turned down. */
  refused: boolean[];
  /** Terms that stand where something is turned down, perhaps elsewhere too. */
  inRefusal: boolean[];
  /** The terms in reading order as numbers into `terms`; -1 is a break. */
  order: number[];
}

// A running number, alone or with its word: leading zeros tell it from a standard, a port or a year.
const NUMBERED = /^[a-z]{0,12}0\d{2,7}$/u;

/** Rarity of a word in general prose, in nats; undefined when the word is unknown. */
export type BackgroundIdf = (word: string) => number | undefined;

export function readMessage(message: string): ReadMessage {
  const text = clipMessage(message);
  const numbers = new Map<string, number>();
  const times: number[] = [];
  const wanted: boolean[] = [];
  const inRefusal: boolean[] = [];
  const order: number[] = [];
  const leading: boolean[] = [];
  for (const piece of piecesOf(text)) {
    visitTokens(piece.text, (term) => {
      let number = numbers.get(term);
      if (number === undefined) {
        if (numbers.size === MESSAGE.maxTerms) return;
        number = numbers.size;
        numbers.set(term, number);
        times.push(0);
        wanted.push(false);
        inRefusal.push(false);
        leading.push(false);
      }
      times[number]! += piece.times;
      if (piece.refused) inRefusal[number] = true;
      else wanted[number] = true;
      if (piece.leading) leading[number] = true;
      order.push(number);
    });
    order.push(-1);
  }
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
    order,
  };
}

interface Piece {
  readonly text: string;
  /** How often each of its words counts. */
  readonly times: number;
  readonly refused: boolean;
  readonly leading: boolean;
}

/** The message cut where it begins or ends to turn something down: first its lead, then the rest. */
function piecesOf(text: string): Piece[] {
  const title = titleEnd(text);
  const { end, closing } = leadOf(text);
  const turnedDown = refusals(text.slice(title)).map(([from, to]) => [title + from, title + to] as const);
  const cut = (from: number, to: number, leading: boolean): Piece[] => {
    const pieces: Piece[] = [];
    let at = from;
    for (const [start, stop] of turnedDown) {
      if (stop <= from || start >= to) continue;
      pieces.push({ text: text.slice(at, Math.max(at, start)), times: 1, refused: false, leading });
      pieces.push({
        text: text.slice(Math.max(at, start), Math.min(stop, to)),
        times: 1,
        refused: true,
        leading,
      });
      at = Math.min(stop, to);
    }
    pieces.push({ text: text.slice(at, to), times: 1, refused: false, leading });
    return pieces;
  };
  return [
    { text: text.slice(0, title), times: MESSAGE.titleTimes, refused: false, leading: true },
    ...cut(title, Math.max(title, end), true),
    ...cut(Math.max(closing, end), text.length, true),
    ...cut(Math.max(title, end), Math.max(closing, end), false),
  ].filter((piece) => piece.text !== "");
}

/** The beginning and the end of a message too long to be read whole. */
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
 * How telling a word is, in nats: by the skills of the library that have it and by general prose. Not by the size of the
 * library, so that a skill which has nothing to do with a message changes nothing about it.
 */
export function rarityOf(df: number, background: number | undefined): number {
  const inProse = MESSAGE.backgroundSkills * Math.exp(-(background ?? MESSAGE.unseenIdf));
  return Math.log(1 + MESSAGE.skills / (df + inProse + 0.5));
}

const words = inAlphabet(({ letters, digits }) => `[${letters}${digits}]+`, "g");

/** The background speaks of words as they are spelled; this finds the rarest spelling behind each term. */
export function backgroundOfTerms(message: string, background: BackgroundIdf): Map<string, number> {
  const found = new Map<string, number>();
  const text = clipMessage(message);
  for (const [word] of text.matchAll(words(text))) {
    const idf = background(word.toLowerCase());
    if (idf === undefined) continue;
    for (const term of tokenize(word)) found.set(term, Math.max(found.get(term) ?? 0, idf));
  }
  return found;
}
