// The evaluation cases of a fleet. Each node has them in its own file, which is read and added to as ever; what one node adds,
// the database brings to the files of the others.

import { statSync } from "node:fs";
import { appendLines, readLines, UNREADABLE, unlessMissing } from "../../disk/disk.ts";
import { sha256Of } from "../../package/package.ts";
import { isRecord, jsonIn } from "../../text/json.ts";
import type { Connection } from "./connection.ts";

export class SharedCases {
  private readonly db: Connection;
  private readonly path: string;
  /** The file and the number of shared cases when both last agreed. */
  private agreed = "";

  constructor(db: Connection, path: string) {
    this.db = db;
    this.path = path;
  }

  /** Adds to the file what the database has, and to the database what the file has. Costs one question if nothing is new. */
  async exchange(): Promise<void> {
    await this.db.asNode(() => this.run());
  }

  private async run(): Promise<void> {
    const [{ count } = { count: 0 }] = await this.db.rows<{ count: number }>(
      "SELECT count(*) AS count FROM repertoire.evaluation_cases WHERE scope = repertoire.scope()",
    );
    if (`${this.stamp()} ${count}` === this.agreed) return;
    const shared = await this.db.rows<{ id: string; record: string }>(
      "SELECT id, record FROM repertoire.evaluation_cases WHERE scope = repertoire.scope()",
    );
    const known = new Set(shared.map(({ id }) => id));
    const own = new Map(this.cases().map((record) => [idOf(record), record]));
    const missing = shared.filter(({ id }) => !own.has(id)).flatMap(({ record }) => jsonIn(record) ?? []);
    const fresh = [...own].filter(([id]) => !known.has(id));
    const mayAdd = (await this.db.claim()).role !== "reader";
    if (fresh.length > 0 && mayAdd)
      await this.db.change(
        `INSERT INTO repertoire.evaluation_cases (scope, id, record)
          SELECT repertoire.scope(), v->>'id', v->>'record' FROM json_array_elements($1::text::json) AS v ON CONFLICT DO NOTHING`,
        JSON.stringify(fresh.map(([id, record]) => ({ id, record: JSON.stringify(record) }))),
      );
    if (missing.length > 0) appendLines(this.path, missing, 0o644);
    this.agreed = `${this.stamp()} ${count + (mayAdd ? fresh.length : 0)}`;
  }

  /** None if the file is a JSON list, which nothing can be added to. */
  private cases(): Record<string, unknown>[] {
    const lines = unlessMissing(() => readLines(this.path), UNREADABLE)?.values ?? [];
    return lines.filter(isRecord).filter(({ query }) => typeof query === "string");
  }

  private stamp(): string {
    const stat = unlessMissing(() => statSync(this.path, { throwIfNoEntry: false }), UNREADABLE);
    return stat ? `${stat.size} ${stat.mtimeMs}` : "";
  }
}

/** The same for the same message with the same answers. */
function idOf(record: Record<string, unknown>): string {
  const sorted = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Of(Buffer.from(JSON.stringify(sorted))).slice(0, 32);
}
