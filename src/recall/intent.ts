// Tells from a message alone whether it asks for work that a skill could serve: a linear model over the meaning of the
// message, a few cues of its form and its common phrases, fitted by `evals/fit-intent.ts`.

import { inAlphabet } from "../text/patterns.ts";
import { isContinuation } from "./continuation.ts";
import type { Glossed } from "./glossary.ts";
import { leadText } from "./lead.ts";

/** What a message is: work, or one of the things that a model does without instructions. */
export const INTENTS = ["work", "world", "talk", "continue", "meta", "trivial"] as const;
export type Intent = (typeof INTENTS)[number];

/** What each intent means, for explanations. */
export const INTENT_NOTES: Readonly<Record<Intent, string>> = {
  work: "asks for work",
  world: "a question about the world",
  talk: "small talk",
  continue: "goes on with the turn before",
  meta: "about the conversation itself",
  trivial: "a small job without instructions",
};

/** Characters of the message that are read, and words of its phrases. */
const READ_CHARS = 2000;
const PHRASE_WORDS = 60;

/** A message in small letters, and its words; a set of words is quicker to ask than a pattern is to compile. */
interface CueText {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  /** The word with which the text begins, if it begins with one. */
  readonly first: string | undefined;
  /** How many words there are between spaces. */
  readonly count: number;
}

/** Cues of form, each 0 or 1 (the first two are shares). */
const CUES: readonly ((cue: CueText, message: Glossed) => number | boolean)[] = [
  ({ count }) => Math.min(1, Math.log1p(count) / 4),
  ({ count }) => Math.min(1, count / 6),
  ({ count }) => count <= 3,
  ({ text }) => text.includes("\n"),
  ({ text }) => text.endsWith("?"),
  begins("what who when where which is are does do did"),
  begins("how why"),
  ({ text, words }) =>
    words.has("please") || words.has("pls") || (words.has("you") && /\b(?:can|could|would) you\b/.test(text)),
  ({ text, words }) =>
    (words.has("help") && /\bhelp me\b/.test(text)) ||
    ((words.has("i") || words.has("we")) && /\b(?:i|we) (?:need|want|have to|must)\b/.test(text)),
  has("my our"),
  ({ text }) => /\.[a-z]{2,4}\b/.test(text),
  has("thanks thank thx ty cheers great nice awesome perfect cool lol haha love hate"),
  begins("yes yeah no ok okay sure hi hey hello good"),
  has("you"),
  ({ text }) => /[`{}();=<>]/.test(text),
  ({ text }) => /\d/.test(text),
  begins("run rename change add show open print delete remove move replace"),
  ({ text, words }) =>
    words.has("rename") ||
    words.has("typo") ||
    words.has("variable") ||
    (words.has("line") && /\bline \d+\b/.test(text)),
  has("that it this them those again instead"),
  (_, { text, original }) => isContinuation(original ?? text),
  (_, { original }) => original !== undefined,
];

/** Whether one of the words is in the text. */
function has(list: string): (cue: CueText) => boolean {
  const wanted = list.split(" ");
  return ({ words }) => wanted.some((word) => words.has(word));
}

/** Whether the text begins with one of the words. */
function begins(list: string): (cue: CueText) => boolean {
  const wanted = list.split(" ");
  return ({ first }) => first !== undefined && wanted.includes(first);
}

function cueText(text: string): CueText {
  const all = text.match(/\w+/g) ?? [];
  const [first] = all;
  return {
    text,
    words: new Set(all),
    first: first !== undefined && text.startsWith(first) ? first : undefined,
    count: text === "" ? 0 : text.split(/\s+/).length,
  };
}

/** Scales the unit vector so that its numbers are about as large as the cues. */
const VECTOR_SCALE = 3;

/** The inputs of the model: the vector, the cues, and a constant. */
export function intentInputs(message: Glossed, vector: ArrayLike<number>): Float64Array {
  const text = cueText(message.text.slice(0, READ_CHARS).toLowerCase().trim());
  const inputs = new Float64Array(vector.length + CUES.length + 1);
  for (let i = 0; i < vector.length; i++) inputs[i] = VECTOR_SCALE * vector[i]!;
  CUES.forEach((cue, i) => {
    inputs[vector.length + i] = Number(cue(text, message));
  });
  inputs[inputs.length - 1] = 1;
  return inputs;
}

const tokens = inAlphabet(
  ({ letters, digits }) => `[${letters}\\u0300-\\u036f']+|[${digits}]+|[?!.:,;"\`(){}=<>/\\\\*+-]`,
  "g",
);

/** The words and signs of a message and each two neighbours; "^" marks the first ones and "$" the last. Numbers are alike. */
export function phrasesOf({ text }: Glossed): Set<string> {
  const lower = text.slice(0, READ_CHARS).toLowerCase();
  const words = (lower.match(tokens(lower)) ?? [])
    .slice(0, PHRASE_WORDS)
    .map((word) => (/^\d/.test(word) ? "0" : word));
  const found = new Set(words);
  for (let i = 1; i < words.length; i++) found.add(`${words[i - 1]} ${words[i]}`);
  if (words.length > 0) found.add(`^${words[0]}`).add(`${words.at(-1)}$`);
  if (words.length > 1) found.add(`^${words[0]} ${words[1]}`);
  return found;
}

/** For each intent, in the order of `INTENTS`. */
export interface IntentWeights {
  /** One row of weights for the inputs of each intent. */
  readonly weights: readonly (readonly number[])[];
  /**
   * A line for each phrase in their order, with a tab and what it adds to the points of each intent, in hundredths; line breaks at
   * both ends. A text is read faster than a table.
   */
  readonly phrases: string;
}

export interface IntentGuess {
  readonly intent: Intent;
  /** The chance of each intent; together they are 1. */
  readonly chances: Readonly<Record<Intent, number>>;
}

/** Looks phrases up: the first message of a process searches the text, later ones have a table. */
function phraseTable(lines: string): (message: Glossed) => number[][] {
  let asked = 0;
  let table: Map<string, number[]> | undefined;
  return (message) => {
    if (++asked === 2)
      table = new Map(
        [...lines.matchAll(/^(.+)\t/gm)].map((hit) => [hit[1]!, pointsAt(lines, hit.index + hit[0].length)]),
      );
    const find = (phrase: string) => (table ? table.get(phrase) : searchLines(lines, phrase));
    return [...phrasesOf(message)].map(find).filter((points) => points !== undefined);
  };
}

function searchLines(lines: string, phrase: string): number[] | undefined {
  // Both are the line break before a line.
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const at = lines.lastIndexOf("\n", (low + high) >>> 1);
    const tab = lines.indexOf("\t", at);
    const found = lines.slice(at + 1, tab);
    if (found === phrase) return pointsAt(lines, tab + 1);
    if (found < phrase) low = lines.indexOf("\n", tab);
    else high = at;
  }
  return undefined;
}

function pointsAt(lines: string, from: number): number[] {
  return lines.slice(from, lines.indexOf("\n", from)).split(" ").map(Number);
}

/** Guesses the intent of a message. */
export type IntentModel = (message: Glossed) => IntentGuess;

export function createIntentModel(
  { weights, phrases }: IntentWeights,
  embed: (text: string) => ArrayLike<number>,
): IntentModel {
  const addedBy = phraseTable(phrases);
  return (message) => {
    const inputs = intentInputs(message, embed(leadText(message.text)));
    const points = weights.map((row) => row.reduce((sum, weight, i) => sum + weight * (inputs[i] ?? 0), 0));
    for (const added of addedBy(message)) {
      added.forEach((value, i) => {
        points[i]! += value / 100;
      });
    }
    const highest = Math.max(...points);
    const odds = points.map((value) => Math.exp(value - highest));
    const total = odds.reduce((sum, value) => sum + value, 0);
    const chances = Object.fromEntries(INTENTS.map((intent, i) => [intent, odds[i]! / total]));
    return { intent: INTENTS[points.indexOf(highest)]!, chances: chances as Record<Intent, number> };
  };
}
