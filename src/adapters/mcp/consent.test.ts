import { expect, it } from "vitest";
import { OpenQuestions } from "./consent.ts";

/** Asks, lets time pass, answers; returns what this call and one that waited for it take for the answer. */
async function answered(action: "accept" | "decline" | "cancel", afterMs: number) {
  let now = 0;
  const questions = new OpenQuestions({ now: () => new Date(now) });
  expect(questions.waitFor("q")).toBeUndefined();
  const waiting = questions.waitFor("q");
  now += afterMs;
  return [questions.settle("q", action), await waiting];
}

it("takes Accept for yes, Decline for no, and a closed question for no answer", async () => {
  expect(await answered("accept", 1_000)).toEqual([true, true]);
  expect(await answered("decline", 1_000)).toEqual([false, false]);
  expect(await answered("cancel", 1_000)).toEqual([undefined, undefined]);
});

it("takes a no that came before anybody could read the question for no answer", async () => {
  expect(await answered("decline", 20)).toEqual([undefined, undefined]);
  // A host that answers by itself on a busy machine.
  expect(await answered("decline", 600)).toEqual([undefined, undefined]);
  expect(await answered("accept", 20)).toEqual([true, true]);
});

it("asks again once a question was answered", () => {
  const questions = new OpenQuestions({ now: () => new Date(0) });
  questions.waitFor("q");
  questions.settle("q", "accept");
  expect(questions.waitFor("q")).toBeUndefined();
});
