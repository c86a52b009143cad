// The limits of inspection.

export const INSPECT_LIMITS = {
  /** Files that are inspected; a skill has tens. More files are reported, not inspected. */
  files: 2_000,
  /** Text per file that is matched, after runs of blanks are shortened, so that padding cannot hide a payload. */
  textPerFile: 512_000,
  /** Text at the end of a longer file that is matched too, because payloads are often there. */
  tailPerFile: 128_000,
  /** Text per package that is matched: limits the time for a package. */
  textPerPackage: 4_000_000,
  /** Encoded text per file that is decoded. */
  decodedPerFile: 200_000,
  /** Layers of encoding that are decoded. */
  decodeDepth: 2,
  /** Findings of the same code in the same file; more add no information. */
  sameCodePerFile: 4,
  findings: 200,
  addresses: 500,
  excerpt: 120,
  /** Blank lines in a row after which a file seems to have ended. */
  blankLines: 150,
  /** Blanks in a row that push text out of the window of an editor. */
  blankColumns: 160,
  /** Longer paragraphs are split, so that unrelated sentences are not combined. */
  paragraph: 3_000,
} as const;
