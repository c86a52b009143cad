// Finds ids in the configuration that name no source: a misspelt id would hide skills without any message.

import type { Diagnostic } from "../model/diagnostic.ts";
import { resolveSources, type SourceOptions } from "./sources.ts";

const LISTS = ["only", "drop", "order", "trustLinks", "requireDescription", "requireName"] as const;

/** `path` is where the person set them. */
export function misnamedSources(options: SourceOptions, path: string): Diagnostic[] {
  if (LISTS.every((list) => !options[list]?.length)) return [];
  const { only: _, drop: __, ...all } = options;
  const known = resolveSources(all).map(({ id }) => id);
  return LISTS.flatMap((list) =>
    (options[list] ?? [])
      .filter((id) => !known.includes(id) && (list === "only" || !isElsewhere(id)))
      .map(
        (id): Diagnostic => ({
          code: "source-unknown",
          severity: "warning",
          path,
          message: `sources.${list} names "${id}", which is no source here.`,
          fix: `Write the id as \`repertoire sources\` does. Ids: ${known.join(", ")}.`,
        }),
      ),
  );
}

/** A configuration serves many projects: what is not in this one may be in the next. Only `only` leaves nothing then. */
function isElsewhere(id: string): boolean {
  return id === "bundled" || /^\.\.?\//.test(id);
}
