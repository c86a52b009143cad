import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withCode } from "../../../test/errors.ts";
import { createEncoder, ENCODER_FILE } from "./encoder.ts";
import { HEAD } from "./kernels.ts";
import { encodeWeights, type Shape } from "./weights.ts";
import { WordPieces } from "./word-pieces.ts";

const SHAPE: Shape = {
  width: 2 * HEAD,
  inner: 4 * HEAD,
  layers: 2,
  pieces: 0,
  positions: 32,
  messageTokens: 16,
  documentTokens: 30,
};
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const VOCABULARY = [
  "[PAD]",
  "[UNK]",
  "[CLS]",
  "[SEP]",
  ...LETTERS,
  ...LETTERS.map((letter) => `##${letter}`),
  "pdf",
  "日",
];

/** An encoder of random weights, the same on every run. */
function randomEncoder(shape = { ...SHAPE, pieces: VOCABULARY.length }) {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const { width, inner, layers, pieces, positions } = shape;
  const parts = new Map<string, Float32Array>();
  const put = (name: string, count: number, size: number, around = 0) =>
    parts.set(
      name,
      Float32Array.from({ length: count }, () => around + size * random()),
    );
  const norm = (name: string) => {
    put(`${name}.gain`, width, 0.3, 1);
    put(`${name}.bias`, width, 0.2);
  };
  const matrix = (name: string, rows: number, columns: number) => {
    put(name, rows * columns, 2 / Math.sqrt(columns));
    put(`${name}.bias`, rows, 0.2);
  };
  put("words", pieces * width, 1);
  put("positions", positions * width, 0.3);
  norm("norm");
  for (let layer = 0; layer < layers; layer++) {
    matrix(`${layer}.attention`, 3 * width, width);
    matrix(`${layer}.out`, width, width);
    norm(`${layer}.norm1`);
    matrix(`${layer}.up`, inner, width);
    matrix(`${layer}.down`, width, inner);
    norm(`${layer}.norm2`);
  }
  const part = (name: string) => parts.get(name)!;
  return { shape, part, file: encodeWeights({ shape, vocabulary: VOCABULARY, part }) };
}

/** The same transformer in plain code with floats, as a text book has it. */
function plainVector({ shape, part }: ReturnType<typeof randomEncoder>, ids: readonly number[]): number[] {
  const { width, layers } = shape;
  const row = (matrix: Float32Array, at: number, size: number) => [
    ...matrix.subarray(at * size, (at + 1) * size),
  ];
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const linear = (name: string, x: readonly number[]) =>
    [...part(`${name}.bias`)].map((bias, at) => bias + dot(row(part(name), at, x.length), x));
  const norm = (name: string, x: readonly number[]) => {
    const mean = x.reduce((a, b) => a + b) / width;
    const deviation = Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width);
    return x.map(
      (value, i) => ((value - mean) / deviation) * part(`${name}.gain`)[i]! + part(`${name}.bias`)[i]!,
    );
  };
  const plus = (a: readonly number[], b: readonly number[]) => a.map((value, i) => value + b[i]!);
  const gelu = (x: number) => x / (1 + Math.exp(-1.5957691216 * (x + 0.044715 * x ** 3)));
  let state = ids.map((id, at) =>
    norm("norm", plus(row(part("words"), id, width), row(part("positions"), at, width))),
  );
  for (let layer = 0; layer < layers; layer++) {
    const triples = state.map((x) => linear(`${layer}.attention`, x));
    const mixed = triples.map((own) => {
      const out: number[] = [];
      for (let head = 0; head < width; head += HEAD) {
        const scores = triples.map((other) => {
          const key = other.slice(width + head, width + head + HEAD);
          return Math.exp(dot(own.slice(head, head + HEAD), key) / Math.sqrt(HEAD));
        });
        const total = scores.reduce((a, b) => a + b);
        for (let i = 0; i < HEAD; i++) {
          out.push(triples.reduce((sum, t, at) => sum + (scores[at]! / total) * t[2 * width + head + i]!, 0));
        }
      }
      return out;
    });
    state = state.map((x, at) => norm(`${layer}.norm1`, plus(x, linear(`${layer}.out`, mixed[at]!))));
    state = state.map((x) =>
      norm(`${layer}.norm2`, plus(x, linear(`${layer}.down`, linear(`${layer}.up`, x).map(gelu)))),
    );
  }
  const sum = state.reduce(plus);
  return sum.map((value) => value / Math.hypot(...sum));
}

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, i) => sum + value * b[i]!, 0);

function folderWith(file: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "encoder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, ENCODER_FILE), file);
  return folder;
}

test("computes what plain code with floats computes", async () => {
  const random = randomEncoder();
  const encoder = await createEncoder({ folder: folderWith(random.file) });
  const pieces = new WordPieces(VOCABULARY);
  for (const text of [
    "a",
    "abc",
    "fix the pdf",
    "日日 pdf x",
    "the quick brown fox jumps over the lazy dog",
  ]) {
    const [message] = await encoder.embed([text]);
    const [document] = await encoder.embedDocuments([text]);
    expect(cosine(message!, plainVector(random, pieces.cut(text, SHAPE.messageTokens)))).toBeGreaterThan(
      0.995,
    );
    expect(cosine(document!, plainVector(random, pieces.cut(text, SHAPE.documentTokens)))).toBeGreaterThan(
      0.995,
    );
  }
});

test("returns unit vectors in the order of the texts, and zeros for texts without words", async () => {
  const encoder = await createEncoder({ folder: folderWith(randomEncoder().file) });
  const texts = ["pdf", "", "abc", " \n\t", "pdf"];
  const vectors = await encoder.embed(texts);
  expect(vectors.map((vector) => Math.round(cosine(vector, vector) * 1e4) / 1e4)).toEqual([1, 0, 1, 0, 1]);
  expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => encoder.dimensions));
  expect(vectors[4]).toEqual(vectors[0]);
  expect((await encoder.embed(["abc"]))[0]).toEqual(vectors[2]);
});

test("embeds odd texts", async () => {
  const encoder = await createEncoder({ folder: folderWith(randomEncoder().file) });
  const texts = [
    "🙂🙂",
    "\ud800 a \udc00",
    "é ñ ü",
    "a".repeat(10_000),
    "a ".repeat(10_000),
    "\u0000\ufffd",
    "한국어",
  ];
  for (const vector of await encoder.embed(texts)) {
    expect([...vector].every(Number.isFinite)).toBe(true);
  }
});

test("lets other work run while it embeds many texts", async () => {
  const encoder = await createEncoder({ folder: folderWith(randomEncoder().file) });
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  while (turns === 0) await encoder.embedDocuments(new Array<string>(400).fill("the quick brown fox"));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
});

test("is named after its weights", async () => {
  const { file, shape, part } = randomEncoder();
  const other = encodeWeights({
    shape,
    vocabulary: VOCABULARY,
    part: (name) => (name === "1.norm2.bias" ? part(name).map((value) => value + 0.01) : part(name)),
  });
  const ids = await Promise.all(
    [file, file, other].map(async (f) => (await createEncoder({ folder: folderWith(f) })).id),
  );
  expect(ids[0]).toMatch(/^encoder-[0-9a-f]{8}$/);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test.each([
  ["missing", undefined],
  ["empty", () => new Uint8Array(0)],
  ["of another kind", () => new Uint8Array(4096).fill(7)],
  ["cut off", (file: Uint8Array) => file.subarray(0, file.length - 16)],
  ["with a changed weight", (file: Uint8Array) => file.with(file.length - 5, file.at(-5)! ^ 1)],
  ["with impossible sizes", (file: Uint8Array) => file.with(17, 255)],
  ["of a later version", (file: Uint8Array) => file.with(4, 2)],
])("refuses a file that is %s", async (_, damage) => {
  const folder = folderWith(damage === undefined ? new Uint8Array(0) : damage(randomEncoder().file));
  const path = join(folder, ENCODER_FILE);
  if (damage === undefined) rmSync(path);
  else expect(readFileSync(path).length).toBeGreaterThanOrEqual(0);
  await expect(createEncoder({ folder })).rejects.toThrow(withCode("encoder-unreadable", { value: path }));
});
