import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../stores/memory/store.ts";
import { EVENT_KINDS, type NewEvent, toEvent } from "./events.ts";
import { exportSession, importLines } from "./json-lines.ts";

const AT = Date.UTC(2026, 4, 20, 10, 30);

const events: NewEvent[] = [
  { kind: "recalled", at: AT, session: "s1", turn: 1, skill: "mail", digest: "m1", details: { score: 0.5 } },
  {
    kind: "activated",
    at: AT,
    session: "s1",
    turn: 1,
    agent: "a",
    host: "h",
    skill: "mail",
    digest: "m1",
    details: {},
  },
  {
    kind: "outcome",
    at: AT + 1,
    session: "s1",
    turn: 1,
    details: { result: "success", note: "sent\nand read" },
  },
  { kind: "feedback", at: AT + 2, session: "s1", turn: 1, details: { type: "summary", rating: "good" } },
  { kind: "activated", at: AT, session: "s2", turn: 1, skill: "plan", digest: "p1", details: {} },
];

describe("export", () => {
  test("is one object a line, the names that other tools know first", async () => {
    const { journal } = memoryStore();
    await journal.append(events);
    const lines = (await exportSession(journal, "s1")).split("\n");
    expect(lines[1]).toBe(
      '{"skillName":"mail","sessionId":"s1","timestamp":"2026-05-20T10:30:00.000Z","kind":"activated","turn":1,"agent":"a","host":"h","digest":"m1"}',
    );
    expect(lines).toHaveLength(5);
    expect(lines[4]).toBe("");
  });

  test("and import give another journal the same events and accounts", async () => {
    const from = memoryStore().journal;
    const to = memoryStore().journal;
    await from.append(events);
    for (const session of ["s1", "s2"]) await importLines(to, await exportSession(from, session));
    expect(await to.query({})).toEqual(await from.query({}));
    expect(await to.tallies()).toEqual(await from.tallies());
  });
});

describe("import", () => {
  test("of the same lines again changes nothing", async () => {
    const { journal } = memoryStore();
    await journal.append(events);
    const text = await exportSession(journal, "s1");
    expect(await importLines(journal, text)).toEqual({ imported: 0, known: 4, torn: 0, foreign: 0 });
    expect(await importLines(journal, text + text)).toMatchObject({ imported: 4, known: 4 });
  });

  test("reads the short format as activations", async () => {
    const { journal } = memoryStore();
    const text = '{"skillName":"mail","sessionId":"s1","timestamp":"2026-05-20T10:30:00Z"}\r\n';
    expect(await importLines(journal, text)).toMatchObject({ imported: 1 });
    expect(await journal.query({})).toEqual([
      { seq: 1, kind: "activated", at: AT, session: "s1", skill: "mail", details: {} },
    ]);
  });

  test("counts torn and foreign lines and takes the rest", async () => {
    const { journal } = memoryStore();
    const text = [
      '{"skillName":"mail","sessionId":"s1","timestamp":"2026-05-20T10:30:00Z"}',
      '{"skillName":"mail","sessi',
      "not json at all",
      '{"skillName":"mail","sessionId":"s1","timestamp":"yesterday"}',
      '{"level":"info","message":"started"}',
      '{"skillName":7,"sessionId":"s1","timestamp":1}',
      '{"skillName":"mail","sessionId":"s1","timestamp":1,"kind":"dance"}',
      '{"sessionId":"s1","timestamp":1,"kind":"outcome","details":{"result":"splendid"}}',
      "[1,2]",
      "null",
      "",
    ].join("\n");
    expect(await importLines(journal, text)).toEqual({ imported: 1, known: 0, torn: 2, foreign: 7 });
  });

  test("never throws, whatever the lines are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.string(), fc.json())), async (lines) => {
        const report = await importLines(memoryStore().journal, lines.join("\n"));
        expect(report.imported).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });
});

test("an event made of any value is whole or nothing", () => {
  const value = fc.record(
    {
      kind: fc.oneof(fc.constantFrom(...EVENT_KINDS), fc.string()),
      at: fc.oneof(fc.integer(), fc.double(), fc.string()),
      session: fc.oneof(fc.string(), fc.integer()),
      turn: fc.oneof(fc.nat(), fc.integer(), fc.double()),
      skill: fc.oneof(fc.string(), fc.constant(null)),
      details: fc.oneof(fc.constant({ result: "success", path: "p" }), fc.anything()),
    },
    { requiredKeys: ["kind", "at"] },
  );
  fc.assert(
    fc.property(value, (candidate) => {
      const event = toEvent(candidate);
      if (event === undefined) return;
      expect(EVENT_KINDS).toContain(event.kind);
      expect(Number.isSafeInteger(event.at)).toBe(true);
      expect(typeof event.details).toBe("object");
      if (event.kind === "outcome") expect(event.details.result).toBe("success");
    }),
  );
});
