// A small assembler for WebAssembly with SIMD: instructions as nested lists, locals by name, and modules as bytes.

/** Instructions, nested as is convenient. */
export type Code = number | readonly Code[];

const flat = (code: Code): number[] => (typeof code === "number" ? [code] : code.flatMap(flat));

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  if (value >= -64 && value < 64) return [value & 0x7f];
  return [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

function floatBytes(value: number): number[] {
  return [...new Uint8Array(Float32Array.of(value).buffer)];
}

const LANE_BYTES = 16;
const simd = (opcode: number, ...operands: Code[]): Code => [0xfd, unsigned(opcode), ...operands];
const offsetOf = (offset: number): Code => [0, unsigned(offset)];

/** Instructions on 32-bit integers. */
export const i32 = {
  const: (value: number): Code => [0x41, signed(value)],
  add: 0x6a,
  sub: 0x6b,
  mul: 0x6c,
  lessThan: 0x49,
};

/** Instructions on 32-bit floats. */
export const f32 = {
  const: (value: number): Code => [0x43, floatBytes(value)],
  load: (offset = 0): Code => [0x2a, offsetOf(offset)],
  store: (offset = 0): Code => [0x38, offsetOf(offset)],
  sqrt: 0x91,
  add: 0x92,
  sub: 0x93,
  mul: 0x94,
  div: 0x95,
  max: 0x97,
  fromI32: 0xb3,
};

/** Instructions on vectors of 16 bytes. */
export const v128 = {
  load: (offset = 0) => simd(0x00, offsetOf(offset)),
  /** Eight signed bytes, widened to 16 bits each. */
  load8x8: (offset = 0) => simd(0x01, offsetOf(offset)),
  store: (offset = 0) => simd(0x0b, offsetOf(offset)),
  /** Stores one 32-bit lane. */
  store32: (lane: number) => simd(0x5a, offsetOf(0), lane),
  zero: simd(0x0c, new Array<number>(LANE_BYTES).fill(0)),
  /** Takes 32-bit lanes of two vectors; 4 to 7 are those of the second. */
  shuffle32: (...lanes: [number, number, number, number]) =>
    simd(
      0x0d,
      lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte)),
    ),
};

export const i32x4 = {
  add: simd(0xae),
  shiftLeft: simd(0xab),
  splat: simd(0x11),
  /** Products of eight 16-bit pairs, neighbours added. */
  dotI16: simd(0xba),
  /** Two vectors of 32-bit integers as eight 16-bit ones. */
  narrow: simd(0x85),
  fromF32: simd(0xf8),
};

export const f32x4 = {
  splat: simd(0x13),
  constant: (value: number): Code => [f32.const(value), simd(0x13)],
  lane: (lane: number) => simd(0x1f, lane),
  nearest: simd(0x6a),
  abs: simd(0xe0),
  add: simd(0xe4),
  sub: simd(0xe5),
  mul: simd(0xe6),
  div: simd(0xe7),
  max: simd(0xeb),
  fromI32: simd(0xfa),
};

/** Repeats the body while it leaves a value that is not 0. */
export const loop = (...body: Code[]): Code => [0x03, 0x40, body, 0x0d, 0, 0x0b];

/** Reads and writes locals by their names. */
export interface Locals<Name extends string> {
  get(name: Name): Code;
  set(name: Name): Code;
  tee(name: Name): Code;
}

export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  readonly code: readonly number[];
}

interface FunctionSource<
  Parameter extends string,
  I32 extends string,
  F32 extends string,
  V128 extends string,
> {
  readonly name: string;
  /** All of type i32. */
  readonly parameters: readonly Parameter[];
  readonly i32?: readonly I32[];
  readonly f32?: readonly F32[];
  readonly v128?: readonly V128[];
  body(locals: Locals<Parameter | I32 | F32 | V128>): Code;
}

const TYPE = { i32: 0x7f, f32: 0x7d, v128: 0x7b, function: 0x60 } as const;
const END = 0x0b;

/** Assembles a function without result. */
export function wasmFunction<
  Parameter extends string,
  I32 extends string = never,
  F32 extends string = never,
  V128 extends string = never,
>(source: FunctionSource<Parameter, I32, F32, V128>): WasmFunction {
  const { name, parameters, i32: integers = [], f32: floats = [], v128: vectors = [] } = source;
  const names: string[] = [...parameters, ...integers, ...floats, ...vectors];
  const indexOf = (local: string): Code => unsigned(names.indexOf(local));
  const body = source.body({
    get: (local) => [0x20, indexOf(local)],
    set: (local) => [0x21, indexOf(local)],
    tee: (local) => [0x22, indexOf(local)],
  });
  const groups: Code = [
    [unsigned(integers.length), TYPE.i32],
    [unsigned(floats.length), TYPE.f32],
    [unsigned(vectors.length), TYPE.v128],
  ];
  return { name, parameters: parameters.length, code: flat([3, groups, body, END]) };
}

/** A module of the functions; it imports its memory as `m.m`. */
export function wasmModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const section = (id: number, items: readonly Code[]): Code => {
    const bytes = flat([unsigned(items.length), ...items]);
    return [id, unsigned(bytes.length), bytes];
  };
  const text = (value: string): Code => [value.length, [...value].map((char) => char.charCodeAt(0))];
  const types = functions.map(({ parameters }) => [
    TYPE.function,
    parameters,
    new Array<number>(parameters).fill(TYPE.i32),
    0,
  ]);
  return Uint8Array.from(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, types),
      section(2, [[text("m"), text("m"), 0x02, 0x00, 1]]),
      section(
        3,
        functions.map((_, at) => unsigned(at)),
      ),
      section(
        7,
        functions.map(({ name }, at) => [text(name), 0x00, unsigned(at)]),
      ),
      section(
        10,
        functions.map(({ code }) => [unsigned(code.length), code]),
      ),
    ]),
  );
}
