// Fits the intent model: softmax regression over `intentInputs`, on `evals/intent/messages.jsonl` and on further messages
// that ask for work.

import { join } from "node:path";
import type { LocalEmbedder } from "../src/embedders/local.ts";
import type { Glossary } from "../src/recall/glossary.ts";
import { INTENTS, type Intent, type IntentWeights, intentInputs, phrasesOf } from "../src/recall/intent.ts";
import { leadText } from "../src/recall/lead.ts";
import { type EvalMessage, readLines } from "./harness.ts";
import { hashOf } from "./random.ts";

const FIT = {
  /** Pulls the weights towards 0; from 0.5 to 3 the left-out figures are the same within noise. */
  ridge: 1.5,
  steps: 120,
  rate: 0.1,
  /** Phrases that fewer messages have are left out; 3 gives the same as 6, and 12 a point less. */
  phraseMessages: 6,
  /** A phrase counts as much as a cue; half as much is a point worse on topics that were left out. */
  phraseScale: 1,
} as const;

export const FOLDS = 5;

/** A phrase that adds less than this to the points of each intent, in hundredths, is left out of the file. */
const LEAST_PHRASE = 40;

export interface IntentExample {
  /** Messages of a group are left out together. */
  readonly group: string;
  readonly intent: Intent;
  readonly inputs: Float64Array;
  readonly phrases: ReadonlySet<string>;
  readonly text: string;
}

export interface IntentMessage {
  readonly text: string;
  readonly intent: Intent;
}

/** Messages of a group are left out together. */
type GroupedMessage = IntentMessage & { readonly group: string };

export const intentMessages = (): IntentMessage[] =>
  readLines<IntentMessage>(join(process.cwd(), "evals/intent/messages.jsonl"));

/** Words that a part of a message must have to stand alone. */
const LEAST_WORDS = 4;

/**
 * Messages of evaluation sets, and written ones, as examples: with a right skill they ask for work; questions that a skill must not
 * answer do not. Orders that it must not answer ask for work of another kind. Written messages that need a skill are longer than
 * those that must not get it, so a part of each is an example too: otherwise the model would only count words.
 */
export function intentMessagesOf(messages: readonly EvalMessage[]): GroupedMessage[] {
  return messages.flatMap(({ query, gold = [], not = [], source = "work", kind }): GroupedMessage[] => {
    const fold = hashOf(gold[0] ?? not[0] ?? query) % FOLDS;
    if (gold.length === 0 && not.length === 0) return [];
    if (gold.length === 0) {
      const isQuestion = /\?$|^(?:who|what|which|when|where|why|how|is|are|does|do|did|explain)\b/i.test(
        query,
      );
      return isQuestion ? [{ text: query, intent: "world", group: `${source} near ${fold}` }] : [];
    }
    const group = kind === undefined ? source : `${source} ${kind} ${fold}`;
    const work = { text: query, intent: "work" as const, group };
    const part = kind === undefined ? undefined : partOf(query);
    return part === undefined ? [work] : [work, { ...work, text: part, group: `${source} part ${fold}` }];
  });
}

/** One of the parts of a message between its signs, if there are several; always the same one. */
function partOf(text: string): string | undefined {
  const parts = text.split(/[,.;:?!\u2014]\s+/).filter((part) => part.split(/\s+/).length >= LEAST_WORDS);
  return parts.length > 1 ? parts[hashOf(text) % parts.length] : undefined;
}

export function intentExample(
  { text, intent, group }: { text: string; intent: Intent; group: string },
  { embedder, glossary }: { embedder: LocalEmbedder; glossary: Glossary },
): IntentExample {
  const message = glossary.toEnglish(text);
  const inputs = intentInputs(message, embedder.embedOne(leadText(message.text)));
  return { group, intent, text, inputs, phrases: phrasesOf(message) };
}

/** Groups count by the root of their size; work weighs as much as all other intents together. */
function votesOf(chosen: readonly IntentExample[]): Float64Array {
  const sizes = new Map<string, number>();
  for (const { group } of chosen) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const votes = Float64Array.from(chosen, ({ group }) => 1 / Math.sqrt(sizes.get(group)!));
  const totals = { work: 0, other: 0 };
  const kind = (i: number) => (chosen[i]!.intent === "work" ? "work" : "other");
  votes.forEach((vote, i) => {
    totals[kind(i)] += vote;
  });
  return votes.map((vote, i) => (chosen.length * vote) / (2 * totals[kind(i)]));
}

/** The weights of the inputs, then those of the phrases, for each intent. */
export interface FittedIntents {
  readonly rows: readonly Float64Array[];
  /** The place of each phrase in the rows. */
  readonly places: ReadonlyMap<string, number>;
}

export function fitIntents(chosen: readonly IntentExample[]): FittedIntents {
  const size = chosen[0]!.inputs.length;
  const places = phrasePlaces(chosen, size);
  const found = chosen.map(({ phrases }) => placesOf(phrases, places));
  const votes = votesOf(chosen);
  const all = size + places.size;
  const rows = () => INTENTS.map(() => new Float64Array(all));
  const [weights, mean, square] = [rows(), rows(), rows()];
  for (let step = 1; step <= FIT.steps; step++) {
    const gradient = weights.map((row) => row.map((weight, i) => (i === size - 1 ? 0 : FIT.ridge * weight)));
    chosen.forEach(({ inputs, intent }, e) => {
      const chances = softmax(weights, inputs, found[e]!);
      for (let c = 0; c < chances.length; c++) {
        const pull = votes[e]! * (chances[c]! - Number(INTENTS[c] === intent));
        const into = gradient[c]!;
        for (let i = 0; i < size; i++) into[i]! += pull * inputs[i]!;
        for (const place of found[e]!) into[place]! += pull * FIT.phraseScale;
      }
    });
    const rate = FIT.rate * (1 - step / (FIT.steps + 1));
    weights.forEach((row, c) => {
      for (let i = 0; i < all; i++) {
        const g = gradient[c]![i]!;
        mean[c]![i] = 0.9 * mean[c]![i]! + 0.1 * g;
        square[c]![i] = 0.99 * square[c]![i]! + 0.01 * g * g;
        const move =
          mean[c]![i]! / (1 - 0.9 ** step) / (Math.sqrt(square[c]![i]! / (1 - 0.99 ** step)) + 1e-9);
        row[i]! -= rate * move;
      }
    });
  }
  return { rows: weights, places };
}

/** The phrases that enough messages have, each with its place behind the inputs. */
function phrasePlaces(chosen: readonly IntentExample[], size: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { phrases } of chosen)
    for (const phrase of phrases) counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
  const common = [...counts].filter(([, count]) => count >= FIT.phraseMessages);
  return new Map(common.map(([phrase], i) => [phrase, size + i]));
}

function placesOf(phrases: ReadonlySet<string>, places: ReadonlyMap<string, number>): number[] {
  return [...phrases].flatMap((phrase) => places.get(phrase) ?? []);
}

export function chancesOf({ rows, places }: FittedIntents, { inputs, phrases }: IntentExample): number[] {
  return softmax(rows, inputs, placesOf(phrases, places));
}

function softmax(rows: readonly Float64Array[], inputs: Float64Array, found: readonly number[]): number[] {
  const points = rows.map((row) => {
    let sum = 0;
    for (let i = 0; i < inputs.length; i++) sum += row[i]! * inputs[i]!;
    for (const place of found) sum += FIT.phraseScale * row[place]!;
    return sum;
  });
  const highest = Math.max(...points);
  const odds = points.map((value) => Math.exp(value - highest));
  const total = odds.reduce((sum, value) => sum + value, 0);
  return odds.map((value) => value / total);
}

/** The weights as recall reads them. Phrases that change little are left out. */
export function intentWeights({ rows, places }: FittedIntents): IntentWeights {
  const size = rows[0]!.length - places.size;
  const phrases = [...places]
    .map(([phrase, place]): [string, number[]] => [
      phrase,
      rows.map((row) => Math.round(100 * FIT.phraseScale * row[place]!)),
    ])
    .filter(([, values]) => values.some((value) => Math.abs(value) >= LEAST_PHRASE))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    weights: rows.map((row) => Array.from(row.slice(0, size), (weight) => Number(weight.toFixed(3)))),
    phrases: `${phrases.map(([phrase, values]) => `\n${phrase}\t${values.join(" ")}`).join("")}\n`,
  };
}

/** The chances of every example from a model that was fitted without the example's fold. */
export function leftOutChances(examples: readonly IntentExample[]): number[][] {
  const groups = [...new Set(examples.map(({ group }) => group))];
  const folds = examples.map(({ group }) => groups.indexOf(group) % FOLDS);
  const found: number[][] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = fitIntents(examples.filter((_, i) => folds[i] !== fold));
    examples.forEach((example, i) => {
      if (folds[i] === fold) found[i] = chancesOf(weights, example);
    });
  }
  return found;
}
