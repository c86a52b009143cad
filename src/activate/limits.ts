// The limits of an activation's payload.

export const PAYLOAD_LIMITS = {
  /** Files listed; the rest is counted. */
  files: 20,
  /** Lines of the tree, and entries of one folder in it. */
  treeLines: 60,
  treeEntries: 12,
  /** Bytes of a document that are read for its title. */
  knowledgeBytes: 64 * 1024,
  /** Characters of a title or a sub-skill's description. */
  title: 120,
  /** Characters of a file that a model can read at once: about 25,000 tokens. */
  readChars: 100_000,
} as const;
