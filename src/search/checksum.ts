// A fast 32-bit checksum that detects damage to stored bytes. It is not a cryptographic hash.

const MULTIPLIER = 0x9e3779b1;
const FINISHER = 0x85ebca77;

/** A bijection of `word` for a fixed `state`: a change within one 4-byte word always changes the result. */
function mix(state: number, word: number): number {
  const mixed = Math.imul(state ^ word, MULTIPLIER);
  return mixed ^ (mixed >>> 15);
}

/** The checksum of `bytes`. Changes within one aligned 4-byte word are always detected. */
export function checksum(bytes: Uint8Array): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
  // Four independent chains, which the processor computes in parallel.
  let [a, b, c, d] = [1, 2, 3, 4] as [number, number, number, number];
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
  for (let i = words.length * 4; i < aligned.length; i++) b = mix(b, aligned[i]!);
  return [a, b, c, d].reduce(mix, FINISHER ^ aligned.length) >>> 0;
}
