// Finds the terms that most skills are made of and writes their hashes into `src/recall/common-terms.ts`.
//
//     npm run evals -- fit-terms SKILLS

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMON_TERMS } from "../src/recall/common-terms.ts";
import { termHash } from "../src/recall/evidence.ts";
import { tokenize } from "../src/text/tokens.ts";
import { readSkills } from "./harness.ts";

const HASHES = 2 ** 20;
const LOW_BITS = 12;

const counts = new Uint32Array(HASHES);
const skills = readSkills(process.argv[2]!);
for (const { skill, body } of skills) {
  const text = `${skill.name}\n${skill.manifest.description}\n${body}`;
  for (const hash of new Set(tokenize(text).map(termHash))) counts[hash]!++;
}
const byCount = Array.from(counts.keys()).sort((a, b) => counts[b]! - counts[a]! || a - b);
const common = byCount.slice(0, COMMON_TERMS).sort((a, b) => a - b);
const buckets = new Uint8Array(HASHES >>> LOW_BITS);
for (const hash of common) buckets[hash >>> LOW_BITS]!++;
const lows = Uint16Array.from(common, (hash) => hash & (2 ** LOW_BITS - 1));
const table = Buffer.concat([buckets, new Uint8Array(lows.buffer)]).toString("base64");
const path = join(process.cwd(), "src/recall/common-terms.ts");
writeFileSync(
  path,
  readFileSync(path, "utf8").replace(/const HASHES =\s*"[^"]*"/, `const HASHES =\n  "${table}"`),
);
console.log(
  `The rarest of ${COMMON_TERMS} terms is in ${counts[byCount[COMMON_TERMS - 1]!]} of ${skills.length} skills.`,
);
