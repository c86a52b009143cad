// The file format of the encoder: writes it from floats, reads it, and says where each part lies.
//
// Little-endian. A header of 128 bytes, then the vocabulary (one piece a line, UTF-8) and the parts of `partsOf` in their
// order, each at a multiple of 16 bytes. A matrix has one float scale per row and signed bytes, the rows in pairs and
// eight values of each in turn, as the kernels read them. The file is used as it stands: it is read into the
// kernels' memory and never copied.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { RepertoireError } from "../../model/errors.ts";
import { checksum } from "../../search/search.ts";
import { HEAD, MOST_INPUTS, STEP, TILE_ROWS } from "./kernels.ts";

const MAGIC = 0x4e545052; // "RPTN"
const VERSION = 1;
const HEADER_BYTES = 128;
const ALIGNMENT = 16;
/** 127 and not 128, so that a weight and its negative are equally far from zero. */
const LEVELS = 127;
/** The header's words (u32). */
const FIELD = {
  magic: 0,
  version: 1,
  content: 2,
  bytes: 3,
  width: 4,
  inner: 5,
  layers: 6,
  pieces: 7,
  positions: 8,
  vocabularyBytes: 9,
  messageTokens: 10,
  documentTokens: 11,
} as const;

/** The sizes of an encoder. */
export interface Shape {
  readonly width: number;
  /** The width between the two matrices of a layer's second half. */
  readonly inner: number;
  readonly layers: number;
  readonly pieces: number;
  /** The longest text in tokens. */
  readonly positions: number;
  /** Tokens that are read of a message and of a document, with the two that mark its ends. */
  readonly messageTokens: number;
  readonly documentTokens: number;
}

interface Part {
  readonly name: string;
  readonly kind: "floats" | "matrix" | "table";
  readonly rows: number;
  readonly columns: number;
}

/** All parts in the file's order. `table` is a matrix whose rows are read one by one and not interleaved. */
function partsOf({ width, inner, layers, pieces, positions }: Shape): Part[] {
  const floats = (name: string, columns: number, rows = 1): Part => ({ name, kind: "floats", rows, columns });
  const matrix = (name: string, rows: number, columns: number): Part[] => [
    { name, kind: "matrix", rows, columns },
    floats(`${name}.bias`, rows),
  ];
  const norm = (name: string): Part[] => [floats(`${name}.gain`, width), floats(`${name}.bias`, width)];
  return [
    { name: "words", kind: "table", rows: pieces, columns: width },
    floats("positions", width, positions),
    ...norm("norm"),
    ...Array.from({ length: layers }, (_, layer) => [
      ...matrix(`${layer}.attention`, 3 * width, width),
      ...matrix(`${layer}.out`, width, width),
      ...norm(`${layer}.norm1`),
      ...matrix(`${layer}.up`, inner, width),
      ...matrix(`${layer}.down`, width, inner),
      ...norm(`${layer}.norm2`),
    ]).flat(),
  ];
}

/** Where a part lies in the file and, with the same number, in memory. */
interface Place {
  readonly at: number;
  /** Where the scales of a matrix lie. */
  readonly scalesAt: number;
}

interface Layout {
  readonly places: ReadonlyMap<string, Place>;
  readonly bytes: number;
}

function layoutOf(shape: Shape, vocabularyBytes: number): Layout {
  let bytes = HEADER_BYTES;
  const take = (size: number): number => {
    const at = bytes;
    bytes = Math.ceil((bytes + size) / ALIGNMENT) * ALIGNMENT;
    return at;
  };
  take(vocabularyBytes);
  const places = new Map<string, Place>();
  for (const { name, kind, rows, columns } of partsOf(shape)) {
    const scalesAt = kind === "floats" ? 0 : take(4 * rows);
    places.set(name, { scalesAt, at: take(rows * columns * (kind === "floats" ? 4 : 1)) });
  }
  return { places, bytes };
}

interface EncoderSource {
  readonly shape: Shape;
  readonly vocabulary: readonly string[];
  /** The floats of a part, row after row. */
  part(name: string): Float32Array;
}

/** Quantises an encoder and makes its file; `evals/train` writes it. */
export function encodeWeights({ shape, vocabulary, part }: EncoderSource): Uint8Array<ArrayBuffer> {
  const words = new TextEncoder().encode(vocabulary.join("\n"));
  const { places, bytes } = layoutOf(shape, words.length);
  const buffer = new ArrayBuffer(bytes);
  const file = new Uint8Array(buffer);
  file.set(words, HEADER_BYTES);
  for (const { name, kind, rows, columns } of partsOf(shape)) {
    const { at, scalesAt } = places.get(name)!;
    const floats = part(name);
    if (floats.length !== rows * columns)
      throw new Error(`${name} has ${floats.length} values, not ${rows * columns}`);
    if (kind === "floats") {
      new Float32Array(buffer, at, floats.length).set(floats);
      continue;
    }
    const scales = new Float32Array(buffer, scalesAt, rows);
    const values = new Int8Array(buffer, at, rows * columns);
    const together = kind === "matrix" ? TILE_ROWS : 1;
    for (let row = 0; row < rows; row++) {
      const vector = floats.subarray(row * columns, (row + 1) * columns);
      const scale = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / LEVELS;
      scales[row] = scale;
      const pair = row - (row % together);
      for (let column = 0; column < columns; column++) {
        const inStep = column % STEP;
        const place = pair * columns + (column - inStep) * together + (row - pair) * STEP + inStep;
        values[place] = scale === 0 ? 0 : Math.round(vector[column]! / scale);
      }
    }
  }
  const header = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
  const fields = { magic: MAGIC, version: VERSION, bytes, vocabularyBytes: words.length, ...shape };
  for (const [name, value] of Object.entries(fields)) header[FIELD[name as keyof typeof fields]] = value;
  header[FIELD.content] = contentOf(file);
  return file;
}

/** The checksum of everything behind itself. */
const contentOf = (file: Uint8Array): number => checksum(file.subarray(4 * (FIELD.content + 1)));

/** An encoder's file in memory. */
export interface Weights {
  readonly shape: Shape;
  readonly bytes: number;
  /** The checksum of the file, which identifies the encoder. */
  readonly content: number;
  readonly vocabulary: readonly string[];
  place(name: string): Place;
}

/** Reads the file to the beginning of the memory that `allocate` gives for its size. */
export function readWeights(
  path: string,
  allocate: (bytes: number, shape: Shape) => ArrayBuffer,
): { weights: Weights; memory: ArrayBuffer } {
  const refuse = (why: string): never => {
    throw new RepertoireError(
      "encoder-unreadable",
      `${path} is not a usable encoder of version ${VERSION}: ${why}. ` +
        'Reinstall the package, or choose the embedder "local".',
      path,
    );
  };
  const file = openFile(path, refuse);
  try {
    const size = fstatSync(file).size;
    const header = new Uint32Array(HEADER_BYTES / 4);
    if (size < HEADER_BYTES) refuse(`${size} bytes long`);
    readFully(file, new Uint8Array(header.buffer), 0);
    if (header[FIELD.magic] !== MAGIC) refuse("the first four bytes differ");
    if (header[FIELD.version] !== VERSION) refuse(`version ${header[FIELD.version]}`);
    if (header[FIELD.bytes] !== size) refuse(`${size} bytes instead of ${header[FIELD.bytes]}`);
    const field = (name: keyof typeof FIELD): number => header[FIELD[name]]!;
    const shape: Shape = {
      width: field("width"),
      inner: field("inner"),
      layers: field("layers"),
      pieces: field("pieces"),
      positions: field("positions"),
      messageTokens: field("messageTokens"),
      documentTokens: field("documentTokens"),
    };
    const vocabularyBytes = field("vocabularyBytes");
    if (!isPossible(shape, vocabularyBytes, size)) refuse("its sizes are impossible");
    const { places, bytes } = layoutOf(shape, vocabularyBytes);
    if (bytes !== size) refuse("its parts do not fill it");
    const memory = allocate(size, shape);
    const all = new Uint8Array(memory, 0, size);
    readFully(file, all, 0);
    if (contentOf(all) !== field("content")) refuse("its checksum differs");
    // A copy, because a decoder does not read memory that can grow.
    const words = new TextDecoder().decode(all.slice(HEADER_BYTES, HEADER_BYTES + vocabularyBytes));
    const vocabulary = words.split("\n");
    if (vocabulary.length !== shape.pieces) refuse(`${vocabulary.length} pieces instead of ${shape.pieces}`);
    const place = (name: string): Place => places.get(name)!;
    return { weights: { shape, bytes, content: field("content"), vocabulary, place }, memory };
  } finally {
    closeSync(file);
  }
}

function isPossible(shape: Shape, vocabularyBytes: number, size: number): boolean {
  const { width, inner, layers, pieces, positions, messageTokens, documentTokens } = shape;
  const fits = (dims: number) => dims > 0 && dims <= MOST_INPUTS && dims % HEAD === 0;
  return (
    fits(width) &&
    fits(inner) &&
    layers <= 48 &&
    pieces * width < size &&
    positions * width < size &&
    vocabularyBytes < size &&
    Math.min(messageTokens, documentTokens) > 2 &&
    Math.max(messageTokens, documentTokens) <= positions
  );
}

function openFile(path: string, refuse: (why: string) => never): number {
  try {
    return openSync(path, "r");
  } catch (thrown) {
    return refuse(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function readFully(file: number, into: Uint8Array, from: number): void {
  let done = 0;
  while (done < into.length) {
    const count = readSync(file, into, done, into.length - done, from + done);
    if (count === 0) throw new Error(`the file ended ${into.length - done} bytes early`);
    done += count;
  }
}
