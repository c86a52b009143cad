// A fast 32-bit checksum that detects damage to stored bytes. It is not a cryptographic hash.

const MULTIPLIER = 0x9e3779b1;
const FINISHER = 0x85ebca77;

/** A bijection of `word` for a fixed `state`: a change within one 4-byte word always changes the result. */
function mix(state: number, word: number): number {
  const mixed = Math.imul(state ^ word, MULTIPLIER);
  return mixed ^ (mixed >>> 15);
}

/** The checksum of a range of `bytes`, by default all. Changes within one aligned 4-byte word are always detected. */
export function checksum(bytes: Uint8Array, from = 0, to = bytes.length): number {
  if ((bytes.byteOffset + from) % 4 !== 0) return checksum(bytes.slice(from, to));
  const length = to - from;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, length >>> 2);
  // Four independent chains, which the processor computes in parallel.
  let a = 1;
  let b = 2;
  let c = 3;
  let d = 4;
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
  for (let i = wholeRounds; i < words.length; i++) a = mix(a, words[i]!);
  for (let i = words.length * 4; i < length; i++) b = mix(b, bytes[from + i]!);
  return mix(mix(mix(mix(FINISHER ^ length, a), b), c), d) >>> 0;
}
