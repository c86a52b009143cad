// Owns every number of this stage, each with its why. Does not own how they are applied.

const MIB = 1024 * 1024;

export const PACKAGE_LIMITS = {
  /** A skill has tens of files; a person can still be shown what a package of this many holds. */
  files: 2_000,
  /** Folders cost a look each, also when they are empty. */
  folders: 1_000,
  /** All files together. It is read whole, once to be shown and once to be copied. */
  bytes: 64 * MIB,
} as const;

export const PAYLOAD_LIMITS = {
  /** Enough to see what there is; the rest is counted. */
  files: 20,
  /** Lines of the tree, and entries of one folder in it. */
  treeLines: 60,
  treeEntries: 12,
  /** A title stands within the first lines of a document. */
  knowledgeBytes: 64 * 1024,
  /** Characters of a title or a sub-skill's description. */
  title: 120,
  /** Characters of a file that a model reads in one piece: about 25,000 tokens. */
  readChars: 100_000,
} as const;

export const SLASH_LIMITS = {
  /** More completions than this nobody reads. */
  completions: 50,
  /** How many commands an error suggests. */
  suggestions: 5,
} as const;
