// Finds what skills in general are about: the centres of clusters of their vectors (spherical k-means), and writes
// `data/intent/topics.bin`.
//
//     npm run evals -- fit-topics SKILLS

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import { headTextOf } from "../src/recall/skill-document.ts";
import { TOPIC_LENGTH } from "../src/recall/topics.ts";
import { descriptionClauses } from "../src/text/sections.ts";
import { readSkills, tablePath } from "./harness.ts";
import { hashOf, seededRandom } from "./random.ts";

/** 64 to 512 topics tell messages for other libraries apart about equally well. */
const FIT = { topics: 128, rounds: 12 } as const;

const embedder = createLocalEmbedder({ tablePath });
const { dimensions } = embedder;
const vectors = readSkills(process.argv[2]!).map(({ skill }) =>
  embedder.embedOne(headTextOf(skill, descriptionClauses(skill.manifest.description))),
);

const random = seededRandom(hashOf("topics"));
const drawn = () => vectors[Math.floor(random() * vectors.length)]!.slice();
let centres = Array.from({ length: FIT.topics }, drawn);
for (let round = 0; round < FIT.rounds; round++) {
  const sums = centres.map(() => new Float32Array(dimensions));
  let closeness = 0;
  for (const vector of vectors) {
    const cosines = centres.map((centre) => dot(centre, vector));
    const closest = Math.max(...cosines);
    closeness += closest / vectors.length;
    const sum = sums[cosines.indexOf(closest)]!;
    for (let i = 0; i < dimensions; i++) sum[i]! += vector[i]!;
  }
  console.log(`round ${round + 1}: mean cosine with the closest topic ${closeness.toFixed(3)}`);
  centres = sums.map((sum) => (dot(sum, sum) > 0 ? unit(sum) : drawn()));
}
const bytes = Int8Array.from(
  centres.flatMap((centre) =>
    Array.from(centre, (value) => Math.max(-127, Math.min(127, Math.round(TOPIC_LENGTH * value)))),
  ),
);
writeFileSync(join(process.cwd(), "data/intent/topics.bin"), bytes);

function unit(vector: Float32Array): Float32Array<ArrayBuffer> {
  const length = Math.sqrt(dot(vector, vector));
  return Float32Array.from(vector, (value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
