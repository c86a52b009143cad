// Owns fitting the confidence: a logistic, non-negative, of right matches against our own small talk. Prints the weights
// and, by threshold, what is kept and what still speaks. `fit-confidence.ts SHARED SKILLS`; nothing is written anywhere.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import { CONFIDENCE, confidenceParts } from "../src/recall/calibrate.ts";
import { Measurer } from "../src/recall/features.ts";
import { rank } from "../src/recall/rank.ts";
import {
  buildLibrary,
  type EvalLibrary,
  type EvalMessage,
  type EvalSkill,
  nameOf,
  prepare,
  readLines,
  readSkills,
} from "./harness.ts";

const FIT = {
  /** Small enough that six parts stay free, large enough that none runs away. */
  ridge: 3e-3,
  steps: 3000,
  rate: 0.02,
  /** Every so many skills give two short pseudo-messages: the name in words, the first words of the description. */
  pseudoEvery: 40,
  pseudoWords: 5,
  thresholds: [0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6],
} as const;

type Kind = "right" | "wrong" | "talk";

interface Example {
  kind: Kind;
  /** Messages of one group share one vote's root. */
  group: string;
  parts: number[];
  score: number;
}

const PARTS = Object.keys(CONFIDENCE).filter((part) => part !== "bias") as Array<
  keyof ReturnType<typeof confidenceParts>
>;

const [shared, skillsRoot] = process.argv.slice(2);
if (shared === undefined || skillsRoot === undefined) {
  throw new Error(
    "fit-confidence: two folders are needed, one with queries.jsonl and one with the skills it speaks of.",
  );
}
const embedder = createLocalEmbedder({ tablePath: join(process.cwd(), "data/embedding/table.bin") });
const copies = JSON.parse(readFileSync(join(shared, "duplicates.json"), "utf8")) as Record<string, string>;
const same = (id: string) => copies[id] ?? id;

/** The best match's evidence for one message. A right one has its gold among the first `within`. */
function exampleOf(
  library: EvalLibrary,
  message: { query: string; gold?: string[] },
  { group, within }: { group: string; within: number },
): Example | undefined {
  const { probe, candidates } = prepare(library, message.query);
  const ranked = rank(probe, candidates);
  const top = candidates.find((c) => c.id === ranked[0]?.id);
  if (top === undefined) return undefined;
  const parts = confidenceParts(probe, new Measurer(probe).measure(top.evidence), top.meaning);
  const gold = new Set((message.gold ?? []).map(same));
  const found = ranked
    .slice(0, within)
    .some((r) => [r.id, ...r.duplicates].some((doc) => gold.has(same(nameOf(library, doc)))));
  const kind: Kind = message.gold === undefined ? "talk" : found ? "right" : "wrong";
  return { kind, group, parts: PARTS.map((part) => parts[part]), score: ranked[0]!.score };
}

function pseudoMessages(skills: readonly EvalSkill[]) {
  return skills
    .filter((_, i) => i % FIT.pseudoEvery === 0)
    .flatMap(({ skill: { name, displayName, manifest } }) => [
      { query: displayName.replace(/[-_/]/g, " "), gold: [name] },
      { query: manifest.description.split(/\s+/).slice(0, FIT.pseudoWords).join(" "), gold: [name] },
    ]);
}

function fitLogistic(examples: readonly Example[]): number[] {
  const used = examples.filter(({ kind }) => kind !== "wrong");
  const sizes = new Map<string, number>();
  for (const e of used) sizes.set(`${e.kind}/${e.group}`, (sizes.get(`${e.kind}/${e.group}`) ?? 0) + 1);
  const votes = used.map((e) => 1 / Math.sqrt(sizes.get(`${e.kind}/${e.group}`)!));
  const sum = (talk: boolean) =>
    used.reduce((total, e, i) => total + ((e.kind === "talk") === talk ? votes[i]! : 0), 0);
  const totals = { right: sum(false), talk: sum(true) };
  const weights = [...PARTS.map(() => 0), 0];
  const bias = PARTS.length;
  const mean = weights.map(() => 0);
  const square = weights.map(() => 0);
  for (let step = 1; step <= FIT.steps; step++) {
    const gradient = weights.map((w, i) => (i === bias ? 0 : 2 * FIT.ridge * w));
    used.forEach((e, i) => {
      const points = e.parts.reduce((total, value, p) => total + value * weights[p]!, weights[bias]!);
      const right = e.kind === "right";
      const pull =
        (votes[i]! / totals[right ? "right" : "talk"]) * (1 / (1 + Math.exp(-points)) - (right ? 1 : 0));
      e.parts.forEach((value, p) => {
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

const skills = readSkills(skillsRoot);
const large = await buildLibrary(skills, embedder);
const messages = readLines<EvalMessage>(join(shared, "queries.jsonl"));
const talk = [
  ...readLines<EvalMessage>(join(process.cwd(), "evals/own/messages.jsonl")).filter(
    (m) => m.kind === "small-talk",
  ),
  ...readLines<EvalMessage>(join(process.cwd(), "evals/own/smalltalk.jsonl")),
].map(({ query }) => ({ query }));
const examples = [
  ...messages.map((m) => exampleOf(large, m, { group: m.source, within: 3 })),
  ...pseudoMessages(skills).map((m) => exampleOf(large, m, { group: "pseudo", within: 1 })),
  ...talk.map((m) => exampleOf(large, m, { group: "talk", within: 0 })),
].filter((example) => example !== undefined);

const weights = fitLogistic(examples);
const named = [...PARTS, "bias"].map((part, i) => [part, Number(weights[i]!.toFixed(2))]);
console.log("weights", Object.fromEntries(named));
console.log(
  "\nlanded scores: threshold, right matches kept, wrong ones shown, own small talk that speaks, %",
);
for (const threshold of FIT.thresholds) {
  const above = (kind: Kind) => {
    const own = examples.filter((e) => e.kind === kind && e.group !== "pseudo");
    return ((100 * own.filter((e) => e.score >= threshold).length) / Math.max(1, own.length)).toFixed(1);
  };
  console.log(threshold.toFixed(2), above("right"), above("wrong"), above("talk"));
}
