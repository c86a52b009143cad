// Compares two texts line by line, as a unified diff.

import type { StructuredPatchHunk } from "diff";

/** Unchanged lines shown around a change. */
const CONTEXT = 3;
/** With more differing lines than this, the shortest diff is not searched: its cost grows with the square. */
const MAX_EDITS = 2_000;

/**
 * Returns the hunks of a unified diff, without file names; empty if the texts are equal.
 *
 * @example await unifiedDiff("a\nb\n", "a\nc\n") // "@@ -1,2 +1,2 @@\n a\n-b\n+c"
 */
export async function unifiedDiff(before: string, after: string): Promise<string> {
  // The package is loaded when a diff is shown, not when the program starts.
  const { formatPatch, OMIT_HEADERS, structuredPatch } = await import("diff");
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", before, after, "", "", options) ?? {
    oldFileName: "",
    newFileName: "",
    oldHeader: "",
    newHeader: "",
    hunks: [replacement(before, after)],
  };
  return formatPatch(patch, OMIT_HEADERS).replace(/\n$/, "");
}

/** One hunk for two texts that differ too much: removes all old lines between the equal ends and adds all new ones. */
function replacement(before: string, after: string): StructuredPatchHunk {
  const linesOf = (text: string) => (text === "" ? [] : text.split(/(?<=\n)/));
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const start = Math.max(0, head - CONTEXT);
  const behind = Math.min(tail, CONTEXT);
  const signed = (sign: string, lines: readonly string[]) =>
    lines.map((line) => sign + line.replace(/\n?$/, (end) => (end ? "" : "\n\\ No newline at end of file")));
  return {
    oldStart: start + 1,
    oldLines: a.length - tail + behind - start,
    newStart: start + 1,
    newLines: b.length - tail + behind - start,
    lines: [
      ...signed(" ", a.slice(start, head)),
      ...signed("-", a.slice(head, a.length - tail)),
      ...signed("+", b.slice(head, b.length - tail)),
      ...signed(" ", a.slice(a.length - tail, a.length - tail + behind)),
    ],
  };
}
