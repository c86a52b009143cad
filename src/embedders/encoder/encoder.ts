// The sentence encoder: a transformer of the size of MiniLM with int8 weights, run in WebAssembly.

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { RepertoireError } from "../../model/errors.ts";
import type { Embedder } from "../../recall/recall.ts";
import { wasmModule } from "./assembler.ts";
import { HEAD, KERNELS, type Kernels, TILE_TOKENS } from "./kernels.ts";
import { readWeights, type Shape, type Weights } from "./weights.ts";
import { WordPieces } from "./word-pieces.ts";

export interface Encoder extends Embedder {
  /** Vectors of messages. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Vectors of documents, of which more is read; `encoderDocument` makes a skill's document. */
  embedDocuments(texts: readonly string[]): Promise<Float32Array[]>;
}

interface EncoderOptions {
  /** The folder with `encoder.bin`. */
  folder: string;
}

export const ENCODER_FILE = "encoder.bin";

/** Other work gets its turn when texts have taken this long, in milliseconds; one document takes about 30. */
const TURN = 10;

/** Reads the weights, some 23 MB. Fails with `encoder-unreadable` if they are damaged. */
export async function createEncoder({ folder }: EncoderOptions): Promise<Encoder> {
  const network = new Network(join(folder, ENCODER_FILE));
  const { shape, content } = network.weights;
  const pieces = new WordPieces(network.weights.vocabulary);
  const embedAll = async (texts: readonly string[], limit: number): Promise<Float32Array[]> => {
    const vectors: Float32Array[] = [];
    let began = performance.now();
    for (const text of texts) {
      if (performance.now() - began > TURN) {
        await setImmediate();
        began = performance.now();
      }
      vectors.push(network.vectorOf(pieces.cut(text, limit)));
    }
    return vectors;
  };
  return {
    id: `encoder-${content.toString(16).padStart(8, "0")}`,
    dimensions: shape.width,
    embed: (texts) => embedAll(texts, shape.messageTokens),
    embedDocuments: (texts) => embedAll(texts, shape.documentTokens),
  };
}

/** Where the kernels keep what they compute. */
interface Scratch {
  readonly bytes: number;
  readonly state: number;
  readonly wide: number;
  readonly mixed: number;
  readonly added: number;
  readonly activations: number;
  readonly scales: number;
  readonly scores: number;
}

function scratchAt(start: number, { width, inner, positions }: Shape): Scratch {
  const tokens = Math.ceil(positions / TILE_TOKENS) * TILE_TOKENS;
  let end = start;
  const take = (bytes: number): number => {
    const at = end;
    end = Math.ceil((end + bytes) / 16) * 16;
    return at;
  };
  const places = {
    state: take(4 * tokens * width),
    wide: take(4 * tokens * Math.max(inner, 3 * width)),
    mixed: take(4 * tokens * width),
    added: take(4 * tokens * width),
    activations: take(2 * tokens * Math.max(inner, width)),
    scales: take(4 * tokens),
    scores: take(4 * (tokens + TILE_TOKENS)),
  };
  return { ...places, bytes: end };
}

/** The transformer in its memory. It computes one text at a time. */
class Network {
  readonly weights: Weights;
  readonly #kernels: Kernels;
  readonly #scratch: Scratch;
  readonly #floats: Float32Array;
  readonly #words: Int8Array;

  constructor(path: string) {
    let kernels: Kernels | undefined;
    const { weights, memory } = readWeights(path, (bytes, shape) => {
      const instance = instantiate(scratchAt(bytes, shape).bytes);
      kernels = instance.kernels;
      return instance.buffer;
    });
    const { shape } = weights;
    const words = weights.place("words");
    this.weights = weights;
    this.#kernels = kernels!;
    this.#scratch = scratchAt(weights.bytes, shape);
    this.#floats = new Float32Array(memory);
    this.#words = new Int8Array(memory, words.at, shape.pieces * shape.width);
  }

  /** The unit vector of a text's tokens; all zero for a text without words. */
  vectorOf(ids: readonly number[]): Float32Array {
    const { width, inner, layers } = this.weights.shape;
    if (ids.length <= 2) return new Float32Array(width);
    const { state, wide, mixed, added } = this.#scratch;
    const tokens = Math.ceil(ids.length / TILE_TOKENS) * TILE_TOKENS;
    this.#start(ids, tokens);
    for (let layer = 0; layer < layers; layer++) {
      this.#multiply(`${layer}.attention`, state, wide, tokens, width, 3 * width);
      this.#attend(ids.length);
      this.#multiply(`${layer}.out`, mixed, added, tokens, width, width);
      this.#normalize(`${layer}.norm1`, added, tokens);
      this.#multiply(`${layer}.up`, state, wide, tokens, width, inner);
      this.#kernels.gelu(wide, tokens * inner);
      this.#multiply(`${layer}.down`, wide, added, tokens, inner, width);
      this.#normalize(`${layer}.norm2`, added, tokens);
    }
    return this.#mean(ids.length);
  }

  /** The sum of word and position of each token, normalised. Padding is zero. */
  #start(ids: readonly number[], tokens: number): void {
    const { width } = this.weights.shape;
    const { state, added } = this.#scratch;
    const floats = this.#floats;
    const positions = this.weights.place("positions").at / 4;
    const scales = this.weights.place("words").scalesAt / 4;
    floats.fill(0, state / 4, state / 4 + tokens * width);
    floats.fill(0, added / 4, added / 4 + tokens * width);
    ids.forEach((id, token) => {
      const scale = floats[scales + id]!;
      const to = state / 4 + token * width;
      for (let i = 0; i < width; i++) {
        floats[to + i] = this.#words[id * width + i]! * scale + floats[positions + token * width + i]!;
      }
    });
    this.#normalize("norm", added, tokens);
  }

  #multiply(name: string, from: number, to: number, tokens: number, inputs: number, outputs: number): void {
    const { activations, scales } = this.#scratch;
    const { at, scalesAt } = this.weights.place(name);
    const bias = this.weights.place(`${name}.bias`).at;
    this.#kernels.quantizeRows(from, activations, scales, tokens, inputs);
    this.#kernels.multiply(activations, scales, at, scalesAt, bias, to, tokens, outputs, inputs, 4 * outputs);
  }

  #attend(tokens: number): void {
    const { width } = this.weights.shape;
    const { wide, mixed, scores } = this.#scratch;
    const row = 4 * width;
    for (let head = 0; head < row; head += 4 * HEAD) {
      const queries = wide + head;
      const keys = queries + row;
      this.#kernels.attend(queries, keys, keys + row, mixed + head, scores, tokens, 3 * row, row);
    }
  }

  #normalize(name: string, added: number, tokens: number): void {
    const gain = this.weights.place(`${name}.gain`).at;
    const bias = this.weights.place(`${name}.bias`).at;
    this.#kernels.addAndNormalize(this.#scratch.state, added, gain, bias, tokens, this.weights.shape.width);
  }

  #mean(tokens: number): Float32Array {
    const { width } = this.weights.shape;
    const vector = new Float32Array(width);
    const from = this.#scratch.state / 4;
    for (let token = 0; token < tokens; token++) {
      for (let i = 0; i < width; i++) vector[i]! += this.#floats[from + token * width + i]!;
    }
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  }
}

/** The part of WebAssembly that is used here; TypeScript describes it only in its DOM library. */
interface WebAssemblyHost {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: unknown };
}

const PAGE_BYTES = 65_536;
let compiled: object | undefined;

/** The kernels with `bytes` of memory. */
function instantiate(bytes: number): { buffer: ArrayBuffer; kernels: Kernels } {
  const { WebAssembly: host } = globalThis as { WebAssembly?: WebAssemblyHost };
  if (host !== undefined && compiled === undefined) {
    const binary = wasmModule(KERNELS);
    if (host.validate(binary)) compiled = new host.Module(binary);
  }
  if (host === undefined || compiled === undefined) {
    throw new RepertoireError(
      "encoder-unsupported",
      'This machine cannot run the encoder: it lacks WebAssembly with SIMD. Choose the embedder "local".',
      "WebAssembly",
    );
  }
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new host.Memory({ initial: pages, maximum: pages });
  const { exports } = new host.Instance(compiled, { m: { m: memory } });
  return { buffer: memory.buffer, kernels: exports as Kernels };
}
