// Writes a list of names into a sentence.

/**
 * The first `most` names, and how many are left.
 *
 * @example
 * firstOf(["a", "b", "c", "d"], 2); // "a, b, and 2 more"
 */
export function firstOf(names: readonly string[], most: number): string {
  const more = names.length - most;
  return names.slice(0, most).join(", ") + (more > 0 ? `, and ${more} more` : "");
}
