// Assembles the WebAssembly of the kernels. The build runs this file and puts the bytes in its place (scripts/bundle.mjs),
// because a process that answers one message should not assemble anything.

/** Bytes of a block in checksum.ts. */
const BLOCK_BYTES = 4096;
/** Bytes of a vector register. */
const LANE_BYTES = 16;

/** WebAssembly instructions, nested as is convenient. */
type Code = number | readonly Code[];

const flat = (code: Code): number[] => (typeof code === "number" ? [code] : code.flatMap(flat));

function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}

function signedLeb128(value: number): number[] {
  if (value >= -64 && value < 64) return [value & 0x7f];
  return [(value & 0x7f) | 0x80, ...signedLeb128(value >> 7)];
}

const TYPE = { i32: 0x7f, f64: 0x7c, v128: 0x7b } as const;

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const tee = (local: number): Code => [0x22, local];
const i32 = {
  const: (value: number): Code => [0x41, signedLeb128(value)],
  load: (offset = 0): Code => [0x28, 2, offset],
  loadByte: [0x2d, 0, 0] as Code,
  loadShort: [0x2f, 1, 0] as Code,
  equal: 0x46,
  and: 0x71,
  greaterThan: 0x4a,
  store: (offset = 0): Code => [0x36, 2, offset],
  add: 0x6a,
  subtract: 0x6b,
  multiply: 0x6c,
  xor: 0x73,
  shiftLeft: 0x74,
  shiftRight: 0x76,
  lessThan: 0x49,
  atLeast: 0x4f,
} as const;
const advance = (local: number, by: number): Code => [get(local), i32.const(by), i32.add, set(local)];
/** Repeats while the value left by the body is not 0. */
const loop = (...body: Code[]): Code => [0x03, 0x40, body, 0x0d, 0, 0x0b];
const returnIf = (condition: Code, value: Code): Code => [condition, 0x04, 0x40, value, 0x0f, 0x0b];
const simd = (opcode: number, ...operands: number[]): Code => [0xfd, leb128(opcode), operands];

function dotsBody(): Code {
  const [query, row, result, count, dims, q, end, even, odd] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
  const zero = simd(0x0c, ...new Array<number>(LANE_BYTES).fill(0));
  const load = (offset: number) => simd(0x00, 0, offset);
  const load8BytesAsI16 = (offset: number) => simd(0x01, 0, offset);
  const extractI32 = (lane: number) => simd(0x1b, lane);
  const addI32 = simd(0xae);
  const dotI16 = simd(0xba);
  const accumulate = (sum: number, rowOffset: number, queryOffset: number): Code => [
    [get(sum), get(row), load8BytesAsI16(rowOffset), get(q), load(queryOffset), dotI16, addI32, set(sum)],
  ];
  return loop(
    [zero, set(even), zero, set(odd), get(query), set(q)],
    [get(row), get(dims), i32.add, set(end)],
    // Two accumulators that do not wait for each other.
    loop(
      [accumulate(even, 0, 0), accumulate(odd, 8, LANE_BYTES)],
      [advance(q, 2 * LANE_BYTES), advance(row, LANE_BYTES), get(row), get(end), i32.lessThan],
    ),
    [get(even), get(odd), addI32, set(even), get(result)],
    [0, 1, 2, 3].map((lane) => [get(even), extractI32(lane), lane > 0 ? i32.add : []]),
    [i32.store(), advance(result, 4)],
    [get(count), i32.const(1), i32.subtract, tee(count)],
  );
}

function nextBody(): Code {
  const [dots, scales, from, count, factor, least] = [0, 1, 2, 3, 4, 5] as const;
  const at = (base: number): Code => [get(base), get(from), i32.const(2), i32.shiftLeft, i32.add];
  const f64 = { fromI32: 0xb7, fromF32: 0xbb, multiply: 0xa2, atLeast: 0x66 };
  const loadF32: Code = [0x2a, 2, 0];
  const scaled: Code = [
    [at(dots), i32.load(), f64.fromI32, at(scales), loadF32, f64.fromF32, f64.multiply],
    [get(factor), f64.multiply],
  ];
  return [
    loop(
      returnIf([get(from), get(count), i32.atLeast], get(count)),
      returnIf([scaled, get(least), f64.atLeast], get(from)),
      [advance(from, 1), i32.const(1)],
    ),
    get(count),
  ];
}

function unpackBody(): Code {
  const [codes, rows, bytes, words, values, result, sums, end, sum, offset] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  ] as const;
  return loop(
    [i32.const(0), set(sum), get(codes), get(bytes), i32.add, set(end)],
    loop(
      [get(codes), i32.loadByte, i32.const(2), i32.shiftLeft, set(offset)],
      [get(result), get(words), get(offset), i32.add, i32.load(), i32.store()],
      [get(sum), get(values), get(offset), i32.add, i32.load(), i32.add, set(sum)],
      [advance(result, 4), advance(codes, 1), get(codes), get(end), i32.lessThan],
    ),
    [get(sums), get(sum), i32.store(), advance(sums, 4)],
    [get(rows), i32.const(1), i32.subtract, tee(rows)],
  );
}

/** Adds `units` times an impact to the sum of the document in local `doc`. Documents are below 2 ** 14. */
function addImpact({ doc, impacts, units, sums }: Readonly<Record<string, number>>): Code {
  return [
    [get(sums!), get(doc!), i32.const(0x3fff), i32.and, i32.const(2), i32.shiftLeft, i32.add, tee(doc! + 1)],
    [get(doc! + 1), i32.load(), get(impacts!), i32.loadByte, get(units!), i32.multiply, i32.add, i32.store()],
    advance(impacts!, 1),
  ];
}

function addDocsBody(): Code {
  const [docs, impacts, count, units, sums, doc] = [0, 1, 2, 3, 4, 5] as const;
  return loop(
    [get(docs), i32.loadShort, set(doc), advance(docs, 2)],
    addImpact({ doc, impacts, units, sums }),
    [get(count), i32.const(1), i32.subtract, tee(count)],
  );
}

/** A gap of 255 continues in the next byte. */
function addGapsBody(): Code {
  const [gaps, impacts, count, units, sums, doc, , gap] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  return [
    [i32.const(-1), set(doc)],
    loop(
      loop(
        [get(gaps), i32.loadByte, set(gap), advance(gaps, 1)],
        [get(doc), get(gap), i32.add, set(doc), get(gap), i32.const(255), i32.equal],
      ),
      advance(doc, 1),
      addImpact({ doc, impacts, units, sums }),
      [get(count), i32.const(1), i32.subtract, tee(count)],
    ),
  ];
}

function aboveBody(): Code {
  const [sums, from, count, floor] = [0, 1, 2, 3] as const;
  const sum: Code = [get(sums), get(from), i32.const(2), i32.shiftLeft, i32.add, i32.load()];
  return [
    loop(
      returnIf([get(from), get(count), i32.atLeast], get(count)),
      returnIf([sum, get(floor), i32.greaterThan], get(from)),
      [advance(from, 1), i32.const(1)],
    ),
    get(count),
  ];
}

/** The same steps as `checksum` in checksum.ts. */
function checksumsBody(): Code {
  const [at, end, bytes, result, seed, multiplier, blockEnd, sum, ...states] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
  ] as const;
  const mix = (state: number, word: Code): Code => [
    [get(state), word, i32.xor, get(multiplier), i32.multiply, tee(state)],
    [get(state), i32.const(15), i32.shiftRight, i32.xor, set(state)],
  ];
  return loop(
    states.map((state, i) => [i32.const(i + 1), set(state)]),
    [get(at), get(bytes), i32.add, set(blockEnd)],
    loop(
      states.map((state, i) => mix(state, [get(at), i32.load(i * 4)])),
      [advance(at, LANE_BYTES), get(at), get(blockEnd), i32.lessThan],
    ),
    [get(seed), set(sum), states.map((state) => mix(sum, get(state)))],
    [get(result), get(sum), i32.store(), advance(result, 4)],
    [get(at), get(end), i32.lessThan],
  );
}

/** The checksums of four blocks at once: the steps of one wait for each other, those of four blocks do not. */
function fourChecksumsBody(): Code {
  const [at, end, result, seed, multiplier, blockEnd, sum, factors, ...states] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
  ] as const;
  const [xor, multiply, shiftRight, splat] = [simd(0x51), simd(0xb5), simd(0xad), simd(0x11)];
  const start = simd(0x0c, ...[1, 2, 3, 4].flatMap((word) => [word, 0, 0, 0]));
  const step = (state: number, block: number): Code => [
    [get(state), get(at), simd(0x00, 0, ...leb128(block * BLOCK_BYTES)), xor, get(factors), multiply],
    [tee(state), get(state), i32.const(15), shiftRight, xor, set(state)],
  ];
  const mix = (word: Code): Code => [
    [get(sum), word, i32.xor, get(multiplier), i32.multiply, tee(sum)],
    [get(sum), i32.const(15), i32.shiftRight, i32.xor, set(sum)],
  ];
  return [
    [get(multiplier), splat, set(factors)],
    loop(
      states.map((state) => [start, set(state)]),
      [get(at), i32.const(BLOCK_BYTES), i32.add, set(blockEnd)],
      loop(states.map(step), [advance(at, LANE_BYTES), get(at), get(blockEnd), i32.lessThan]),
      states.map((state, block) => [
        [get(seed), set(sum), [0, 1, 2, 3].map((lane) => mix([get(state), simd(0x1b, lane)]))],
        [get(result), get(sum), i32.store(block * 4)],
      ]),
      [advance(result, states.length * 4), advance(at, (states.length - 1) * BLOCK_BYTES)],
      [get(at), get(end), i32.lessThan],
    ),
  ];
}

/** In the order of their types and bodies. */
const FUNCTIONS = [
  "dots",
  "next",
  "unpack",
  "checksums",
  "addDocs",
  "addGaps",
  "above",
  "fourChecksums",
] as const;

/** The module of `Kernel` in kernels.ts. It imports its memory as `m.m`. */
export function kernelModule(): Uint8Array {
  const { i32: int, f64, v128 } = TYPE;
  const section = (id: number, ...content: Code[]): Code => {
    const bytes = flat(content);
    return [id, leb128(bytes.length), bytes];
  };
  const name = (text: string): Code => [text.length, [...text].map((c) => c.charCodeAt(0))];
  const body = (locals: Code, instructions: Code): Code => {
    const bytes = flat([locals, instructions, 0x0b]);
    return [leb128(bytes.length), bytes];
  };
  const functionType = 0x60;
  return Uint8Array.from(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(
        1,
        5,
        [functionType, 5, int, int, int, int, int, 0],
        [functionType, 6, int, int, int, int, f64, f64, 1, int],
        [functionType, 7, int, int, int, int, int, int, int, 0],
        [functionType, 6, int, int, int, int, int, int, 0],
        [functionType, 4, int, int, int, int, 1, int],
      ),
      section(2, 1, name("m"), name("m"), 0x02, 0x00, 1),
      section(3, FUNCTIONS.length, [0, 1, 2, 3, 0, 0, 4, 0]),
      section(
        7,
        FUNCTIONS.length,
        FUNCTIONS.map((text, n) => [name(text), 0x00, n]),
      ),
      section(
        10,
        FUNCTIONS.length,
        body([2, 2, int, 2, v128], dotsBody()),
        body([0], nextBody()),
        body([1, 3, int], unpackBody()),
        body([1, 6, int], checksumsBody()),
        body([1, 2, int], addDocsBody()),
        body([1, 3, int], addGapsBody()),
        body([0], aboveBody()),
        body([2, 2, int, 5, v128], fourChecksumsBody()),
      ),
    ]),
  );
}
