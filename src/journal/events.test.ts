import { expect, test } from "vitest";
import { memoryStore } from "../stores/memory/store.ts";
import { type EventDetails, eventOf, recalledEvents, shownEvents } from "./events.ts";

const turn = { at: 1000, session: "s1", turn: 3, agent: "reviewer", host: "terminal" };
const mail = { name: "mail", digest: "m1" };

test("recalled skills become events with score, rank and whom they came along with", () => {
  const matches = [
    { ...mail, score: 0.9 },
    { name: "plan", digest: "p1", score: 0.4, via: "mail" },
  ];
  expect(recalledEvents(turn, matches)).toEqual([
    { ...turn, kind: "recalled", skill: "mail", digest: "m1", details: { score: 0.9, rank: 1 } },
    { ...turn, kind: "recalled", skill: "plan", digest: "p1", details: { score: 0.4, rank: 2, via: "mail" } },
  ]);
});

test("a message that recalls nothing leaves an event, so that gaps can be found", () => {
  expect(recalledEvents(turn, [])).toEqual([{ ...turn, kind: "recalled", details: {} }]);
});

test("an outcome names the skills it went to: the activated ones of its turn", async () => {
  const { journal } = memoryStore();
  await journal.append([
    ...recalledEvents(turn, [
      { ...mail, score: 1 },
      { name: "plan", digest: "p1", score: 0.5 },
    ]),
    ...shownEvents(turn, [{ ...mail, level: "card" }]),
    eventOf(turn, { kind: "activated", skill: mail, details: { by: "model", task: "t1" } }),
  ]);
  const outcome = async (at: typeof turn, details: EventDetails["outcome"]) =>
    (await journal.append([eventOf(at, { kind: "outcome", details })])).flatMap(({ skill }) => skill ?? []);
  expect(await outcome(turn, { result: "failure", note: "wrong address" })).toEqual(["mail"]);
  expect(await outcome({ ...turn, turn: 4 }, { result: "success" })).toEqual([]);
  const [failed] = await journal.query({ skill: "mail", kinds: ["outcome"] });
  expect(failed).toMatchObject({ digest: "m1", agent: "reviewer", details: { note: "wrong address" } });
});
