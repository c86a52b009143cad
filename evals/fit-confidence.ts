// Fits the score of a candidate (`FIT` in `src/recall/calibrate.ts`): a logistic model of right candidates against small
// talk, messages that need nothing, messages of other libraries and forbidden skills. Prints the weights fitted on
// everything, and what each threshold shows rightly and wrongly when the library (of the whole set: the source) that is
// measured was left out.
//
//     npm run evals -- fit-confidence SETS SKILLS [SETS SKILLS ...] [--encoder] [--cache FOLDER]
//       [--only INPUT,INPUT] [--pull 0.003]
//
// SETS has the files of `data-sets.ts`. `--encoder` fits `FIT_ENCODED`; `--cache` keeps the encoder's vectors. With
// `--only` the weights of other inputs stay as they are: messages that the encoder or the table of words was trained on
// must not fit the weights of meaning. `--pull` pulls towards the present weights instead of 0, so that made libraries only
// correct what real messages taught. Nothing is written; the weights are carried into the table by hand.

import { parseArgs } from "node:util";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import { BUNDLED_DOUBT, FIT_INPUTS, fitInputs, fitWeights } from "../src/recall/calibrate.ts";
import { INTENTS, type Intent } from "../src/recall/intent.ts";
import { closenessAmong, ordered, standingOf } from "../src/recall/rank.ts";
import { type Asked, askedIn, fittingLibraries, readSets } from "./data-sets.ts";
import {
  buildLibrary,
  bundledSkills,
  type EvalLibrary,
  encodeSkills,
  glossary,
  nameOf,
  prepare,
  readSkills,
  tablePath,
} from "./harness.ts";
import {
  chancesOf,
  fitIntents,
  intentExample,
  intentMessages,
  intentMessagesOf,
  leftOutChances,
} from "./intent-model.ts";

const FIT = { ridge: 3e-5, steps: 12, places: 5 } as const;
/** A forbidden message of a rare length counts at most so many times. */
const MOST_MATCHED = 5;
const THRESHOLDS = [0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.27, 0.35, 0.45];

/** How much each kind of message weighs, small libraries of everyday messages most: that is what people have. */
const WORTH: Readonly<Record<string, number>> = {
  "everyday own": 3,
  "everyday none": 1.5,
  "everyday other": 1,
  "everyday talk": 1.5,
  "small own": 2,
  "small other": 1,
  "small talk": 1,
  "all own": 2,
  "all talk": 1.5,
  "everyday not": 2,
  "small not": 0.5,
  "all not": 0.5,
  requests: 0.5,
};

interface Example {
  readonly asked: Asked;
  /** The inputs of the first candidates, best first, and whether each is right; of forbidden ones, only those. */
  readonly inputs: readonly Float64Array[];
  readonly right: readonly boolean[];
  /** What is taken from each candidate's points before they are fitted. */
  readonly doubts: readonly number[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    encoder: { type: "boolean", default: false },
    only: { type: "string" },
    pull: { type: "string" },
    cache: { type: "string", default: "node_modules/.cache/repertoire-evals" },
  },
});
if (positionals.length === 0 || positionals.length % 2 === 1)
  throw new Error(
    "fit-confidence: name a folder with sets and one with their skills, once or several times.",
  );
const embedder = createLocalEmbedder({ tablePath });
const folders = positionals.flatMap((path, i) =>
  i % 2 === 0 ? { sets: readSets(path), skills: positionals[i + 1]! } : [],
);
const messages = folders.flatMap(({ sets }) => sets.messages);
const forbidden = folders.flatMap(({ sets }) => sets.forbidden);
const copies = new Map(folders.flatMap(({ sets }) => Object.entries(sets.duplicates)));
const same = (id: string) => copies.get(id) ?? id;

/** Intents from a model that has not seen the message. */
const intents = new Map<string, number[]>();
{
  const own = intentMessages().map((m, i) => ({ ...m, group: `own ${m.intent} ${i % 5}` }));
  const asked = [...messages.filter(({ gold }) => gold.length > 0), ...forbidden];
  const rest = messages.filter(({ gold }) => gold.length === 0);
  const examples = [...own, ...intentMessagesOf(asked)].map((message) =>
    intentExample(message, { embedder, glossary }),
  );
  for (const [i, chances] of leftOutChances(examples).entries()) intents.set(examples[i]!.text, chances);
  const none = rest.map(({ query }) =>
    intentExample({ text: query, intent: "talk", group: "rest" }, { embedder, glossary }),
  );
  const weights = fitIntents(examples);
  for (const one of none) intents.set(one.text, chancesOf(weights, one));
}

async function exampleOf(library: EvalLibrary, asked: Asked): Promise<Example> {
  const { probe, candidates } = await prepare(library, asked.message.query);
  const { measures, points, kept, runnerUp } = ordered(probe, candidates);
  const found = intents.get(asked.message.query);
  const chances =
    found && (Object.fromEntries(INTENTS.map((name, i) => [name, found[i]!])) as Record<Intent, number>);
  const intent = chances && { intent: "work" as const, chances };
  const gold = new Set((asked.kind === "own" ? asked.message.gold : []).map(same));
  const not = new Set((asked.message.not ?? []).map(same));
  const isForbidden = (place: number) => not.has(same(nameOf(library, candidates[place]!.id)));
  const places = kept.map(({ place }) => points[place]!);
  const first = kept
    .slice(0, FIT.places)
    .map((one, k) => ({ ...one, k }))
    .filter(({ place }) => asked.kind !== "not" || isForbidden(place));
  const closeness = closenessAmong(candidates);
  return {
    asked,
    inputs: first.map(({ place, k }) => {
      const standing = standingOf(places, k, runnerUp);
      const close = closeness(place);
      const inputs = fitInputs(probe, { measures: measures[place]!, close, standing }, intent);
      return Float64Array.from([...FIT_INPUTS.map((input) => inputs[input]), 1]);
    }),
    doubts: first.map(({ place }) =>
      nameOf(library, candidates[place]!.id).startsWith("bundled/") ? BUNDLED_DOUBT : 0,
    ),
    right: first.map(({ place, duplicates }) =>
      [candidates[place]!.id, ...duplicates].some((doc) => gold.has(same(nameOf(library, doc)))),
    ),
  };
}

/**
 * Messages of one library, kind and source share one vote's root. Forbidden messages are shorter than right ones: each length has the
 * same share of both, or the score would only count words.
 */
function votesOf(examples: readonly Example[]): number[] {
  const sizes = new Map<string, number>();
  const sums = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, value: number) =>
    to.set(key, (to.get(key) ?? 0) + value);
  const group = ({ asked }: Example) =>
    `${asked.family} ${asked.kind}|${asked.library}|${asked.message.source}`;
  const kind = ({ asked }: Example) =>
    asked.message.group === "requests" ? "requests" : `${asked.family} ${asked.kind}`;
  const band = ({ asked }: Example) => Math.min(6, Math.floor(asked.message.query.split(/\s+/).length / 3));
  for (const e of examples) add(sizes, group(e), 1);
  const votes = examples.map((e) => 1 / Math.sqrt(sizes.get(group(e))!));
  const bands = new Map<string, number>();
  for (const [i, e] of examples.entries())
    for (const key of [kind(e), `${kind(e)} ${band(e)}`]) add(bands, key, votes[i]!);
  const share = (of: string, e: Example) => (bands.get(`${of} ${band(e)}`) ?? 0) / (bands.get(of) ?? 1);
  const matched = votes.map((vote, i) => {
    const e = examples[i]!;
    if (e.asked.kind !== "not") return vote;
    return vote * Math.min(MOST_MATCHED, share(`${e.asked.family} own`, e) / share(kind(e), e));
  });
  for (const [i, e] of examples.entries()) add(sums, kind(e), matched[i]!);
  return matched.map(
    (vote, i) => (vote * (WORTH[kind(examples[i]!)] ?? 0)) / Math.max(1e-9, sums.get(kind(examples[i]!))!),
  );
}

const only = values.only?.split(",");
/** Whether the weight of an input, or of the constant behind them, is fitted. */
const isFree = [...FIT_INPUTS, "bias" as const].map((input) => only?.includes(input) ?? true);
const present = fitWeights(values.encoder);
const ridge = values.pull === undefined ? FIT.ridge : Number(values.pull);
/** Where the ridge pulls a weight. */
const centre = (i: number) => (values.pull === undefined ? 0 : (present[FIT_INPUTS[i]!] ?? 0));

/** Newton's method, which needs a dozen steps. */
function fitLogistic(examples: readonly Example[]): Float64Array {
  const votes = votesOf(examples);
  const total = votes.reduce((sum, vote, i) => sum + vote * examples[i]!.inputs.length, 0);
  const size = FIT_INPUTS.length + 1;
  const weights = Float64Array.from([...FIT_INPUTS, "bias" as const], (input, i) =>
    isFree[i] && values.pull === undefined ? 0 : present[input],
  );
  for (let step = 0; step < FIT.steps; step++) {
    const gradient = weights.map((weight, i) => (i === size - 1 ? 0 : ridge * (weight - centre(i))));
    const curvature = Array.from(gradient, (_, i) => {
      const row = new Float64Array(size);
      row[i] = ridge;
      return row;
    });
    examples.forEach(({ inputs, right, doubts }, e) => {
      const vote = votes[e]! / total;
      for (let k = 0; k < inputs.length; k++) {
        const row = inputs[k]!;
        let points = -doubts[k]!;
        for (let i = 0; i < size; i++) points += row[i]! * weights[i]!;
        const chance = 1 / (1 + Math.exp(-points));
        const pull = vote * (chance - Number(right[k]));
        const bend = vote * chance * (1 - chance);
        for (let i = 0; i < size; i++) {
          gradient[i]! += pull * row[i]!;
          const into = curvature[i]!;
          const scaled = bend * row[i]!;
          for (let j = 0; j <= i; j++) into[j]! += scaled * row[j]!;
        }
      }
    });
    isFree.forEach((free, i) => {
      if (free) return;
      gradient[i] = 0;
      for (let j = 0; j < size; j++) {
        curvature[i]![j] = Number(i === j);
        if (j !== i) curvature[j]![i] = 0;
      }
    });
    solve(curvature, gradient).forEach((move, i) => {
      weights[i]! -= move;
    });
  }
  return weights;
}

/** Solves `matrix * x = values` by Cholesky's method; only the lower half of the matrix is read, and both are overwritten. */
function solve(matrix: readonly Float64Array[], values: Float64Array): Float64Array {
  const size = values.length;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i]![j]!;
      for (let k = 0; k < j; k++) sum -= matrix[i]![k]! * matrix[j]![k]!;
      matrix[i]![j] = i === j ? Math.sqrt(sum) : sum / matrix[j]![j]!;
    }
    for (let k = 0; k < i; k++) values[i]! -= matrix[i]![k]! * values[k]!;
    values[i]! /= matrix[i]![i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) values[i]! -= matrix[k]![i]! * values[k]!;
    values[i]! /= matrix[i]![i]!;
  }
  return values;
}

/** The scores of a message's candidates, each at most that of a better place. */
function scoresOf({ inputs, doubts }: Example, weights: Float64Array): number[] {
  let most = 1;
  return inputs.map((row, k) => {
    const points = row.reduce((sum, value, i) => sum + value * weights[i]!, -doubts[k]!);
    most = Math.min(most, 1 / (1 + Math.exp(-points)));
    return most;
  });
}

const examples: Example[] = [];
const encoding = values.encoder
  ? await encodeSkills(
      [...folders.flatMap(({ skills }) => readSkills(skills)), ...bundledSkills()],
      values.cache,
    )
  : undefined;
for (const { sets, skills } of folders)
  for (const library of fittingLibraries(sets, skills)) {
    const index = await buildLibrary(library.skills, embedder, encoding);
    for (const asked of askedIn(sets, library, intentMessages()))
      examples.push(await exampleOf(index, asked));
  }
console.log(examples.length, "messages in libraries");

const weights = fitLogistic(examples);
console.log(
  "weights",
  Object.fromEntries([...FIT_INPUTS, "bias"].map((input, i) => [input, Number(weights[i]!.toFixed(2))])),
);

const leftOut = ({ asked }: Example) =>
  asked.family === "all" ? `source ${asked.message.source}` : `library ${asked.library}`;
const scores = new Map<Example, number[]>();
for (const part of new Set(examples.map(leftOut))) {
  const without = fitLogistic(
    examples.filter((e) => leftOut(e) !== part && `source ${e.asked.message.source}` !== part),
  );
  for (const e of examples.filter((one) => leftOut(one) === part)) scores.set(e, scoresOf(e, without));
}
const groupOf = ({ asked }: Example) =>
  `${asked.family} ${asked.kind === "talk" || asked.message.group === "requests" ? asked.message.source : asked.kind === "own" && asked.family === "all" ? asked.message.group : asked.kind}`;
const groups = [...new Set(examples.map(groupOf))].sort();
console.log("\nleft out, % by threshold: right first / right shown / shown though nothing is right");
for (const name of groups) {
  const own = examples.filter((e) => groupOf(e) === name);
  const cells = THRESHOLDS.map((threshold) => {
    const shown = own.map((e) => e.right.slice(0, 3).filter((_, k) => scores.get(e)![k]! >= threshold));
    const share = (test: (found: readonly boolean[], e: Example) => boolean) =>
      ((100 * shown.filter((found, i) => test(found, own[i]!)).length) / own.length).toFixed(0);
    const asks = own[0]!.asked.kind === "own";
    return asks
      ? `${share((found) => found[0] === true)}/${share((found) => found.includes(true))}`
      : share((found) => found.length > 0);
  });
  console.log(
    name.padEnd(26),
    String(own.length).padStart(5),
    cells.map((cell) => cell.padStart(6)).join(" "),
  );
}
console.log("thresholds".padEnd(32), THRESHOLDS.map((t) => String(t).padStart(6)).join(" "));
