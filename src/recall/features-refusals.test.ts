import { describe, expect, test } from "vitest";
import { refusals } from "./features-refusals.ts";

const refused = (text: string) => refusals(text).map(([start, end]) => text.slice(start, end));

describe("refusals", () => {
  test("finds what a message turns down", () => {
    expect(refused("Which skill handles this and why is it not pdf-forms?")).toEqual(["pdf-forms"]);
    expect(refused("a plain table (no chart anywhere), please")).toEqual(["chart anywhere"]);
    expect(refused("use SQL instead of an ORM, and no migration")).toEqual(["an ORM", "migration"]);
  });

  test("leaves alone what only tells of a state", () => {
    expect(refused("the build is not working")).toEqual([]);
    expect(refused("I am not sure which index to use")).toEqual([]);
    expect(refused("it no longer compiles")).toEqual([]);
  });

  test("reaches no further than a few words", () => {
    const [first] = refused("not one of alpha beta gamma delta epsilon zeta eta");
    expect(first ?? "").not.toContain("eta eta");
    expect(refused("without red green blue white black pink")[0]).toBe("red green blue white black");
  });

  test("finds the skill that a message only asks about", () => {
    expect(refused("what does /team:prime do?")).toEqual(["/team:prime"]);
    expect(refused("Explain how /work --loop differs from /work")).toEqual(["/work"]);
    expect(refused("What does the card-maker skill do and who wrote it?")).toEqual(["card-maker"]);
    expect(refused("Compare card-maker with any other skill you find.")).toEqual(["card-maker"]);
    expect(refused("Is app-lifecycle the right workflow? Name it.")).toEqual(["app-lifecycle"]);
  });

  test("leaves alone a question about the subject", () => {
    expect(refused("explain how event-sourcing works")).toEqual([]);
    expect(refused("what does the leaderboard look like after a run?")).toEqual([]);
    expect(refused("which skill should I use for a report?")).toEqual([]);
  });
});
