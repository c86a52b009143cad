// The table of the hosts: what was seen when each was run. `npm run test:hosts -- --record` writes it, the guide quotes it.

import { readFileSync, writeFileSync } from "node:fs";

export interface Row {
  readonly host: string;
  readonly title: string;
  readonly version: string;
  /** How the skills that fit a message reach the model without its asking. */
  readonly section: "once" | "not at all";
  /** The name by which its model loads a skill. */
  readonly tools: string;
  /** What becomes of a skill that nobody has agreed to, if nobody is there to ask. */
  readonly consent: "refused" | "asked by the host";
  /** Whether hook and MCP server write one session. */
  readonly joined: "yes" | "no" | "no server" | "no hook";
  /** What `setup --undo` leaves, after the host has run. */
  readonly undo: "exact";
  /** What its model read of us before it asked for anything; empty if nothing. */
  readonly seen: string;
}

const PATH = "test/hosts/table.json";

export function readTable(): Row[] {
  return JSON.parse(readFileSync(PATH, "utf8")) as Row[];
}

/** Puts rows in the place of those of the same hosts. */
export function writeRows(rows: readonly Row[]): void {
  const kept = readTable().map((row) => rows.find(({ host }) => host === row.host) ?? row);
  const added = rows.filter(({ host }) => !kept.some((row) => row.host === host));
  writeFileSync(PATH, `${JSON.stringify([...kept, ...added], null, 2)}\n`);
}

const COLUMNS = ["host", "version", "section", "tools", "consent", "joined", "undo"] as const;

/** For a terminal. */
export function printed(rows: readonly Row[]): string {
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? "FAILED"))];
  const widths = COLUMNS.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
