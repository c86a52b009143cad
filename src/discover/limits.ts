// Owns the numbers of the scan, each with its why. They guard against accidents, not against large libraries.

export const WALK_LIMITS = {
  /** Deeper trees are link loops or build output; real libraries stay below 10. */
  depth: 32,
  /** Entries looked at in one source: some 20 times the largest public collection's folder count. */
  entries: 200_000,
} as const;
