import { describe, expect, it } from "vitest";
import type { SaidRecord } from "../journal/journal.ts";
import { readSessions } from "./sessions.ts";

const NOW = Date.UTC(2026, 0, 30);
const DAY = 24 * 60 * 60 * 1000;

/** A store that counts the lines that it hands out. */
function counted(lines: readonly SaidRecord[]) {
  const read = { rows: 0 };
  const conversation = {
    query: ({ since = 0, until = Infinity, limit = Infinity }) => {
      const rows = lines.filter(({ at }) => at >= since && at < until).slice(0, limit);
      read.rows += rows.length;
      return rows;
    },
  };
  return { read, conversation, journal: { query: () => [] } };
}

function burst(count: number, { from, step }: { from: number; step: number }): SaidRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    session: `s${at % 7}`,
    turn: at,
    role: "user",
    text: "plan the meeting",
    at: from + at * step,
  }));
}

describe("reading sessions", () => {
  it.each([
    ["a burst within seconds", { from: NOW - 5_000, step: 1 }],
    ["a busy month", { from: NOW - 29 * DAY, step: DAY / 200 }],
  ])("reads each row of %s about twice at most, and gives all of them", async (_, times) => {
    const store = counted(burst(4_000, times));
    const sessions = await readSessions(store, { since: NOW - 30 * DAY, now: NOW });
    expect(sessions.flatMap((session) => session.turns)).toHaveLength(4_000);
    expect(store.read.rows).toBeLessThan(2.5 * 4_000);
  });

  it("gives rows whose clocks are not in order", async () => {
    const lines = burst(3_000, { from: NOW - DAY, step: 10 }).reverse();
    const sessions = await readSessions(counted(lines), { since: NOW - 30 * DAY, now: NOW });
    expect(sessions.flatMap((session) => session.turns)).toHaveLength(3_000);
  });
});
