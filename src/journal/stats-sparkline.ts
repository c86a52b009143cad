// Owns a row of numbers drawn as one line of text.

const BARS = "▁▂▃▄▅▆▇█";

/** One bar a value, the largest full; a zero is the lowest bar, and no values draw nothing. */
export function sparkline(values: readonly number[]): string {
  const top = Math.max(...values, 0);
  if (top === 0) return BARS[0]!.repeat(values.length);
  return values.map((value) => BARS[Math.ceil((Math.max(0, value) / top) * (BARS.length - 1))]!).join("");
}
