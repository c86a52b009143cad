// Shows a unified diff side by side; on a narrow page one below the other.

import { plain } from "./pieces.tsx";

interface Row {
  readonly kind: "same" | "changed" | "head";
  readonly before?: string;
  readonly after?: string;
}

export function Diff({ text }: { text: string }) {
  const rows = rowsOf(text);
  // Of a text that is new or gone as a whole there is one side only.
  const isOneSided = !rows.some(({ kind, before }) => kind !== "head" && before !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section class="diff scrolls" tabIndex={0} aria-label="Changes">
      <table>
        <thead class="unseen">
          <tr>
            {!isOneSided && <th>Before</th>}
            <th>After</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ kind, before, after }, at) =>
            kind === "head" ? (
              <tr key={at} class="hunk">
                <td colSpan={isOneSided ? 1 : 2}>{plain(before ?? "")}</td>
              </tr>
            ) : (
              <tr key={at}>
                {!isOneSided && (
                  <td class={kind === "changed" && before !== undefined ? "minus" : ""}>
                    {plain(before ?? "")}
                  </td>
                )}
                <td class={kind === "changed" && after !== undefined ? "plus" : ""}>{plain(after ?? "")}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

/** Pairs the removed lines of a run with the added ones that follow them. */
export function rowsOf(text: string): Row[] {
  const rows: Row[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ kind: "changed", before: removed[at], after: added[at] } as Row);
    removed = [];
    added = [];
  };
  for (const line of text.replace(/\n$/, "").split("\n")) {
    if (line.startsWith("-") && !line.startsWith("--- ")) {
      if (added.length > 0) flush();
      removed.push(line.slice(1));
    } else if (line.startsWith("+") && !line.startsWith("+++ ")) added.push(line.slice(1));
    else {
      flush();
      if (line.startsWith(" ")) rows.push({ kind: "same", before: line.slice(1), after: line.slice(1) });
      else rows.push({ kind: "head", before: line });
    }
  }
  flush();
  return rows;
}
