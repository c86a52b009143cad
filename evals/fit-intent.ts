// Fits the intent model, prints how well each group of messages is told apart when it is left out, and writes
// `data/intent/weights.json`.
//
//     npm run evals -- fit-intent [MESSAGES.jsonl ...]

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import { Glossary } from "../src/recall/glossary.ts";
import { INTENTS } from "../src/recall/intent.ts";
import { readLines } from "./harness.ts";
import {
  FOLDS,
  fitIntents,
  intentExample,
  intentMessages,
  intentMessagesOf,
  intentWeights,
  leftOutChances,
} from "./intent-model.ts";

const root = process.cwd();
const tools = {
  embedder: createLocalEmbedder({ tablePath: join(root, "data/embedding/table.bin") }),
  glossary: new Glossary(join(root, "data/glossary")),
};
const own = intentMessages().map((m, i) => ({ ...m, group: `own ${m.intent} ${i % FOLDS}` }));
const others = process.argv.slice(2).flatMap((path) => intentMessagesOf(readLines(path)));
const examples = [...own, ...others].map((message) => intentExample(message, tools));

const groups = new Map<string, { work: number[]; right: number[] }>();
leftOutChances(examples).forEach((chances, i) => {
  const title = examples[i]!.group.replace(/ \d$/, "");
  const group = groups.get(title) ?? { work: [], right: [] };
  group.work.push(chances[0]!);
  group.right.push(Number(INTENTS[chances.indexOf(Math.max(...chances))] === examples[i]!.intent));
  groups.set(title, group);
});
console.log(
  "left out, the chance of work: 5%, 25%, 50%, 75%, 95% of the messages; share with the right intent",
);
for (const [title, { work, right }] of groups) {
  work.sort((a, b) => a - b);
  const spread = [0.05, 0.25, 0.5, 0.75, 0.95].map((share) =>
    work[Math.floor(share * work.length)]!.toFixed(2),
  );
  const share = right.reduce((sum, value) => sum + value, 0) / right.length;
  console.log(title.padEnd(24), String(work.length).padStart(5), ...spread, share.toFixed(2));
}
const weights = intentWeights(fitIntents(examples));
writeFileSync(join(root, "data/intent/weights.json"), `${JSON.stringify(weights)}\n`);
