// Owns writing small WebAssembly functions by hand: the instructions in use, and the module around one function.
// Does not own what the functions compute. Where the host lacks SIMD, there is no function and plain code answers.

type Code = readonly number[];

/** The part of the host's WebAssembly that is used here, which the language's own library does not describe. */
interface Assembly {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: { run: (...args: number[]) => void } };
}

export interface AssembledFunction {
  /** The memory that the function works on. */
  buffer: ArrayBuffer;
  run: (...args: number[]) => void;
}

export interface FunctionSource {
  /** All 32-bit integers. */
  parameters: number;
  integers: number;
  vectors: number;
  body: Code;
}

const PAGE_BYTES = 65_536;
const I32 = 0x7f;
const V128 = 0x7b;

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const done = value >= -64 && value < 64;
  return done ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

const simd = (opcode: number, ...rest: number[]): Code => [0xfd, ...unsigned(opcode), ...rest];
const bytesOf = (word: number) => [0, 8, 16, 24].map((shift) => (word >>> shift) & 0xff);

export const op = {
  get: (local: number): Code => [0x20, local],
  set: (local: number): Code => [0x21, local],
  tee: (local: number): Code => [0x22, local],
  constant: (value: number): Code => [0x41, ...signed(value | 0)],
  add: [0x6a] as Code,
  subtract: [0x6b] as Code,
  multiply: [0x6c] as Code,
  xor: [0x73] as Code,
  shiftRight: [0x76] as Code,
  below: [0x49] as Code,
  storeWord: [0x36, 2, 0] as Code,
  /** Runs its body, and again for as long as the body ends in `again` with a value other than 0. */
  loop: (...body: Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0b],
  again: [0x0d, 0] as Code,
  vector: {
    load: (offset: number) => simd(0x00, 0, ...unsigned(offset)),
    /** Eight signed bytes, widened to 16 bits. */
    loadWidened: (offset: number) => simd(0x01, 0, ...unsigned(offset)),
    words: (...four: number[]) => simd(0x0c, ...four.flatMap(bytesOf)),
    word: (lane: number) => simd(0x1b, lane),
    xor: simd(0x51),
    shiftWordsRight: simd(0xad),
    addWords: simd(0xae),
    multiplyWords: simd(0xb5),
    /** Products of 16-bit numbers, neighbours added to 32 bits. */
    multiplyAddPairs: simd(0xba),
  },
} as const;

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): Code {
  return [text.length, ...[...text].map((c) => c.charCodeAt(0))];
}

function moduleOf({ parameters, integers, vectors, body }: FunctionSource): Uint8Array {
  const code = [2, integers, I32, vectors, V128, ...body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, parameters, ...new Array<number>(parameters).fill(I32), 0]),
    ...section(2, [1, ...name("m"), ...name("m"), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("run"), 0x00, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

/** Compiles on first use, once a process; gives a function with `bytes` of memory, or undefined without SIMD. */
export function assembler(source: () => FunctionSource): (bytes: number) => AssembledFunction | undefined {
  const { WebAssembly: assembly } = globalThis as { WebAssembly?: Assembly };
  let module: object | undefined;
  return (bytes) => {
    if (assembly === undefined) return undefined;
    if (module === undefined) {
      const binary = moduleOf(source());
      if (!assembly.validate(binary)) return undefined;
      module = new assembly.Module(binary);
    }
    const pages = Math.max(1, Math.ceil(bytes / PAGE_BYTES));
    const memory = new assembly.Memory({ initial: pages, maximum: pages });
    const { run } = new assembly.Instance(module, { m: { m: memory } }).exports;
    return { buffer: memory.buffer, run };
  };
}
