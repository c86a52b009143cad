// Owns the figures: Hit@1, Recall@3/5/10, MRR by source and macro, abstention, forbidden skills, on our own set and on
// any set of the same form. `run.ts` alone measures `own/`; `run.ts SHARED SKILLS` measures a folder with queries.jsonl.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import { ABSTAIN_BELOW } from "../src/recall/calibrate.ts";
import {
  buildLibrary,
  type EvalLibrary,
  type EvalMessage,
  nameOf,
  ownSkills,
  readLines,
  readSkills,
  recallRanked,
} from "./harness.ts";

const [shared, skillsRoot] = process.argv.slice(2);
const here = process.env.REPERTOIRE_ROOT ?? process.cwd();
const embedder = createLocalEmbedder({ tablePath: join(here, "data/embedding/table.bin") });

interface Outcome {
  source: string;
  place: number;
  /** The place among what is shown, after abstention. */
  shownPlace: number;
}

interface Judge {
  library: EvalLibrary;
  /** A copy of a gold skill counts as that skill. */
  same: (id: string) => string;
}

function judge({ library, same }: Judge, message: EvalMessage): Outcome {
  const ranked = recallRanked(library, message.query);
  const gold = new Set(message.gold.map(same));
  const isGold = (doc: number) => gold.has(same(nameOf(library, doc)));
  const at = ranked.findIndex((r) => isGold(r.id) || r.duplicates.some(isGold));
  const place = at < 0 ? Number.POSITIVE_INFINITY : at + 1;
  const shown = at >= 0 && (ranked[0]?.score ?? 0) >= ABSTAIN_BELOW;
  return { source: message.source, place, shownPlace: shown ? place : Number.POSITIVE_INFINITY };
}

const percent = (value: number) => (100 * value).toFixed(1).padStart(5);
const shareOf = (outcomes: Outcome[], test: (o: Outcome) => boolean) =>
  outcomes.filter(test).length / Math.max(1, outcomes.length);

function table(title: string, outcomes: Outcome[]): void {
  const sources = [...new Set(outcomes.map((o) => o.source))].sort();
  const measures: Array<(o: Outcome[]) => number> = [
    ...[1, 3, 5, 10].map((k) => (o: Outcome[]) => shareOf(o, ({ place }) => place <= k)),
    (o) => o.reduce((sum, { place }) => sum + 1 / place, 0) / Math.max(1, o.length),
    (o) => shareOf(o, ({ shownPlace }) => shownPlace <= 3),
  ];
  console.log(`\n${title.padEnd(22)} Hit@1   R@3   R@5  R@10   MRR  R@3 shown`);
  const rows = sources.map((source) => {
    const own = outcomes.filter((o) => o.source === source);
    return { source, values: measures.map((m) => m(own)) };
  });
  for (const { source, values } of rows) console.log(source.padEnd(22), ...values.map(percent));
  const macro = measures.map((_, i) => rows.reduce((sum, r) => sum + r.values[i]!, 0) / rows.length);
  console.log("macro".padEnd(22), ...macro.map(percent));
}

function speaking(library: EvalLibrary, messages: { query: string }[]): number {
  const loud = messages.filter((m) => (recallRanked(library, m.query)[0]?.score ?? 0) >= ABSTAIN_BELOW);
  for (const m of loud) console.log(`    speaks on: ${m.query}`);
  return loud.length / Math.max(1, messages.length);
}

function forbidden({ library, same }: Judge, messages: EvalMessage[]): number {
  const wrong = messages.filter((m) => {
    const first = recallRanked(library, m.query)[0];
    if (first === undefined || first.score < ABSTAIN_BELOW) return false;
    return (m.not ?? []).map(same).includes(same(nameOf(library, first.id)));
  });
  return wrong.length / Math.max(1, messages.length);
}

async function own(): Promise<void> {
  const library = await buildLibrary(ownSkills(join(here, "evals/own/skills.json")), embedder);
  const messages = readLines<EvalMessage>(join(here, "evals/own/messages.jsonl"));
  const same = (id: string) => id;
  const asked = messages.filter((m) => m.gold.length > 0);
  table(
    "own, 60 skills",
    asked.map((m) => judge({ library, same }, { ...m, source: m.kind ?? "own" })),
  );
  const chat = messages.filter((m) => m.kind === "small-talk");
  const more = readLines<{ query: string }>(join(here, "evals/own/smalltalk.jsonl"));
  console.log("small talk that recalls something", percent(speaking(library, [...chat, ...more])));
  const near = messages.filter((m) => m.not !== undefined);
  console.log("near misses with a forbidden first", percent(forbidden({ library, same }, near)));
}

async function external(folder: string, root: string): Promise<void> {
  const skills = readSkills(root);
  const byId = new Map(skills.map((one) => [one.skill.name, one]));
  const copies = JSON.parse(readFileSync(join(folder, "duplicates.json"), "utf8")) as Record<string, string>;
  const same = (id: string) => copies[id] ?? id;
  const messages = readLines<EvalMessage>(join(folder, "queries.jsonl"));
  const negatives = readLines<EvalMessage>(join(folder, "negatives.jsonl"));
  const chat = readLines<{ query: string }>(join(folder, "smalltalk.jsonl"));
  const library = await buildLibrary(skills, embedder);
  table(
    `${skills.length} skills`,
    messages.map((m) => judge({ library, same }, m)),
  );
  console.log("small talk that recalls something", percent(speaking(library, chat)));
  console.log("negatives with the forbidden first", percent(forbidden({ library, same }, negatives)));
  const small = JSON.parse(readFileSync(join(folder, "libraries.json"), "utf8")) as Record<string, string[]>;
  const outcomes: Outcome[] = [];
  for (const [source, ids] of Object.entries(small)) {
    const own = ids.map((id) => byId.get(id)).filter((skill) => skill !== undefined);
    const inner = await buildLibrary(own, embedder);
    for (const m of messages) if (m.source === source) outcomes.push(judge({ library: inner, same }, m));
  }
  table("small libraries", outcomes);
}

await own();
if (shared !== undefined && skillsRoot !== undefined) await external(shared, skillsRoot);
