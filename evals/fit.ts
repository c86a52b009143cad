// Fits the ranker's weights: listwise, non-negative, each source left out in turn. Prints the weights and, for each source,
// the figures of the weights that were fitted without it. Nothing is written.
//
//     npm run evals -- fit SETS SKILLS [--encoder] [--cache FOLDER]
//
// With `--encoder` the weights are those of `ENCODED_WEIGHTS`; `--cache` keeps the encoder's vectors.

import { parseArgs } from "node:util";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import { CANDIDATES } from "../src/recall/candidates.ts";
import { Measurer } from "../src/recall/features.ts";
import { FEATURES, factorOf, featureRows, gainOf, rawFeatures, wordTrust } from "../src/recall/rank.ts";
import { readSets } from "./data-sets.ts";
import {
  buildLibrary,
  type EvalLibrary,
  type EvalMessage,
  encodeSkills,
  nameOf,
  prepare,
  readSkills,
  tablePath,
} from "./harness.ts";
import { hashOf } from "./random.ts";

const FIT = {
  /** Pulls weights together if the messages cannot tell features apart. At 1e-3 a left-out source loses 1 point of Recall@5. */
  ridge: 8e-3,
  steps: 400,
  rate: 0.05,
  /** With more sources than this, such as hundreds of made libraries, sources are left out in so many groups. */
  mostFolds: 8,
  /** Candidates to learn from: with the few that an answer looks at, small libraries lose half a point of Recall@3. */
  close: 64,
} as const;

interface Place {
  library: EvalLibrary;
  small: boolean;
}

interface List {
  source: string;
  small: boolean;
  /** One row for each candidate, words already scaled by trust and meaning by its gain. */
  rows: number[][];
  /** What the penalties take from each candidate: set, not fitted. */
  offsets: number[];
  keys: string[];
  /** The first candidate that is right: what the fit pulls up. */
  gold: number;
  /** Reaching any of these counts. */
  golds: ReadonlySet<string>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    encoder: { type: "boolean", default: false },
    cache: { type: "string", default: "node_modules/.cache/repertoire-evals" },
  },
});
const [setsFolder, skillsRoot] = positionals;
if (setsFolder === undefined || skillsRoot === undefined)
  throw new Error("fit: name a folder with the sets and one with the skills.");
const embedder = createLocalEmbedder({ tablePath });
const sets = readSets(setsFolder);
const same = (id: string) => sets.duplicates[id] ?? id;

async function listOf({ library, small }: Place, message: EvalMessage, close: number): Promise<List> {
  const { probe, candidates } = await prepare(library, message.query, close);
  const measurer = new Measurer(probe);
  const measures = candidates.map((c) => measurer.measure(c.evidence));
  const trust = wordTrust(probe, measures);
  const gain = gainOf(trust, candidates);
  const rows = rawFeatures(probe, candidates, measures).map((raw) =>
    FEATURES.map((feature) => raw[feature] * factorOf(feature, { trust, gain })),
  );
  const fitted = new Set<string>(FEATURES);
  const offsets = featureRows(probe, candidates, measures).map((row, i) =>
    measures[i]!.rejected > 0
      ? Number.NEGATIVE_INFINITY
      : row.reduce((sum, c) => sum + (fitted.has(c.feature) ? 0 : c.value), 0),
  );
  const keys = candidates.map((c) => same(nameOf(library, c.id)));
  const golds = new Set(message.gold.map(same));
  const gold = keys.findIndex((key) => golds.has(key));
  return { source: message.source, small, rows, offsets, keys, gold, golds };
}

/** Minimises the mean surprise at the gold skill among its candidates; sources count by the root of their size. */
function fitWeights(lists: readonly List[]): number[] {
  const learnable = lists.filter((list) => list.gold >= 0 && Number.isFinite(list.offsets[list.gold]));
  const sizes = new Map<string, number>();
  const group = (list: List) => `${list.source}/${list.small}`;
  for (const list of learnable) sizes.set(group(list), (sizes.get(group(list)) ?? 0) + 1);
  const importance = learnable.map((list) => 1 / Math.sqrt(sizes.get(group(list))!));
  const total = importance.reduce((sum, value) => sum + value, 0);
  const weights = FEATURES.map(() => 1);
  const mean = FEATURES.map(() => 0);
  const square = FEATURES.map(() => 0);
  for (let step = 1; step <= FIT.steps; step++) {
    const gradient = weights.map((w) => 2 * FIT.ridge * w);
    learnable.forEach((list, i) => {
      addGradient(list, weights, { gradient, scale: importance[i]! / total });
    });
    weights.forEach((weight, i) => {
      mean[i] = 0.9 * mean[i]! + 0.1 * gradient[i]!;
      square[i] = 0.99 * square[i]! + 0.01 * gradient[i]! ** 2;
      const move = mean[i]! / (1 - 0.9 ** step) / (Math.sqrt(square[i]! / (1 - 0.99 ** step)) + 1e-9);
      weights[i] = Math.max(0, weight - FIT.rate * move);
    });
  }
  return weights;
}

function addGradient(
  list: List,
  weights: readonly number[],
  into: { gradient: number[]; scale: number },
): void {
  const points = pointsOf(list, weights);
  const highest = Math.max(...points);
  const odds = points.map((p) => Math.exp(p - highest));
  const sum = odds.reduce((a, b) => a + b, 0);
  list.rows.forEach((row, i) => {
    const pull = odds[i]! / sum - (i === list.gold ? 1 : 0);
    row.forEach((value, f) => {
      into.gradient[f]! += into.scale * pull * value;
    });
  });
}

function pointsOf(list: List, weights: readonly number[]): number[] {
  return list.rows.map((row, i) =>
    row.reduce((sum, value, f) => sum + value * weights[f]!, list.offsets[i]!),
  );
}

function placeOf(list: List, weights: readonly number[]): number {
  if (list.gold < 0) return Number.POSITIVE_INFINITY;
  const points = pointsOf(list, weights);
  const reached = Math.max(...points.filter((_, i) => list.golds.has(list.keys[i]!)));
  const better = list.keys.filter((_, i) => points[i]! > reached);
  return new Set(better).size + 1;
}

const skills = readSkills(skillsRoot);
const byId = new Map(skills.map((one) => [one.skill.name, one]));
const messages = sets.messages.filter(({ gold }) => gold.length > 0);
const queries = messages.filter(({ group }) => group === "queries");
const encoding = values.encoder ? await encodeSkills(skills, values.cache) : undefined;
const large = { library: await buildLibrary(skills, embedder, encoding), small: false };
const asked: { message: EvalMessage; place: Place }[] = queries.map((message) => ({
  message,
  place: large,
}));
for (const [source, ids] of Object.entries({ ...sets.libraries, ...sets.everydayLibraries })) {
  const own = ids.map((id) => byId.get(id)).filter((skill) => skill !== undefined);
  const place = { library: await buildLibrary(own, embedder, encoding), small: true };
  for (const message of messages) if (message.source === source) asked.push({ message, place });
}
const lessons: List[] = [];
const lists: List[] = [];
for (const { message, place } of asked) {
  lessons.push(await listOf(place, message, FIT.close));
  lists.push(await listOf(place, message, CANDIDATES.close));
}

const all = new Set(lists.map(({ source }) => source));
const foldOf = (source: string) =>
  all.size > FIT.mostFolds ? `group ${hashOf(source) % FIT.mostFolds}` : source;
const sources = [...new Set([...all].map(foldOf))].sort();
const fitted = new Map(
  sources.map((source) => [source, fitWeights(lessons.filter((l) => foldOf(l.source) !== source))]),
);
for (const small of [false, true]) {
  console.log(
    `\n${small ? "small libraries" : `${skills.length} skills`}: Hit@1 Recall@3 Recall@5, source left out`,
  );
  const macro = [0, 0, 0];
  for (const source of sources) {
    const places = lists
      .filter((l) => foldOf(l.source) === source && l.small === small)
      .map((l) => placeOf(l, fitted.get(source)!));
    const shares = [1, 3, 5].map((k) => places.filter((p) => p <= k).length / places.length);
    shares.forEach((value, i) => {
      macro[i]! += value / sources.length;
    });
    console.log(source.padEnd(22), ...shares.map((s) => (100 * s).toFixed(1)));
  }
  console.log("macro".padEnd(22), ...macro.map((s) => (100 * s).toFixed(1)));
}
const mean = FEATURES.map((_, f) => sources.reduce((sum, s) => sum + fitted.get(s)![f]!, 0) / sources.length);
console.log("\nweights", Object.fromEntries(FEATURES.map((f, i) => [f, Number(mean[i]!.toFixed(2))])));
