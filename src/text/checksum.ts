// Owns the checksum of stored bytes: 32 bits, fast, certain to notice any change within one 4-byte word.
// Guards against damage, not against an adversary; content digests live elsewhere.

import { type AssembledFunction, assembler, op } from "./vectors-assembly.ts";

const MULTIPLIER = 0x9e3779b1;
const FINISHER = 0x85ebca77;
/** Four lanes, each a chain of its own: the processor works on them side by side. */
const LANES = [1, 2, 3, 4] as const;
const ROUND_BYTES = 16;
/** Bytes handed to the SIMD function at once. */
const BATCH_BYTES = 1 << 20;
const RESULT_BYTES = 1 << 16;

/** Every step is a bijection of the word it takes in, so one changed word always changes the result. */
function step(state: number, word: number): number {
  const mixed = Math.imul(state ^ word, MULTIPLIER);
  return mixed ^ (mixed >>> 15);
}

export function checksum(bytes: Uint8Array): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
  let [a, b, c, d]: [number, number, number, number] = [...LANES];
  const wholeRounds = words.length & ~3;
  for (let i = 0; i < wholeRounds; i += 4) {
    a = Math.imul(a ^ words[i]!, MULTIPLIER);
    b = Math.imul(b ^ words[i + 1]!, MULTIPLIER);
    c = Math.imul(c ^ words[i + 2]!, MULTIPLIER);
    d = Math.imul(d ^ words[i + 3]!, MULTIPLIER);
    a ^= a >>> 15;
    b ^= b >>> 15;
    c ^= c >>> 15;
    d ^= d >>> 15;
  }
  for (let i = wholeRounds; i < words.length; i++) a = step(a, words[i]!);
  for (let i = words.length * 4; i < aligned.length; i++) b = step(b, aligned[i]!);
  return [a, b, c, d].reduce(step, FINISHER ^ aligned.length) >>> 0;
}

/** The same in SIMD instructions, for a run of whole blocks: one 32-bit sum a block. */
function source() {
  const [at, blocks, result, blockBytes] = [0, 1, 2, 3] as const;
  const [end, sum, lanes] = [4, 5, 6] as const;
  const { get, set, tee, constant, add, subtract, multiply, xor, shiftRight, below, storeWord, loop, again } =
    op;
  const { vector } = op;
  const round = [
    ...[...get(lanes), ...get(at), ...vector.load(0), ...vector.xor],
    ...[...vector.words(...LANES.map(() => MULTIPLIER)), ...vector.multiplyWords, ...set(lanes)],
    ...[
      ...get(lanes),
      ...get(lanes),
      ...constant(15),
      ...vector.shiftWordsRight,
      ...vector.xor,
      ...set(lanes),
    ],
  ];
  const fold = LANES.flatMap((_, lane) => [
    ...[
      ...get(sum),
      ...get(lanes),
      ...vector.word(lane),
      ...xor,
      ...constant(MULTIPLIER),
      ...multiply,
      ...tee(sum),
    ],
    ...[...get(sum), ...constant(15), ...shiftRight, ...xor, ...set(sum)],
  ]);
  const body = loop(
    [...vector.words(...LANES), ...set(lanes)],
    [...get(at), ...get(blockBytes), ...add, ...set(end)],
    loop(round, [...get(at), ...constant(ROUND_BYTES), ...add, ...tee(at), ...get(end), ...below, ...again]),
    [...constant(FINISHER), ...get(blockBytes), ...xor, ...set(sum)],
    fold,
    [...get(result), ...get(sum), ...storeWord],
    [...get(result), ...constant(4), ...add, ...set(result)],
    [...get(blocks), ...constant(1), ...subtract, ...tee(blocks), ...again],
  );
  return { parameters: 4, integers: 2, vectors: 1, body };
}

const assemble = assembler(source);
let simd: AssembledFunction | null | undefined;

/** The checksum of each block; the last one may be shorter. Block sizes are multiples of 16. */
export function checksumBlocks(bytes: Uint8Array, blockBytes: number): Uint32Array {
  const sums = new Uint32Array(Math.ceil(bytes.length / blockBytes));
  const whole = Math.floor(bytes.length / blockBytes);
  simd ??= assemble(RESULT_BYTES + BATCH_BYTES) ?? null;
  let done = 0;
  if (simd !== null) {
    const perBatch = Math.min(BATCH_BYTES / blockBytes, RESULT_BYTES / 4);
    for (; done < whole; done += perBatch) {
      const blocks = Math.min(perBatch, whole - done);
      const from = done * blockBytes;
      new Uint8Array(simd.buffer, RESULT_BYTES).set(bytes.subarray(from, from + blocks * blockBytes));
      simd.run(RESULT_BYTES, blocks, 0, blockBytes);
      sums.set(new Uint32Array(simd.buffer, 0, blocks), done);
    }
    done = whole;
  }
  for (; done < sums.length; done++) {
    sums[done] = checksum(bytes.subarray(done * blockBytes, (done + 1) * blockBytes));
  }
  return sums;
}
