// The limits of this room, each with its reason. How a limit is reported is in `codes.ts`.

import { PACKAGE_LIMITS, SPEC } from "../package/package.ts";

export const LIMITS = {
  ...SPEC,
  fileBytes: PACKAGE_LIMITS.skillFileBytes,
  /** Real front matter stays below 4 KB; eight times that leaves room and still bounds the YAML parser. */
  frontMatterChars: 32 * 1024,
  /** The deepest dialect needs five levels; the YAML parser recurses once a level. */
  depth: 32,
  /** Keys, values and list items together. More than any list below could use. */
  nodes: 4000,
  /** Longer front matter is left to the YAML library: simple ones are shorter. */
  plainChars: 6 * 1024,
  /** Values over several lines that are indented for the YAML parser; each costs one more parse. */
  reindents: 4,
  /** Repairs try lines one by one; a longer block goes straight to the bare extraction. */
  repairLines: 250,
  /** How far a front matter that does not open the file is looked for. */
  leadingChars: 4096,
  /** Entries kept of one list, and characters of one entry: generous for people, tight for floods. */
  listItems: 256,
  itemChars: 1024,
  /** One line of a catalog. */
  briefChars: 80,
} as const;
