// Fits the prose classifier of inspection, and prints how well it does on each corpus when that corpus is left out.
//
//     npm run evals -- fit-inspect CORPORA [--write] [--show N]
//
// CORPORA has `index.jsonl` (see inspect.ts). Hostile examples are the clauses of `evals/inspect/malicious.tsv`, and of each malicious
// package the clause that the model so far finds most hostile. Harmless ones are `evals/inspect/benign.tsv` and all clauses of benign
// packages. Real skills are split by repository: figures on them come from repositories that the fit has not seen. `--write` writes
// `src/inspect/prose/weights.ts`, fitted on everything; `--show N` prints the most hostile clauses of real skills.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { documentUnits } from "../src/inspect/document.ts";
import type { FindingSeverity } from "../src/inspect/inspect.ts";
import { CLAUSE_FEATURES, worstSeverity } from "../src/inspect/prose/features.ts";
import { clausesOf } from "../src/inspect/prose/prose.ts";
import { fileLines } from "../src/inspect/read.ts";
import { readLines } from "./harness.ts";

interface LabelledPackage {
  readonly corpus: string;
  readonly label: "malicious" | "benign";
  readonly category?: string | null;
  readonly family?: string;
  readonly path: string;
}

interface Sample {
  readonly text: string;
  readonly features: readonly number[];
  readonly most: FindingSeverity;
}

/** A package, or one clause of our own as a package. */
interface Bag {
  readonly corpus: string;
  readonly hostile: boolean;
  /** What is left out together: the corpus, or the repository of a real skill. */
  readonly group: string;
  /** How much it counts in the fit: packages of one family share one weight. */
  readonly weight: number;
  readonly samples: readonly Sample[];
}

type Thresholds = Readonly<Record<FindingSeverity, number>>;

interface Model {
  readonly bias: number;
  readonly weights: Float64Array;
}

const FIT = {
  rounds: 300,
  rate: 0.3,
  /** Strength of the prior that a weight is 0. */
  ridge: 0.7,
  /** Harmless clauses weigh as much together as this many hostile ones. */
  harmlessWeight: 900,
  /** Times that the hostile clause of each malicious package is chosen anew. */
  passes: 3,
  folds: 5,
  /** Share of real skills that may have a finding of this severity, on the skills of the fit. */
  alarms: { high: 0.0008, medium: 0.0045, low: 0.015 },
} as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false }, show: { type: "string" } },
});
const [corpora] = positionals;
if (corpora === undefined) throw new Error("Name the folder with the corpora: it has a file index.jsonl.");

const SEVERITIES: readonly FindingSeverity[] = ["low", "medium", "high"];
const NUMBER = new Map(CLAUSE_FEATURES.map((feature, at) => [feature, at]));
const bags = [...ownBags("malicious"), ...ownBags("benign"), ...packageBags(corpora)];
const isReal = ({ corpus }: Bag) => corpus.startsWith("real-");
console.log(
  `${bags.length} bags, ${bags.reduce((sum, bag) => sum + bag.samples.length, 0)} clauses with a sign`,
);

const real = bags.filter(isReal);
const labelled = bags.filter((bag) => !isReal(bag));
const foldOf = (group: string) =>
  group === "real-files tn" ? 0 : group === "real-files gm" ? 1 : 2 + (hash(group) % (FIT.folds - 2));

console.log("\nleft out: share of hostile bags at each severity, and of harmless ones");
for (const group of new Set(labelled.map((bag) => bag.group))) {
  const train = bags.filter((bag) => bag.group !== group);
  const model = fitModel(train);
  const limits = thresholdsOf(model, train.filter(isReal));
  report(
    group,
    labelled.filter((bag) => bag.group === group),
    model,
    limits,
  );
}
{
  const train = bags.filter(({ corpus }) => corpus !== "own");
  const model = fitModel(train);
  report(
    "own, without any of it",
    bags.filter(({ corpus }) => corpus === "own"),
    model,
    thresholdsOf(model, train.filter(isReal)),
  );
}
for (let fold = 0; fold < FIT.folds; fold++) {
  const train = bags.filter((bag) => !isReal(bag) || foldOf(bag.group) !== fold);
  const model = fitModel(train);
  const limits = thresholdsOf(model, train.filter(isReal));
  report(
    `real skills, fold ${fold}`,
    real.filter((bag) => foldOf(bag.group) === fold),
    model,
    limits,
  );
}

const model = fitModel(bags);
const limits = thresholdsOf(model, real);
for (const group of new Set(bags.map(({ corpus }) => corpus)))
  report(
    `${group}, in the fit`,
    bags.filter(({ corpus }) => corpus === group),
    model,
    limits,
  );
if (values.show !== undefined) show(Number(values.show), model);
if (values.write) write(model, limits);

function report(title: string, part: readonly Bag[], fitted: Model, bounds: Thresholds): void {
  for (const hostile of [true, false]) {
    const rows = part.filter((bag) => bag.hostile === hostile);
    if (rows.length === 0) continue;
    const share = (severity: FindingSeverity) =>
      `${((100 * rows.filter((bag) => worst(fitted, bag, severity) >= bounds[severity]).length) / rows.length).toFixed(2)}%`;
    console.log(
      `${hostile ? "hostile " : "harmless"} ${title.padEnd(26)} ${String(rows.length).padStart(5)}  medium+ ${share("medium")}  high ${share("high")}  low+ ${share("low")}`,
    );
  }
}

function show(most: number, fitted: Model): void {
  const list = (hostile: boolean, of: readonly Bag[]) => {
    const rows = of
      .filter((bag) => bag.hostile === hostile)
      .flatMap((bag) => bag.samples.map((sample) => ({ bag, sample, p: probability(fitted, sample) })));
    return rows.sort((a, b) => b.p - a.p);
  };
  const line = ({ bag, sample, p }: { bag: Bag; sample: Sample; p: number }) =>
    console.log(
      p.toFixed(3),
      bag.group,
      "|",
      sample.text.slice(0, 220),
      "|",
      sample.features.map((at) => CLAUSE_FEATURES[at]).join(" "),
    );
  console.log("\n# most hostile clauses of real skills");
  for (const row of list(false, real).slice(0, most)) line(row);
  console.log("\n# most hostile of our own harmless ones");
  for (const row of list(false, labelled).slice(0, most)) line(row);
  console.log("\n# least hostile of our own hostile ones");
  for (const row of list(
    true,
    labelled.filter(({ corpus }) => corpus === "own"),
  ).slice(-most))
    line(row);
  const silent = labelled.filter(
    ({ hostile, samples, corpus }) => hostile && corpus === "own" && samples.length === 0,
  );
  console.log(`\n# ${silent.length} of our own hostile ones without any core sign`);
}

function write(fitted: Model, bounds: Thresholds): void {
  const rows = CLAUSE_FEATURES.map((feature, at) => [feature, fitted.weights[at]!] as const)
    .filter(([, weight]) => Math.abs(weight) >= 0.02)
    .map(
      ([feature, weight]) =>
        `  ${/^[a-zA-Z]+$/.test(feature) ? feature : JSON.stringify(feature)}: ${weight.toFixed(2)},`,
    );
  const text = `// The weights of the prose classifier, written by \`npm run evals -- fit-inspect CORPORA --write\`. Do not edit by hand.

export const BIAS = ${fitted.bias.toFixed(2)};

/** Natural logarithm of how much likelier a clause with the feature is hostile. */
export const WEIGHTS: Readonly<Record<string, number>> = {
${rows.join("\n")}
};

/** The least probability for a finding of each severity. */
export const THRESHOLDS = { low: ${bounds.low.toFixed(3)}, medium: ${bounds.medium.toFixed(3)}, high: ${bounds.high.toFixed(3)} } as const;
`;
  writeFileSync("src/inspect/prose/weights.ts", text);
}

/** The probabilities that only the given share of real skills reaches. */
function thresholdsOf(fitted: Model, skills: readonly Bag[]): Thresholds {
  const at = (severity: FindingSeverity) => {
    const sorted = skills.map((bag) => worst(fitted, bag, severity)).sort((a, b) => b - a);
    return Math.max(0.3, sorted[Math.floor(FIT.alarms[severity] * sorted.length)]! + 1e-6);
  };
  const medium = at("medium");
  return { low: at("low"), medium, high: Math.max(medium, at("high")) };
}

/** The highest probability of a clause that can be a finding of this severity. */
function worst(fitted: Model, { samples }: Bag, severity: FindingSeverity): number {
  let highest = 0;
  for (const sample of samples)
    if (SEVERITIES.indexOf(sample.most) >= SEVERITIES.indexOf(severity))
      highest = Math.max(highest, probability(fitted, sample));
  return highest;
}

function probability({ bias, weights }: Model, { features }: Sample): number {
  let sum = bias;
  for (const at of features) sum += weights[at]!;
  return 1 / (1 + Math.exp(-sum));
}

/** Chooses the hostile clause of each malicious package, fits, and chooses again. */
function fitModel(train: readonly Bag[]): Model {
  const own = train.filter(({ corpus }) => corpus === "own");
  const packages = train.filter(({ corpus, hostile }) => corpus !== "own" && hostile);
  const harmless = train.filter(({ hostile, corpus }) => !hostile && corpus !== "own");
  let fitted: Model = { bias: -3, weights: new Float64Array(CLAUSE_FEATURES.length) };
  for (let pass = 0; pass < FIT.passes; pass++) {
    const chosen = packages.flatMap(({ samples, weight }) => {
      if (pass === 0 && own.length > 0) return [];
      const best = samples.toSorted((a, b) => probability(fitted, b) - probability(fitted, a))[0];
      return best && (own.length === 0 || probability(fitted, best) > 0.5) ? [{ sample: best, weight }] : [];
    });
    fitted = logistic(
      [
        ...own
          .filter(({ hostile }) => hostile)
          .flatMap(({ samples }) => samples.map((sample) => ({ sample, weight: 1 }))),
        ...chosen,
      ],
      [
        ...own
          .filter(({ hostile }) => !hostile)
          .flatMap(({ samples }) => samples.map((sample) => ({ sample, weight: 2 }))),
        ...evenly(harmless),
      ],
    );
  }
  return fitted;
}

function evenly(harmless: readonly Bag[]): { sample: Sample; weight: number }[] {
  const count = harmless.reduce((sum, { samples }) => sum + samples.length, 0);
  const weight = FIT.harmlessWeight / Math.max(1, count);
  return harmless.flatMap(({ samples }) => samples.map((sample) => ({ sample, weight })));
}

/** Logistic regression by gradient descent with a step per weight. */
function logistic(
  hostile: readonly { sample: Sample; weight: number }[],
  harmless: readonly { sample: Sample; weight: number }[],
): Model {
  const rows = [...merged(hostile, 1), ...merged(harmless, 0)];
  const weights = new Float64Array(CLAUSE_FEATURES.length);
  const squares = new Float64Array(CLAUSE_FEATURES.length).fill(1);
  let bias = -2;
  let biasSquare = 1;
  for (let round = 0; round < FIT.rounds; round++) {
    const slope = Float64Array.from(weights, (weight) => FIT.ridge * weight);
    let biasSlope = 0;
    for (const { sample, weight, y } of rows) {
      const error = weight * (probability({ bias, weights }, sample) - y);
      biasSlope += error;
      for (const at of sample.features) slope[at]! += error;
    }
    for (let at = 0; at < weights.length; at++) {
      squares[at]! += slope[at]! ** 2;
      weights[at]! -= (FIT.rate * 3 * slope[at]!) / Math.sqrt(squares[at]!);
    }
    biasSquare += biasSlope ** 2;
    bias -= (FIT.rate * 3 * biasSlope) / Math.sqrt(biasSquare);
  }
  return { bias, weights };
}

/** Clauses with the same features as one row. */
function merged(rows: readonly { sample: Sample; weight: number }[], y: number) {
  const byFeatures = new Map<string, { sample: Sample; weight: number; y: number }>();
  for (const { sample, weight } of rows) {
    const key = sample.features.join();
    const known = byFeatures.get(key);
    if (known) known.weight += weight;
    else byFeatures.set(key, { sample, weight, y });
  }
  return [...byFeatures.values()];
}

function ownBags(label: "malicious" | "benign"): Bag[] {
  return readFileSync(`evals/inspect/${label}.tsv`, "utf8")
    .split("\n")
    .filter((line) => line.includes("\t"))
    .map((line, at) => ({
      corpus: "own",
      group: `own ${at % FIT.folds}`,
      hostile: label === "malicious",
      weight: 1,
      samples: samplesOf(line.split("\t")[1]!),
    }));
}

function packageBags(folder: string): Bag[] {
  const packages = readLines<LabelledPackage>(join(folder, "index.jsonl"));
  const families = new Map<string, number>();
  for (const { family = "" } of packages) families.set(family, (families.get(family) ?? 0) + 1);
  return packages.map(({ corpus, label, category, family = "", path }) => ({
    corpus,
    hostile: label === "malicious",
    group: corpus.startsWith("real-") ? `${corpus} ${category ?? ""}` : corpus.replace(/-tests$/, ""),
    weight: 1 / Math.sqrt(families.get(family) ?? 1),
    samples: documentsOf(path).flatMap((text) => samplesOf(text)),
  }));
}

function samplesOf(text: string): Sample[] {
  const { lines } = fileLines(Buffer.from(text), 512_000);
  return [...clausesOf(documentUnits(lines))].map((clause) => ({
    text: clause.text,
    features: clause.features.map((feature) => NUMBER.get(feature)!),
    most: worstSeverity(clause.features),
  }));
}

function documentsOf(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:md|mdx|markdown|txt)$/i.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .filter((text) => text.length < 512_000 && relative("/", root) !== "");
}

function hash(text: string): number {
  let value = 0;
  for (const char of text) value = (value * 31 + char.codePointAt(0)!) >>> 0;
  return value;
}
