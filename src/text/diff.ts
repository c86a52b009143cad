// Owns the difference of two texts, line by line, as a reader of patches knows it. Pure.

const NUMBERS = {
  /** Lines of agreement shown around a change. */
  context: 3,
  /** Past this many differing lines the shortest script is not looked for: all old lines go, all new ones come. */
  maxEdits: 2_000,
} as const;

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The changes with some lines around them, each group under a line `@@ -a,b +c,d @@`; empty when nothing differs. */
export function unifiedDiff(before: string, after: string): string {
  const lines = diffLines(before, after);
  const near = new Set<number>();
  for (const [at, { sign }] of lines.entries())
    if (sign !== " ") for (let n = at - NUMBERS.context; n <= at + NUMBERS.context; n++) near.add(n);
  const out: string[] = [];
  let old = 1;
  let fresh = 1;
  let group: { at: number; head: string; olds: number; news: number } | undefined;
  const close = () => {
    if (group) out[group.at] = `${group.head.replace("%", String(group.olds))},${group.news} @@`;
    group = undefined;
  };
  for (const [at, { sign, text }] of lines.entries()) {
    if (!near.has(at)) close();
    else {
      group ??= { at: out.push("") - 1, head: `@@ -${old},% +${fresh}`, olds: 0, news: 0 };
      if (sign !== "+") group.olds++;
      if (sign !== "-") group.news++;
      out.push(sign + text);
    }
    if (sign !== "+") old++;
    if (sign !== "-") fresh++;
  }
  close();
  return out.join("\n");
}

/** Every line of both texts, in order, marked as kept, gone or new. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const kept = (text: string): DiffLine => ({ sign: " ", text });
  return [
    ...a.slice(0, head).map(kept),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(kept),
  ];
}

/** The shortest edit script, after Myers: `trace` holds the furthest reach of each diagonal for every length. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const most = Math.min(a.length + b.length, NUMBERS.maxEdits);
  const reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(reach, k, { edits, most }) ? reach[most + 2 + k]! : reach[most + k]! + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      reach[most + 1 + k] = x;
      if (x >= a.length && y >= b.length) return walkBack(a, b, { trace, most });
    }
  }
  return [
    ...a.map((text): DiffLine => ({ sign: "-", text })),
    ...b.map((text): DiffLine => ({ sign: "+", text })),
  ];
}

function isDown(reach: Int32Array, k: number, { edits, most }: { edits: number; most: number }): boolean {
  return k === -edits || (k !== edits && reach[most + k]! < reach[most + 2 + k]!);
}

function walkBack(
  a: readonly string[],
  b: readonly string[],
  { trace, most }: { trace: readonly Int32Array[]; most: number },
): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits]!;
    const k = x - y;
    const down = isDown(reach, k, { edits, most });
    const fromX = edits === 0 ? 0 : reach[most + 1 + (down ? k + 1 : k - 1)]!;
    const fromY = edits === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      lines.push({ sign: " ", text: a[--x]! });
      y--;
    }
    if (edits === 0) break;
    if (down) lines.push({ sign: "+", text: b[--y]! });
    else lines.push({ sign: "-", text: a[--x]! });
  }
  return lines.reverse();
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}
