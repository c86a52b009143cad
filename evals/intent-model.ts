// Fits the intent model: softmax regression over `intentInputs`, on `evals/intent/messages.jsonl` and on further messages
// that ask for work.

import { join } from "node:path";
import type { LocalEmbedder } from "../src/embedders/local.ts";
import type { Glossary } from "../src/recall/glossary.ts";
import { INTENTS, type Intent, intentInputs } from "../src/recall/intent.ts";
import { leadText } from "../src/recall/lead.ts";
import { readLines } from "./harness.ts";

const FIT = {
  /** Pulls the weights towards 0; from 0.5 to 3 the left-out figures are the same within noise. */
  ridge: 1.5,
  steps: 150,
  rate: 0.1,
} as const;

export const FOLDS = 5;

export interface IntentExample {
  /** Messages of a group are left out together. */
  readonly group: string;
  readonly intent: Intent;
  readonly inputs: Float64Array;
  readonly text: string;
}

export interface IntentMessage {
  readonly text: string;
  readonly intent: Intent;
}

export const intentMessages = (): IntentMessage[] =>
  readLines<IntentMessage>(join(process.cwd(), "evals/intent/messages.jsonl"));

export function intentExample(
  { text, intent, group }: { text: string; intent: Intent; group: string },
  { embedder, glossary }: { embedder: LocalEmbedder; glossary: Glossary },
): IntentExample {
  const message = glossary.toEnglish(text);
  return { group, intent, text, inputs: intentInputs(message, embedder.embedOne(leadText(message.text))) };
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

/** One row of weights for each intent. */
export function fitIntents(chosen: readonly IntentExample[]): Float64Array[] {
  const size = chosen[0]!.inputs.length;
  const votes = votesOf(chosen);
  const rows = () => INTENTS.map(() => new Float64Array(size));
  const [weights, mean, square] = [rows(), rows(), rows()];
  for (let step = 1; step <= FIT.steps; step++) {
    const gradient = weights.map((row) => row.map((weight, i) => (i === size - 1 ? 0 : FIT.ridge * weight)));
    chosen.forEach(({ inputs, intent }, e) => {
      const found = chancesOf(weights, inputs);
      for (let c = 0; c < found.length; c++) {
        const pull = votes[e]! * (found[c]! - Number(INTENTS[c] === intent));
        const into = gradient[c]!;
        for (let i = 0; i < size; i++) into[i]! += pull * inputs[i]!;
      }
    });
    const rate = FIT.rate * (1 - step / (FIT.steps + 1));
    weights.forEach((row, c) => {
      for (let i = 0; i < size; i++) {
        const g = gradient[c]![i]!;
        mean[c]![i] = 0.9 * mean[c]![i]! + 0.1 * g;
        square[c]![i] = 0.99 * square[c]![i]! + 0.01 * g * g;
        const move =
          mean[c]![i]! / (1 - 0.9 ** step) / (Math.sqrt(square[c]![i]! / (1 - 0.99 ** step)) + 1e-9);
        row[i]! -= rate * move;
      }
    });
  }
  return weights;
}

export function chancesOf(weights: readonly Float64Array[], inputs: Float64Array): number[] {
  const points = weights.map((row) => {
    let sum = 0;
    for (let i = 0; i < row.length; i++) sum += row[i]! * inputs[i]!;
    return sum;
  });
  const highest = Math.max(...points);
  const odds = points.map((value) => Math.exp(value - highest));
  const total = odds.reduce((sum, value) => sum + value, 0);
  return odds.map((value) => value / total);
}

/** The chances of every example from a model that was fitted without the example's fold. */
export function leftOutChances(examples: readonly IntentExample[]): number[][] {
  const groups = [...new Set(examples.map(({ group }) => group))];
  const folds = examples.map(({ group }) => groups.indexOf(group) % FOLDS);
  const found: number[][] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = fitIntents(examples.filter((_, i) => folds[i] !== fold));
    examples.forEach(({ inputs }, i) => {
      if (folds[i] === fold) found[i] = chancesOf(weights, inputs);
    });
  }
  return found;
}
