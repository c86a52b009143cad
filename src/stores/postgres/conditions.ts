// Builds the conditions of a question: only those that were asked for.

import type { SqlValue } from "./connection.ts";

/** Each condition has one `?`, which becomes the number of its value; an absent value leaves its condition out. */
export function conditions(parts: readonly (readonly [string, SqlValue])[]): {
  readonly where: string;
  readonly values: SqlValue[];
} {
  const given = parts.filter(([, value]) => value !== undefined);
  const sql = given.map(([condition], index) => condition.replace("?", `$${index + 1}`));
  return {
    where: sql.length === 0 ? "" : ` WHERE ${sql.join(" AND ")}`,
    values: given.map(([, value]) => value),
  };
}

/** For a comparison with any text of a parameter that is a JSON list; an index serves it, whatever the size of the table. */
export function listed(parameter: string): string {
  return `ANY (ARRAY(SELECT json_array_elements_text(${parameter}::text::json)))`;
}
