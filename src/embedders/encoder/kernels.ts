// The encoder's arithmetic in WebAssembly SIMD. Addresses are bytes in the one memory; matrices are row after row.

import {
  type Code,
  f32,
  f32x4,
  i32,
  i32x4,
  type Locals,
  loop,
  v128,
  type WasmFunction,
  wasmFunction,
} from "./assembler.ts";

/** Tokens whose products are computed together; activations are stored in tiles of as many rows. */
export const TILE_TOKENS = 4;
/** Rows of a weight matrix that are stored interleaved, eight values of each in turn. */
export const TILE_ROWS = 2;
/** Values of one row that are multiplied by one instruction. */
export const STEP = 8;
/** The width of an attention head, which the attention kernel keeps in registers. */
export const HEAD = 32;
/**
 * Activations have 14 bits. The products are computed with 16 bits in any case, and a sum of 2,048 products of
 * 8,191 and 127 still fits into 32 bits.
 */
const ACTIVATION_LEVELS = 8191;
export const MOST_INPUTS = 2048;

const FLOAT = 4;
const VECTOR = 16;

const addTo = (locals: Locals<string>, name: string, value: Code): Code => [
  locals.get(name),
  value,
  i32.add,
  locals.set(name),
];

/** Adds to a pointer and leaves whether it is still before `end`: the last lines of a loop. */
const advance = (locals: Locals<string>, name: string, by: Code, end: string): Code => [
  locals.get(name),
  by,
  i32.add,
  locals.tee(name),
  locals.get(end),
  i32.lessThan,
];

/** The sum of a vector's four lanes as a float. */
const sumOfLanes = (vector: Code): Code =>
  [0, 1, 2, 3].map((lane) => [vector, f32x4.lane(lane), lane > 0 ? f32.add : []]);

/** e to the power of `x`, a vector of values up to 80: 2^n by the exponent's bits, the rest by a polynomial. */
function exponential(locals: Locals<string>, x: string, whole: string): Code {
  const { get, set, tee } = locals;
  const factors = [1.540353e-4, 1.3333558e-3, 9.6181291e-3, 5.5504109e-2, 2.4022651e-1, 6.9314718e-1, 1];
  return [
    [get(x), f32x4.constant(-80), f32x4.max, f32x4.constant(Math.LOG2E), f32x4.mul, tee(x)],
    [f32x4.nearest, set(whole), get(x), get(whole), f32x4.sub, set(x)],
    f32x4.constant(factors[0]!),
    factors.slice(1).map((factor) => [get(x), f32x4.mul, f32x4.constant(factor), f32x4.add]),
    [get(whole), i32x4.fromF32, i32.const(127), i32x4.splat, i32x4.add, i32.const(23), i32x4.shiftLeft],
    f32x4.mul,
  ];
}

/** Rows of floats to tiles of 16-bit integers, each row with its own scale. `dims` is a multiple of 8. */
const quantizeRows = wasmFunction({
  name: "quantizeRows",
  parameters: ["input", "output", "scales", "rows", "dims"],
  i32: ["end", "row", "at", "to"],
  f32: ["largest"],
  v128: ["most", "factor"],
  body(locals) {
    const { get, set, tee } = locals;
    const rounded = (offset: number): Code => [
      [get("at"), v128.load(offset), get("factor"), f32x4.mul, f32x4.nearest, i32x4.fromF32],
    ];
    return loop(
      [v128.zero, set("most"), get("input"), set("at")],
      [get("input"), get("dims"), i32.const(FLOAT), i32.mul, i32.add, set("end")],
      loop(
        [get("most"), get("at"), v128.load(), f32x4.abs, f32x4.max, set("most")],
        advance(locals, "at", i32.const(VECTOR), "end"),
      ),
      [get("most"), f32x4.lane(0), get("most"), f32x4.lane(1), f32.max],
      [get("most"), f32x4.lane(2), f32.max, get("most"), f32x4.lane(3), f32.max, f32.const(1e-20), f32.max],
      [f32.const(ACTIVATION_LEVELS), f32.div, set("largest")],
      [get("scales"), get("largest"), f32.store()],
      [f32.const(1), get("largest"), f32.div, f32x4.splat, set("factor")],
      [get("input"), set("at"), get("output"), set("to")],
      loop(
        [get("to"), rounded(0), rounded(VECTOR), i32x4.narrow, v128.store()],
        addTo(locals, "to", i32.const(TILE_TOKENS * VECTOR)),
        advance(locals, "at", i32.const(2 * VECTOR), "end"),
      ),
      [get("end"), set("input")],
      addTo(locals, "scales", i32.const(FLOAT)),
      // The next row of the tile, or the first one of the next tile.
      [get("row"), i32.const(1), i32.add, tee("row"), i32.const(TILE_TOKENS), i32.lessThan],
      [0x04, 0x40, addTo(locals, "output", i32.const(VECTOR)), 0x05],
      [i32.const(0), set("row"), get("to"), i32.const((TILE_TOKENS - 1) * VECTOR), i32.sub, set("output")],
      0x0b,
      [get("rows"), i32.const(1), i32.sub, tee("rows")],
    );
  },
});

/**
 * Activations times weights plus bias: for each pair of weight rows and each tile of tokens, eight sums at once.
 * `tokens` is a multiple of 4, `outputs` even, `inputs` a multiple of 16; `stride` is the bytes from a token's
 * outputs to the next token's.
 */
const SUMS = ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"] as const;
const multiply = wasmFunction({
  name: "multiply",
  parameters: [
    "activations",
    "scales",
    "weights",
    "weightScales",
    "bias",
    "output",
    "tokens",
    "outputs",
    "inputs",
    "stride",
  ],
  i32: ["a", "w", "wEnd", "scale", "to", "scalesEnd", "weightScalesEnd", "place"],
  v128: [...SUMS, "first", "second", "token", "swap"],
  body(locals) {
    const { get, set, tee } = locals;
    const step = (at: number): Code => [
      [
        get("w"),
        v128.load8x8(at * 2 * STEP),
        set("first"),
        get("w"),
        v128.load8x8(at * 2 * STEP + STEP),
        set("second"),
      ],
      [0, 1, 2, 3].map((token) => [
        [get("a"), v128.load((at * TILE_TOKENS + token) * VECTOR), set("token")],
        [
          get(`a${token}` as "a0"),
          get("token"),
          get("first"),
          i32x4.dotI16,
          i32x4.add,
          set(`a${token}` as "a0"),
        ],
        [
          get(`b${token}` as "b0"),
          get("token"),
          get("second"),
          i32x4.dotI16,
          i32x4.add,
          set(`b${token}` as "b0"),
        ],
      ]),
    ];
    /** One vector with the sums of the lanes of four vectors, in `swap`. */
    const sums = (row: "a" | "b"): Code => {
      const of = (token: number) => get(`${row}${token}` as "a0");
      const pair = (left: number, right: number): Code => [
        [of(left), of(right), v128.shuffle32(0, 4, 1, 5)],
        [of(left), of(right), v128.shuffle32(2, 6, 3, 7), i32x4.add],
      ];
      // Each pair has left, right, left, right; two halves of each remain to be added.
      return [
        [pair(0, 1), set("first"), pair(2, 3), set("second")],
        [get("first"), get("second"), v128.shuffle32(0, 1, 4, 5)],
        [get("first"), get("second"), v128.shuffle32(2, 3, 6, 7), i32x4.add, set("swap")],
      ];
    };
    const finish = (row: "a" | "b", at: number): Code => [
      sums(row),
      [get("swap"), f32x4.fromI32, get("scale"), v128.load(), f32x4.mul],
      [get("weightScales"), f32.load(at * FLOAT), f32x4.splat, f32x4.mul],
      [get("bias"), f32.load(at * FLOAT), f32x4.splat, f32x4.add, set("swap")],
      [get("to"), i32.const(at * FLOAT), i32.add, set("place")],
      [0, 1, 2, 3].map((lane) => [
        [get("place"), get("swap"), v128.store32(lane)],
        lane < 3 ? addTo(locals, "place", get("stride")) : [],
      ]),
    ];
    return [
      [get("scales"), get("tokens"), i32.const(FLOAT), i32.mul, i32.add, set("scalesEnd")],
      [get("weightScales"), get("outputs"), i32.const(FLOAT), i32.mul, i32.add, set("weightScalesEnd")],
      loop(
        [get("activations"), set("a"), get("scales"), set("scale"), get("output"), set("to")],
        [get("weights"), get("inputs"), i32.const(TILE_ROWS), i32.mul, i32.add, set("wEnd")],
        loop(
          SUMS.map((sum) => [v128.zero, set(sum)]),
          [get("weights"), set("w")],
          loop(
            [step(0), step(1), addTo(locals, "a", i32.const(2 * TILE_TOKENS * VECTOR))],
            advance(locals, "w", i32.const(2 * TILE_ROWS * STEP), "wEnd"),
          ),
          [finish("a", 0), finish("b", 1)],
          addTo(locals, "to", [get("stride"), i32.const(TILE_TOKENS), i32.mul]),
          advance(locals, "scale", i32.const(TILE_TOKENS * FLOAT), "scalesEnd"),
        ),
        [get("wEnd"), set("weights")],
        addTo(locals, "bias", i32.const(TILE_ROWS * FLOAT)),
        addTo(locals, "output", i32.const(TILE_ROWS * FLOAT)),
        [get("weightScales"), i32.const(TILE_ROWS * FLOAT), i32.add, tee("weightScales")],
        [get("weightScalesEnd"), i32.lessThan],
      ),
    ];
  },
});

/** The exact GELU of `count` floats, in place; the error function by formula 7.1.26 of Abramowitz and Stegun. */
const gelu = wasmFunction({
  name: "gelu",
  parameters: ["at", "count"],
  i32: ["end"],
  v128: ["x", "size", "t", "power", "whole"],
  body(locals) {
    const { get, set, tee } = locals;
    const factors = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
    return [
      [get("at"), get("count"), i32.const(FLOAT), i32.mul, i32.add, set("end")],
      loop(
        [get("at"), v128.load(), tee("x"), f32x4.abs, set("size")],
        [f32x4.constant(1), f32x4.constant(1), get("size"), f32x4.constant(0.3275911 * Math.SQRT1_2)],
        [f32x4.mul, f32x4.add, f32x4.div, set("t")],
        [get("size"), get("size"), f32x4.mul, f32x4.constant(-0.5), f32x4.mul, set("power")],
        [get("at"), get("x"), v128.zero, f32x4.max],
        [get("size"), f32x4.constant(0.5), f32x4.mul],
        [f32x4.constant(factors[0]!)],
        factors.slice(1).map((factor) => [get("t"), f32x4.mul, f32x4.constant(factor), f32x4.add]),
        [get("t"), f32x4.mul, f32x4.mul, exponential(locals, "power", "whole"), f32x4.mul, f32x4.sub],
        v128.store(),
        advance(locals, "at", i32.const(VECTOR), "end"),
      ),
    ];
  },
});

/** `input` plus `added`, row by row normalised to mean 0 and variance 1, times `gain` plus `bias`; into `input`. */
const addAndNormalize = wasmFunction({
  name: "addAndNormalize",
  parameters: ["input", "added", "gain", "bias", "rows", "dims"],
  i32: ["at", "end", "from", "g", "b"],
  f32: ["count"],
  v128: ["sum", "mean", "x", "factor"],
  body(locals) {
    const { get, set, tee } = locals;
    const next = advance(locals, "at", i32.const(VECTOR), "end");
    return [
      [get("dims"), f32.fromI32, set("count")],
      loop(
        [get("input"), tee("at"), get("dims"), i32.const(FLOAT), i32.mul, i32.add, set("end")],
        [get("added"), set("from"), v128.zero, set("sum")],
        loop(
          [get("at"), get("at"), v128.load(), get("from"), v128.load(), f32x4.add, tee("x"), v128.store()],
          [get("sum"), get("x"), f32x4.add, set("sum")],
          addTo(locals, "from", i32.const(VECTOR)),
          next,
        ),
        [sumOfLanes(get("sum")), get("count"), f32.div, f32x4.splat, set("mean")],
        [get("input"), set("at"), v128.zero, set("sum")],
        loop(
          [get("at"), v128.load(), get("mean"), f32x4.sub, tee("x"), get("x"), f32x4.mul],
          [get("sum"), f32x4.add, set("sum")],
          next,
        ),
        [f32.const(1), sumOfLanes(get("sum")), get("count"), f32.div, f32.const(1e-12), f32.add],
        [f32.sqrt, f32.div, f32x4.splat, set("factor")],
        [get("input"), set("at"), get("gain"), set("g"), get("bias"), set("b")],
        loop(
          [get("at"), get("at"), v128.load(), get("mean"), f32x4.sub, get("factor"), f32x4.mul],
          [get("g"), v128.load(), f32x4.mul, get("b"), v128.load(), f32x4.add, v128.store()],
          [addTo(locals, "g", i32.const(VECTOR)), addTo(locals, "b", i32.const(VECTOR))],
          next,
        ),
        [get("end"), set("input"), get("from"), set("added")],
        [get("rows"), i32.const(1), i32.sub, tee("rows")],
      ),
    ];
  },
});

/**
 * One head of attention. `queries`, `keys` and `values` are the first token's; from one token to the next it is
 * `stride` bytes there and `outputStride` in the output. `scores` has room for a multiple of four floats.
 * Only the first `tokens` are attended to, the padding behind them is not.
 */
const LANES = ["0", "1", "2", "3", "4", "5", "6", "7"] as const;
const QUERY = LANES.map((lane) => `q${lane}` as const);
const MIXED = LANES.map((lane) => `m${lane}` as const);
const attend = wasmFunction({
  name: "attend",
  parameters: ["queries", "keys", "values", "output", "scores", "tokens", "stride", "outputStride"],
  i32: ["left", "k", "s", "end"],
  f32: ["score", "largest"],
  v128: [...QUERY, ...MIXED, "x", "whole", "sum"],
  body(locals) {
    const { get, set, tee } = locals;
    const product = (at: number): Code => [get(QUERY[at]!), get("k"), v128.load(at * VECTOR), f32x4.mul];
    return [
      [get("tokens"), set("left")],
      [get("scores"), get("tokens"), i32.const(FLOAT), i32.mul, i32.add, set("end")],
      loop(
        QUERY.map((query, at) => [
          [
            get("queries"),
            v128.load(at * VECTOR),
            f32x4.constant(1 / Math.sqrt(HEAD)),
            f32x4.mul,
            set(query),
          ],
        ]),
        [f32.const(-1e30), set("largest"), get("keys"), set("k"), get("scores"), set("s")],
        loop(
          [product(0), product(1), f32x4.add, product(2), product(3), f32x4.add, f32x4.add],
          [product(4), product(5), f32x4.add, product(6), product(7), f32x4.add, f32x4.add],
          [f32x4.add, set("x"), get("s"), sumOfLanes(get("x")), tee("score"), f32.store()],
          [get("largest"), get("score"), f32.max, set("largest")],
          addTo(locals, "k", get("stride")),
          advance(locals, "s", i32.const(FLOAT), "end"),
        ),
        // Scores behind the last token become 0 after the exponential.
        [get("s"), f32x4.constant(-1e30), v128.store()],
        [get("scores"), set("s"), v128.zero, set("sum")],
        loop(
          [get("s"), v128.load(), get("largest"), f32x4.splat, f32x4.sub, set("x")],
          [get("s"), exponential(locals, "x", "whole"), tee("x"), v128.store()],
          [get("sum"), get("x"), f32x4.add, set("sum")],
          advance(locals, "s", i32.const(VECTOR), "end"),
        ),
        MIXED.map((mixed) => [v128.zero, set(mixed)]),
        [get("values"), set("k"), get("scores"), set("s")],
        loop(
          [get("s"), f32.load(), f32x4.splat, set("x")],
          MIXED.map((mixed, at) => [
            [get(mixed), get("k"), v128.load(at * VECTOR), get("x"), f32x4.mul, f32x4.add, set(mixed)],
          ]),
          addTo(locals, "k", get("stride")),
          advance(locals, "s", i32.const(FLOAT), "end"),
        ),
        [f32.const(1), sumOfLanes(get("sum")), f32.div, f32x4.splat, set("x")],
        MIXED.map((mixed, at) => [get("output"), get(mixed), get("x"), f32x4.mul, v128.store(at * VECTOR)]),
        addTo(locals, "queries", get("stride")),
        addTo(locals, "output", get("outputStride")),
        [get("left"), i32.const(1), i32.sub, tee("left")],
      ),
    ];
  },
});

export const KERNELS: readonly WasmFunction[] = [quantizeRows, multiply, gelu, addAndNormalize, attend];

/** The functions of an instance of the module. */
export interface Kernels {
  quantizeRows(input: number, output: number, scales: number, rows: number, dims: number): void;
  multiply(
    activations: number,
    scales: number,
    weights: number,
    weightScales: number,
    bias: number,
    output: number,
    tokens: number,
    outputs: number,
    inputs: number,
    stride: number,
  ): void;
  gelu(at: number, count: number): void;
  addAndNormalize(input: number, added: number, gain: number, bias: number, rows: number, dims: number): void;
  attend(
    queries: number,
    keys: number,
    values: number,
    output: number,
    scores: number,
    tokens: number,
    stride: number,
    outputStride: number,
  ): void;
}
