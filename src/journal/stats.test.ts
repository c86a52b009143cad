import { expect, test } from "vitest";
import { memoryStore } from "../stores/memory/store.ts";
import type { NewEvent } from "./events.ts";
import { libraryStats, skillStats, sparkline } from "./stats.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 4, 20);

function happened(
  kind: "recalled" | "shown" | "activated",
  skill: string,
  more: Partial<NewEvent> = {},
): NewEvent {
  const event = { kind, at: NOW, session: "s1", turn: 1, skill, digest: `${skill}1`, details: {} };
  return { ...event, ...more } as NewEvent;
}

test("a skill's funnel, trend, company and versions come from the journal", async () => {
  const { journal } = memoryStore();
  await journal.append([
    happened("recalled", "mail"),
    happened("recalled", "mail", { turn: 2 }),
    happened("shown", "mail"),
    happened("activated", "mail"),
    happened("activated", "plan"),
    { kind: "outcome", at: NOW, session: "s1", turn: 1, details: { result: "success" } },
    happened("activated", "mail", { session: "s2", at: NOW - 14 * DAY, digest: "mail0" }),
    { kind: "edited", at: NOW, skill: "mail", digest: "mail1", details: { parent: "mail0" } },
  ]);
  const stats = await skillStats(journal, "mail", { now: NOW });
  expect(stats).toMatchObject({
    recalled: 2,
    shown: 1,
    activated: 2,
    succeeded: 1,
    failed: 0,
    lastUsedAt: NOW,
  });
  expect(stats.trend).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1]);
  expect(stats.companions).toEqual([{ name: "plan", sessions: 1 }]);
  expect(stats.versions.map(({ digest, parent, activated }) => [digest, parent, activated])).toEqual([
    ["mail0", undefined, 1],
    ["mail1", "mail0", 1],
  ]);
});

test("a skill that the journal does not know is all zero", async () => {
  const stats = await skillStats(memoryStore().journal, "mail", { now: NOW });
  expect(stats).toMatchObject({ recalled: 0, activated: 0, lastUsedAt: 0, companions: [], versions: [] });
  expect(stats.trend.every((count) => count === 0)).toBe(true);
});

test("weeks in the future of a clock that was set back are left out of the trend", async () => {
  const { journal } = memoryStore();
  await journal.append([happened("activated", "mail", { at: NOW + 30 * DAY })]);
  expect((await skillStats(journal, "mail", { now: NOW })).trend).toEqual(new Array(12).fill(0));
});

test("the library's list has the most used skill first", async () => {
  const { journal } = memoryStore();
  await journal.append([
    happened("recalled", "b"),
    happened("recalled", "a"),
    happened("activated", "c"),
    happened("activated", "c", { digest: "c2" }),
  ]);
  expect((await libraryStats(journal)).map(({ name, activated }) => [name, activated])).toEqual([
    ["c", 2],
    ["a", 0],
    ["b", 0],
  ]);
});

test("a sparkline shows the largest value full and every value above zero above the ground", () => {
  expect(sparkline([0, 1, 50, 100])).toBe("▁▂▅█");
  expect(sparkline([0, 0])).toBe("▁▁");
  expect(sparkline([3])).toBe("█");
  expect(sparkline([])).toBe("");
});
