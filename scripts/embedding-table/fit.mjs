// Owns the fitting of rows: sums of rows shall point where the teacher's sentence vectors point.
// Input: texts, vocabulary and the teacher's vectors in the work folder. Output: data/embedding/table.bin.
import { principalAxes, project } from "./axes.mjs";
import { loadCutter } from "./cutter.mjs";
import { quantise } from "./quantise.mjs";
import { writeTable } from "./table.mjs";
import { readFloats, readLines } from "./work.mjs";

const FIT = {
  dimensions: 256,
  /** The fourth adds .0002 to the held-out cosine. */
  epochs: 4,
  /** Adagrad step; larger overshoots on rows seen once or twice. */
  rate: 0.05,
  /** Share of texts kept back to see whether an epoch still helps. */
  heldOut: 0.02,
  /** Share of texts that get a polite opening in front, their target unchanged: openings learn to weigh nothing. */
  opened: 0.15,
  /** Smooth inverse frequency of the starting rows: a word in every hundredth text starts at half weight. */
  smooth: 0.01,
};
const OPENINGS = [
  "can you",
  "could you please",
  "please",
  "help me",
  "help me with",
  "I need to",
  "I want to",
  "I'd like to",
  "how do I",
  "what is the best way to",
  "hey, can you",
  "i am trying to",
  "we need to",
  "let's",
  "can you help me",
  "my boss asked me to",
  "I have a",
  "there is a",
  "is there a way to",
  "quickly",
  "show me how to",
  "I'm working on",
  "we have some",
  "tell me about",
  "give me",
  "so I was wondering if you could",
  "for my project I need",
  "our team wants to",
  "make me a",
  "write me a",
  "I was asked for",
  "thanks in advance, I",
  "what should I do about",
  "why is my",
  "take a look at this and",
  "use when the user asks to",
  "use this skill when",
  "this skill helps with",
  "a guide for",
  "best practices for",
  "expert in",
  "comprehensive guide to",
  "use when working with",
];

/** A small generator with a fixed seed: the same texts give the same table. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const random = seeded(7);
const vocabulary = readLines("vocabulary.jsonl");
const cutter = await loadCutter(vocabulary.map((entry) => entry.key));

/** Every text that the teacher has seen; texts without a vector are left out. */
function readTaught(name, weight) {
  const vectors = readFloats(`${name}.f32`);
  return readLines(`${name}.jsonl`).flatMap((text, i) => {
    const vector = vectors.subarray(i * 384, i * 384 + 384);
    return vector.length === 384 && vector.some((value) => value !== 0) ? [{ text, vector, weight }] : [];
  });
}
const lessons = [...readTaught("wordnet", 1), ...readTaught("technical", 2)];
const texts = lessons.map((lesson) => lesson.text);
const taught = new Float32Array(texts.length * 384);
for (const [i, lesson] of lessons.entries()) taught.set(lesson.vector, i * 384);

const axes = principalAxes(taught, 384, FIT.dimensions);
const targets = project(taught, axes);
const priors = project(readFloats("vocabulary.f32"), axes);
const D = FIT.dimensions;
const R = vocabulary.length;

const cuts = texts.map((text) => Int32Array.from(cutter.cut(text)));
const openings = OPENINGS.map((text) => Int32Array.from(cutter.cut(text)));
const frequency = new Float64Array(R);
let documents = 0;
cuts.forEach((rows, i) => {
  const { weight } = lessons[i];
  documents += weight;
  for (const row of new Set(rows)) frequency[row] += weight;
});
const idf = Array.from(frequency, (n) => Math.log((documents + 1) / (n + 0.5)));

const table = new Float32Array(R * D);
for (let r = 0; r < R; r++) {
  const phrase = vocabulary[r].key.includes(" ");
  const share = frequency[r] / documents;
  const weight = phrase ? 0 : FIT.smooth / (FIT.smooth + share);
  for (let d = 0; d < D; d++) table[r * D + d] = priors[r * D + d] * weight;
}

const gathered = new Float32Array(R).fill(1e-6);
const sum = new Float32Array(D);
const gradient = new Float32Array(D);
const times = new Uint16Array(R);

/** Sum of a text's rows with falling weight for repeats, as the embedder does it; returns the weights used. */
function forward(rows) {
  sum.fill(0);
  const weights = new Float32Array(rows.length);
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k];
    const weight = 1 / ++times[row];
    weights[k] = weight;
    const from = row * D;
    for (let d = 0; d < D; d++) sum[d] += weight * table[from + d];
  }
  for (const row of rows) times[row] = 0;
  return weights;
}

function cosine(i) {
  let dot = 0;
  let squares = 0;
  for (let d = 0; d < D; d++) {
    dot += sum[d] * targets[i * D + d];
    squares += sum[d] * sum[d];
  }
  return { dot, length: Math.sqrt(squares) };
}

function learn(i, rows) {
  if (rows.length === 0) return;
  const weights = forward(rows);
  const { dot, length } = cosine(i);
  if (length === 0) return;
  const cos = dot / length;
  let energy = 0;
  for (let d = 0; d < D; d++) {
    gradient[d] = (targets[i * D + d] - (cos * sum[d]) / length) / length;
    energy += gradient[d] * gradient[d];
  }
  energy /= D;
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k];
    gathered[row] += energy * weights[k] * weights[k];
    const step = (rate * weights[k]) / Math.sqrt(gathered[row]);
    const from = row * D;
    for (let d = 0; d < D; d++) table[from + d] += step * gradient[d];
  }
}

const order = texts.map((_, i) => i);
const shuffle = (list) => {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
};
shuffle(order);
const heldOut = order.splice(0, Math.floor(order.length * FIT.heldOut));
const judge = () => {
  let total = 0;
  for (const i of heldOut) {
    forward(cuts[i]);
    const { dot, length } = cosine(i);
    total += length === 0 ? 0 : dot / length;
  }
  return (total / heldOut.length).toFixed(4);
};
let rate = FIT.rate;
console.log(`${texts.length} texts; before: cosine ${judge()} on texts kept back`);
for (let epoch = 0; epoch < FIT.epochs; epoch++) {
  rate = FIT.rate * (1 - epoch / FIT.epochs);
  shuffle(order);
  for (const i of order) {
    const opening = random() < FIT.opened ? openings[Math.floor(random() * openings.length)] : undefined;
    learn(i, opening ? Int32Array.from([...opening, ...cuts[i]]) : cuts[i]);
  }
  console.log(`epoch ${epoch + 1}: cosine ${judge()}`);
}

const quantised = quantise(table, D);
table.set(quantised.decoded);
console.log(`quantised: cosine ${judge()}`);
console.log(
  await writeTable({ keys: vocabulary.map((entry) => entry.key), dimensions: D, idf, ...quantised }),
);
