// The table of the hosts: what was seen when each was run. `npm run test:hosts -- --record` writes it, the guide quotes it.

import { existsSync, readFileSync, writeFileSync } from "node:fs";

export interface Row {
  readonly host: string;
  readonly title: string;
  readonly version: string;
  /** How the skills that fit a message reach the model without its asking. */
  readonly section: "once" | "not at all";
  /** The name by which its model loads a skill. */
  readonly tools: string;
  /** What becomes of a skill that nobody has agreed to, if nobody is there to ask. */
  readonly consent: "refused";
  /** What a person in front of its terminal sees of that. */
  readonly terminal: "one question" | "cannot ask" | "no server";
  /** Whether hook and MCP server write one session. */
  readonly joined: "yes" | "no" | "no server" | "no hook";
  /** Whether a skill that the host has loaded by itself is recommended again: by the ways in which it can load one. */
  readonly loaded: string;
  /** The modes of `setup` that were seen to work. */
  readonly modes: string;
  /** What its model is told with 5,000 skills that were never indexed. */
  readonly large: "right skill first" | "no hook";
  /** What `setup --undo` leaves, after the host has run and has written settings of its own. */
  readonly undo: "exact";
  /** What its model read of us before it asked for anything; empty if nothing. */
  readonly seen: string;
}

const PATH = "test/hosts/table.json";

/** Where a run keeps what it has seen so far: each file of tests runs in a process of its own. */
const SEEN = () => process.env.REPERTOIRE_SEEN!;

type Seen = Pick<Row, "host"> & Partial<Row>;

export function readTable(): Row[] {
  return JSON.parse(readFileSync(PATH, "utf8")) as Row[];
}

export function readSeen(): Seen[] {
  return existsSync(SEEN()) ? (JSON.parse(readFileSync(SEEN(), "utf8")) as Seen[]) : [];
}

/** Adds facts to the row of a host. */
export function note(host: string, facts: Partial<Row>): void {
  const rows = readSeen();
  const known = rows.find((row) => row.host === host);
  const kept = known ? rows.map((row) => (row === known ? { ...row, ...facts } : row)) : rows;
  writeFileSync(SEEN(), JSON.stringify(known ? kept : [...rows, { host, ...facts }]));
}

/** Puts what was seen into the rows of the same hosts. */
export function writeRows(seen: readonly Seen[]): void {
  const rows = readTable().map((row) => ({ ...row, ...seen.find(({ host }) => host === row.host) }));
  const added = seen.filter(({ host }) => !rows.some((row) => row.host === host));
  writeFileSync(PATH, `${JSON.stringify([...rows, ...added], null, 2)}\n`);
}

const COLUMNS = [
  "host",
  "version",
  "section",
  "tools",
  "consent",
  "terminal",
  "joined",
  "loaded",
  "modes",
  "large",
  "undo",
] as const;

/** For a terminal. A fact that no test has noted is missing. */
export function printed(rows: readonly Seen[]): string {
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? "MISSING"))];
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
