import { expect, test } from "vitest";
import { SessionLog } from "./sessions.ts";

const recalled = (skills: Record<string, number>) => ({
  step: "recalled" as const,
  names: Object.keys(skills),
  relevance: Object.values(skills),
});

test("what is recalled again is fresh, and what is not fades until it is forgotten", () => {
  const log = new SessionLog("s").take([recalled({ a: 0.8, b: 0.8 }), recalled({ b: 0.5 })]);
  const relevant = () => log.state.relevant.map(({ name, relevance }) => [name, relevance.toFixed(2)]);
  expect(relevant()).toEqual([
    ["a", "0.56"],
    ["b", "0.50"],
  ]);
  log.take(Array.from({ length: 8 }, () => recalled({})));
  expect(relevant()).toEqual([]);
});

test("a skill that only came along with another one is not relevant by itself", () => {
  const { state } = new SessionLog("s").take([recalled({ a: 0.8, b: 0 })]);
  expect(state.recalled).toEqual(["a", "b"]);
  expect(state.relevant).toEqual([{ name: "a", relevance: 0.8 }]);
});

test("values that are not steps are ignored", () => {
  const log = new SessionLog("s").take([null, 7, { step: "turn" }, { step: "shown", names: 3 }]);
  expect(log.state).toMatchObject({ turn: 0, shown: [] });
});
