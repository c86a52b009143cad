// The limits of what an activation hands over.

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
