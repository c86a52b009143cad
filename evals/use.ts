// Measures what recall learns from use: for each source the first half of its messages is remembered as used successfully
// with the right skill, then the second half and the messages of all other sources are recalled with and without.
//
//     npm run evals -- use SETS SKILLS [reversed]
//
// `reversed` learns from the second half instead. Prints Hit@1 and how often the right skill is shown, and the differences
// with intervals of 95% (bootstrap over messages).

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import { packRemembered, RememberedBook, type RememberedMessage } from "../src/journal/remembered.ts";
import { ABSTAIN_BELOW } from "../src/recall/calibrate.ts";
import { createIntentModel } from "../src/recall/intent.ts";
import { consider, isShown, RECALL, type RecallOptions } from "../src/recall/recall-skills.ts";
import { NOTHING_KNOWN } from "../src/recall/signals/effectiveness.ts";
import { rememberedTerms, type UseMemory } from "../src/recall/signals/use.ts";
import { buildLibrary, type EvalMessage, glossary, readLines, readSkills, tablePath } from "./harness.ts";

const NOW = Date.UTC(2026, 0, 1);
const SAMPLES = 2000;

const [shared, skillsRoot, order] = process.argv.slice(2);
if (shared === undefined || skillsRoot === undefined)
  throw new Error("use: name a folder with the sets and one with the skills.");
const duplicatesPath = join(shared, "duplicates.json");
const duplicates: Record<string, string> = existsSync(duplicatesPath)
  ? JSON.parse(readFileSync(duplicatesPath, "utf8"))
  : {};
const same = (id: string) => duplicates[id] ?? id;
const messages = readLines<EvalMessage>(join(shared, "queries.jsonl"));
if (order === "reversed") messages.reverse();
const silent = ["smalltalk.jsonl", "nothing.jsonl"]
  .map((name) => join(shared, name))
  .filter((path) => existsSync(path))
  .flatMap((path) => readLines<EvalMessage>(path));
const embedder = createLocalEmbedder({ tablePath });
const skills = readSkills(skillsRoot);
const { index } = await buildLibrary(skills, embedder);
const known = new Set(skills.map(({ skill }) => skill.name));
const options: RecallOptions = {
  index,
  embedder,
  background: embedder.idf,
  glossary,
  intent: createIntentModel(
    JSON.parse(readFileSync(join(process.cwd(), "data/intent/weights.json"), "utf8")),
    (text) => embedder.embedOne(text),
  ),
  effectiveness: NOTHING_KNOWN,
  isVisible: () => true,
  precedence: () => 0,
};

interface Result {
  /** 1 if the right skill is first, whatever its score. */
  readonly first: number;
  /** 1 if it is among the skills that are shown. */
  readonly shown: number;
  /** 1 if anything is shown. */
  readonly any: number;
}

async function resultOf({ query, gold = [] }: EvalMessage, used?: UseMemory): Promise<Result> {
  const { considered, frame } = await consider({ message: query }, { ...options, used });
  const limits = { threshold: ABSTAIN_BELOW, isLight: frame.name === "conversation" };
  const wanted = new Set(gold.map(same));
  const isRight = (one: (typeof considered)[number]) =>
    [one.skill.name, ...one.duplicates].some((name) => wanted.has(same(name)));
  const shown = considered.filter((one, place) => isShown(one, place, limits)).slice(0, RECALL.limit);
  return {
    first: Number(considered.slice(0, 1).some(isRight)),
    shown: Number(shown.some(isRight)),
    any: Number(shown.length > 0),
  };
}

/** The message as one that a success with the right skill leaves. */
function rememberedOf({ query, gold }: EvalMessage, turn: number): RememberedMessage[] {
  const skill = gold.find((id) => known.has(id));
  if (skill === undefined) return [];
  const terms = rememberedTerms(glossary.toEnglish(query), embedder.idf);
  const text = query.slice(0, 60);
  return [{ skill, digest: skill, session: "replay", turn, at: NOW, weight: 1, text, terms }];
}

const memoryOf = (learned: readonly EvalMessage[]): UseMemory => ({
  book: new RememberedBook(packRemembered(learned.flatMap(rememberedOf))),
  now: NOW,
});

const bySource = new Map<string, EvalMessage[]>();
for (const message of messages)
  bySource.set(message.source, [...(bySource.get(message.source) ?? []), message]);
const half = (all: readonly EvalMessage[]) => Math.floor(all.length / 2);
const before = new Map<EvalMessage, Result>();
for (const message of [...messages, ...silent]) before.set(message, await resultOf(message));

/** The same numbers in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const percent = (values: readonly number[]) =>
  values.length === 0 ? 0 : (100 * values.reduce((sum, value) => sum + value, 0)) / values.length;

function interval(values: readonly number[]): string {
  const random = generator(7);
  const means = Array.from({ length: SAMPLES }, () =>
    percent(values.map(() => values[Math.floor(random() * values.length)]!)),
  ).sort((a, b) => a - b);
  const at = (share: number) => signed(means[Math.floor(share * (SAMPLES - 1))]!);
  return `${signed(percent(values))} [${at(0.025)}, ${at(0.975)}]`;
}

const signed = (value: number) => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(1)}`;

/** One line: how a group of messages fares without and with what was learned. */
function line(name: string, group: readonly EvalMessage[], after: ReadonlyMap<EvalMessage, Result>): string {
  const cells = (["first", "shown"] as const).flatMap((figure) => {
    const [old, now] = [before, after].map((of) => group.map((message) => of.get(message)![figure]));
    const change = interval(now!.map((value, i) => value - old![i]!));
    return [`${percent(old!).toFixed(1)} -> ${percent(now!).toFixed(1)}`, change];
  });
  return `| ${[name, String(group.length), ...cells].join(" | ")} |`;
}

async function replay(learned: readonly EvalMessage[], asked: readonly EvalMessage[]) {
  const memory = memoryOf(learned);
  const after = new Map<EvalMessage, Result>();
  for (const message of asked) after.set(message, await resultOf(message, memory));
  return after;
}

console.log("| messages | | Hit@1 | change | shown | change |\n|---|---|---|---|---|---|");
const others: string[] = [];
for (const [source, own] of bySource) {
  const after = await replay(own.slice(0, half(own)), messages);
  console.log(line(`${source}, second half`, own.slice(half(own)), after));
  others.push(
    line(
      `all others, after ${source}`,
      messages.filter((m) => m.source !== source),
      after,
    ),
  );
}
const halves = [...bySource.values()];
const later = halves.flatMap((own) => own.slice(half(own)));
const earlier = halves.flatMap((own) => own.slice(0, half(own)));
const after = await replay(earlier, [...later, ...silent]);
const seen = new Set(earlier.flatMap(({ gold }) => gold.map(same)));
const isSeen = ({ gold }: EvalMessage) => gold.some((id) => seen.has(same(id)));
console.log(line("all second halves, skill used before", later.filter(isSeen), after));
console.log(
  line(
    "all second halves, skill not used",
    later.filter((m) => !isSeen(m)),
    after,
  ),
);
for (const one of others) console.log(one);
const alarms = (of: ReadonlyMap<EvalMessage, Result>) =>
  percent(silent.map((m) => of.get(m)!.any)).toFixed(1);
console.log(
  `\n${silent.length} messages that need no skill: ${alarms(before)}% show one without, ${alarms(after)}% with it.`,
);
