// Owns the numbers of inspection, each with its why. Does not own what a rule looks for.

export const LIMITS = {
  /** A skill has tens of files; a package of more is reported and the rest counted as unseen. */
  files: 2_000,
  /** Text of one file that is matched, after blank space is squeezed, so that padding cannot push a payload out. */
  textPerFile: 512_000,
  /** The end of an over-long file is matched too: payloads are put there. */
  tailPerFile: 128_000,
  /** Text of the whole package that is matched: bounds the time that a package can cost. */
  textPerPackage: 4_000_000,
  /** Encoded text that is decoded for one file. */
  decodedPerFile: 200_000,
  /** Encoded inside encoded: legitimate files have no third layer. */
  decodeDepth: 2,
  /** A finding more of the same code in the same file tells a reader nothing new. */
  sameCodePerFile: 4,
  findings: 200,
  addresses: 500,
  excerpt: 120,
  /** Blank lines in a row after which a reader believes that the file has ended. */
  blankLines: 150,
  /** Blanks in a row that push text out of an editor's window. */
  blankColumns: 160,
  /** A paragraph is one thought; longer ones are split so that steps far apart do not add up. */
  paragraph: 3_000,
} as const;
