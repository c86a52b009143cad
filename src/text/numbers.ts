// Writes numbers for people.

/**
 * A number with a comma between its thousands. `toLocaleString` would load the tables of all languages first, which takes longer
 * than most commands.
 *
 * @example
 * grouped(1234567); // "1,234,567"
 */
export function grouped(number: number): string {
  const [whole, ...fraction] = String(number).split(".");
  return [whole!.replace(/\B(?=(?:\d{3})+$)/g, ","), ...fraction].join(".");
}

/**
 * A number and what is counted, as one or as several.
 *
 * @example
 * numberOf(2, "skill"); // "2 skills"
 */
export function numberOf(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}
