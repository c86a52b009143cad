// Walks the flows over a library of 2,000 skills (or as many as the argument says), prints where the counts differ from the
// table in `walk/flows.mjs`, and writes `docs/walks.md`.

import { writeFileSync } from "node:fs";
import { differences, FACTS, FLOWS, missedGoals, walkAll } from "./walk/flows.mjs";

const SIZE = 2000;
const skills = Number(process.argv[2] ?? SIZE);

const found = await walkAll({ skills, onFlow: tellDifference });
if (skills === SIZE) writeFileSync(new URL("../docs/walks.md", import.meta.url), report(found));

function tellDifference(name, counts) {
  const flow = FLOWS.find((one) => one.name === name);
  const changed = differences(flow, counts, skills);
  const missed = missedGoals(flow, counts);
  console.log(changed.length === 0 ? `${name}: as in the table` : `${name}: other than in the table`);
  for (const { fact, now, before } of changed) console.log(`  ${fact}: ${now} instead of ${before}`);
  for (const { fact, now, most } of missed) console.log(`  ${fact}: ${now}, wanted ${most}`);
  if (flow.reached !== (missed.length === 0)) console.log(`  "reached" is to be ${!flow.reached}`);
}

function report(walked) {
  return `# Walks

What a flow costs in facts instead of milliseconds, on ${SIZE.toLocaleString("en-US")} skills. \`npm run walk\` counts and writes this file;
\`test/e2e/walks.test.ts\` runs the same flows on a smaller library and holds the numbers. Only what lies in the home folder
and the project counts, and a file that is looked for and missing counts as opened. Parsed means read into a manifest with
findings; a dream and a change also read front matter and body alone (\`readSkillText\`), which is not counted.

## Flows

| flow | what happens | wanted | reached |
|---|---|---|---|
${FLOWS.map(({ name, says, wanted, reached }) => row(name, says, inWords(wanted), reached ? "yes" : "not yet")).join("\n")}

## Counts

${row("flow", ...Object.values(FACTS))}
|---|${"--:|".repeat(Object.keys(FACTS).length)}
${FLOWS.map(({ name }) => row(name, ...numbersOf(walked.get(name)))).join("\n")}
`;
}

function row(...cells) {
  return `| ${cells.join(" | ")} |`;
}

function inWords(wanted) {
  const goals = Object.entries(wanted).map(([fact, most]) => `${FACTS[fact]}: ${most}`);
  return goals.length === 0 ? "no goal" : goals.join("; ");
}

function numbersOf(counts) {
  return Object.keys(FACTS).map((fact) => (counts[fact] ?? 0).toLocaleString("en-US"));
}
