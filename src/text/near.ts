// Finds what somebody may have meant by a word that is not known: "did you mean".

/** Words that are offered instead of an unknown one. */
const OFFERED = 3;

/**
 * The candidates that resemble a word, best first: spelled nearly the same, one begins with
 * or contains the other, or both have a word in common.
 *
 * @example
 * nearTo("pdf-tabels", ["pdf-tables", "git-workflow"]); // ["pdf-tables"]
 */
export function nearTo(word: string, candidates: Iterable<string>): string[] {
  const typed = word.toLowerCase();
  if (typed === "") return [];
  const found: { readonly candidate: string; readonly cost: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const cost = costOf(typed, candidate.toLowerCase());
    if (cost !== undefined) found.push({ candidate, cost });
  }
  return found
    .sort((a, b) => a.cost - b.cost || a.candidate.length - b.candidate.length)
    .slice(0, OFFERED)
    .map(({ candidate }) => candidate);
}

/** ` Did you mean a or b?`, or nothing. */
export function didYouMean(near: readonly string[]): string {
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

/** Undefined if the two are too far apart. */
function costOf(typed: string, known: string): number | undefined {
  const allowed = Math.max(1, Math.floor(typed.length / 4));
  if (Math.abs(typed.length - known.length) <= allowed) {
    const edits = editsBetween(typed, known);
    if (edits <= allowed) return edits;
  }
  if (typed.length < 3) return undefined;
  if (known.startsWith(typed)) return allowed + 1;
  if (known.includes(typed)) return allowed + 2;
  if (known.length >= 4 && typed.includes(known)) return allowed + 3;
  const parts = known.split(/[-_/ ]/);
  const isPart = (word: string) =>
    word.length >= 4 &&
    parts.some((part) => Math.abs(part.length - word.length) <= 1 && editsBetween(word, part) <= 1);
  const shared = typed.split(/[-_/ ]/).filter(isPart).length;
  return shared > 0 ? allowed + 4 + 1 / shared : undefined;
}

/** Letters added, left out, replaced or swapped with their neighbour. */
function editsBetween(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= a.length; row++) {
    const now = [row];
    for (let at = 1; at <= b.length; at++) {
      const replaced = last[at - 1]! + (a[row - 1] === b[at - 1] ? 0 : 1);
      const isSwap = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      const swapped = isSwap ? before[at - 2]! + 1 : Number.POSITIVE_INFINITY;
      now.push(Math.min(last[at]! + 1, now[at - 1]! + 1, replaced, swapped));
    }
    [before, last] = [last, now];
  }
  return last[b.length]!;
}
