// Owns fitting the confidence: two logistics, non-negative, of right matches against messages that were written for
// another library and against small talk. Prints the weights and, by threshold, what is kept and what still speaks.
// `fit-confidence.ts SHARED SKILLS`; nothing is written anywhere.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import {
  CONFIDENCE,
  confidenceParts,
  heldShare,
  PARAPHRASE,
  paraphraseParts,
} from "../src/recall/calibrate.ts";
import { Measurer } from "../src/recall/features.ts";
import { closenessOf, rank } from "../src/recall/rank.ts";
import {
  buildLibrary,
  type EvalLibrary,
  type EvalMessage,
  type EvalSkill,
  nameOf,
  ownSkills,
  prepare,
  readLines,
  readSkills,
} from "./harness.ts";

const FIT = {
  /** Small enough that every part stays free, large enough that none runs away. */
  ridge: 3e-3,
  steps: 2500,
  rate: 0.02,
  /** Of the messages for other libraries every third is enough. */
  foreignEvery: 3,
  /** Every so many skills give short pseudo-messages: the name in words, the first words of the description. */
  pseudoEvery: { small: 3, all: 40 },
  pseudoWords: [3, 5],
  /** Meaning alone is fitted where words say little: less than this is held of few terms. */
  littleHeld: 0.35,
  fewTerms: [3, 9],
  thresholds: [0.1, 0.2, 0.22, 0.25, 0.27, 0.28, 0.32, 0.36, 0.4, 0.5, 0.6],
} as const;

/** Libraries about the same things: a message for the one may well fit the other. */
const KIN: readonly (readonly string[])[] = [["dotnet-evals", "dotnet-artisan"]];
/** Tasks about software of any kind fit any library a little. */
const GENERAL = "swe-skills-bench";
const OWN = "own";
const PSEUDO = "pseudo";

type Kind = "right" | "wrong" | "foreign" | "talk";

interface Example {
  kind: Kind;
  library: string;
  source: string;
  words: number[];
  meaning: number[];
  held: number;
  terms: number;
  score: number;
}

const WORDS = Object.keys(CONFIDENCE).filter((part) => part !== "bias");
const MEANING = Object.keys(PARAPHRASE).filter((part) => part !== "bias");

const [shared, skillsRoot] = process.argv.slice(2);
if (shared === undefined || skillsRoot === undefined) {
  throw new Error(
    "fit-confidence: two folders are needed, one with queries.jsonl and one with the skills it speaks of.",
  );
}
const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const embedder = createLocalEmbedder({ tablePath: join(process.cwd(), "data/embedding/table.bin") });
const copies = json(join(shared, "duplicates.json")) as Record<string, string>;
const same = (id: string) => copies[id] ?? id;

/** The best match's evidence for one message. A right one has its gold among the first three. */
function exampleOf(
  library: EvalLibrary,
  message: { query: string; gold?: string[] },
  origin: { kind: "own" | "foreign" | "talk"; library: string; source: string },
): Example | undefined {
  const { probe, candidates } = prepare(library, message.query);
  const ranked = rank(probe, candidates);
  const place = candidates.findIndex((c) => c.id === ranked[0]?.id);
  if (place < 0) return undefined;
  const close = closenessOf(candidates, place) ?? { meaning: 0, distinct: 0 };
  const measures = new Measurer(probe).measure(candidates[place]!.evidence);
  const words: Record<string, number> = confidenceParts(probe, measures, close);
  const meaning: Record<string, number> = paraphraseParts(probe, close);
  const gold = new Set((message.gold ?? []).map(same));
  const found = ranked
    .slice(0, 3)
    .some((r) => [r.id, ...r.duplicates].some((doc) => gold.has(same(nameOf(library, doc)))));
  return {
    ...origin,
    kind: origin.kind !== "own" ? origin.kind : found ? "right" : "wrong",
    words: WORDS.map((part) => words[part]!),
    meaning: MEANING.map((part) => meaning[part]!),
    held: heldShare(probe, measures),
    terms: probe.terms.length,
    score: ranked[0]!.score,
  };
}

/** Messages of one library and source share one vote's root; right and wrong weigh the same in all. */
function votesOf(examples: readonly Example[]): number[] {
  const group = (e: Example) => `${e.kind}/${e.library}/${e.source}`;
  const sizes = new Map<string, number>();
  for (const e of examples) sizes.set(group(e), (sizes.get(group(e)) ?? 0) + 1);
  const votes = examples.map((e) => 1 / Math.sqrt(sizes.get(group(e))!));
  const total = (right: boolean) =>
    votes.reduce((sum, vote, i) => sum + ((examples[i]!.kind === "right") === right ? vote : 0), 0);
  const totals = { right: total(true), other: total(false) };
  return votes.map((vote, i) => vote / (examples[i]!.kind === "right" ? totals.right : totals.other));
}

function fitLogistic(examples: readonly Example[], partsOf: (e: Example) => readonly number[]): number[] {
  const votes = votesOf(examples);
  const bias = partsOf(examples[0]!).length;
  const weights = new Array<number>(bias + 1).fill(0);
  const mean = weights.map(() => 0);
  const square = weights.map(() => 0);
  for (let step = 1; step <= FIT.steps; step++) {
    const gradient = weights.map((w, i) => (i === bias ? 0 : 2 * FIT.ridge * w));
    examples.forEach((e, i) => {
      const parts = partsOf(e);
      const points = parts.reduce((total, value, p) => total + value * weights[p]!, weights[bias]!);
      const pull = votes[i]! * (1 / (1 + Math.exp(-points)) - (e.kind === "right" ? 1 : 0));
      parts.forEach((value, p) => {
        gradient[p]! += pull * value;
      });
      gradient[bias]! += pull;
    });
    weights.forEach((weight, i) => {
      mean[i] = 0.9 * mean[i]! + 0.1 * gradient[i]!;
      square[i] = 0.99 * square[i]! + 0.01 * gradient[i]! ** 2;
      const move = mean[i]! / (1 - 0.9 ** step) / (Math.sqrt(square[i]! / (1 - 0.99 ** step)) + 1e-9);
      const next = weight - FIT.rate * move;
      weights[i] = i === bias ? next : Math.max(0, next);
    });
  }
  return weights;
}

const named = (parts: readonly string[], weights: readonly number[]) =>
  Object.fromEntries([...parts, "bias"].map((part, i) => [part, Number(weights[i]!.toFixed(2))]));

const skills = readSkills(skillsRoot);
const byName = new Map(skills.map((one) => [one.skill.name, one]));
const messages = readLines<EvalMessage>(join(shared, "queries.jsonl"));
const ownMessages = readLines<EvalMessage>(join(process.cwd(), "evals/own/messages.jsonl"));
const talk = [
  ...ownMessages.filter(({ kind }) => kind === "small-talk"),
  ...readLines<EvalMessage>(join(process.cwd(), "evals/own/smalltalk.jsonl")),
];
const libraries = [
  ...Object.entries(json(join(shared, "libraries.json")) as Record<string, string[]>).map(([name, ids]) => ({
    name,
    skills: ids.flatMap((id) => byName.get(id) ?? []),
  })),
  { name: OWN, skills: ownSkills(join(process.cwd(), "evals/own/skills.json")) },
  { name: "all", skills },
];
function pseudoMessages(held: readonly EvalSkill[], every: number) {
  return held
    .filter((_, i) => i % every === 0)
    .flatMap(({ skill: { name, displayName, manifest } }) => [
      { query: displayName.replace(/[-_/:]/g, " "), gold: [name] },
      ...FIT.pseudoWords.map((count) => ({
        query: manifest.description.split(/\s+/).slice(0, count).join(" "),
        gold: [name],
      })),
    ]);
}

const isKin = (a: string, b: string) => KIN.some((kin) => kin.includes(a) && kin.includes(b));

const examples: Example[] = [];
for (const { name, skills: held } of libraries) {
  const library = await buildLibrary(held, embedder);
  const add = (
    message: { query: string; gold?: string[] },
    kind: "own" | "foreign" | "talk",
    source: string,
  ) => {
    const example = exampleOf(library, message, { kind, library: name, source });
    if (example !== undefined) examples.push(example);
  };
  messages.forEach((m, i) => {
    if (name === "all" || m.source === name) add(m, "own", m.source);
    else if (i % FIT.foreignEvery === 0 && m.source !== GENERAL && !isKin(m.source, name))
      add(m, "foreign", m.source);
  });
  for (const m of ownMessages.filter(({ kind }) => kind !== "small-talk")) {
    if (name === OWN) add(m, "own", `${OWN}-${m.kind}`);
    else if (name !== "all") add(m, "foreign", OWN);
  }
  for (const m of pseudoMessages(held, FIT.pseudoEvery[name === "all" ? "all" : "small"]))
    add(m, "own", PSEUDO);
  for (const m of talk) add(m, "talk", "talk");
}

const isParaphrase = ({ source }: Example) => source === `${OWN}-paraphrase`;
const forWords = examples.filter((e) => e.kind !== "wrong" && !isParaphrase(e));
const [least, most] = FIT.fewTerms;
const forMeaning = examples.filter(
  (e) =>
    e.held < FIT.littleHeld &&
    e.terms >= least &&
    e.terms <= most &&
    (e.kind === "right" ? e.library === OWN : e.kind !== "wrong"),
);
console.log(
  "words",
  named(
    WORDS,
    fitLogistic(forWords, (e) => e.words),
  ),
);
console.log(
  "meaning",
  named(
    MEANING,
    fitLogistic(forMeaning, (e) => e.meaning),
  ),
);
console.log("\nlanded scores, % at or above each threshold");
console.log("threshold  right, small  right, all  pseudo  paraphrases  other library  small talk");
for (const threshold of FIT.thresholds) {
  const above = (choose: (e: Example) => boolean) => {
    const chosen = examples.filter(choose);
    return ((100 * chosen.filter((e) => e.score >= threshold).length) / Math.max(1, chosen.length)).toFixed(
      1,
    );
  };
  const isSmall = (e: Example) => e.library !== "all" && e.library !== OWN && e.source !== PSEUDO;
  console.log(
    threshold.toFixed(2),
    above((e) => e.kind === "right" && isSmall(e)),
    above((e) => e.kind === "right" && e.library === "all" && e.source !== PSEUDO),
    above((e) => e.kind === "right" && e.source === PSEUDO),
    above((e) => e.kind === "right" && isParaphrase(e)),
    above((e) => e.kind === "foreign"),
    above((e) => e.kind === "talk"),
  );
}
