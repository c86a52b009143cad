import { describe, expect, test } from "vitest";
import { MESSAGE, readMessage, refusals } from "./features-message.ts";

/** The factor of a term without the part that depends on its position. */
const factorOf = (message: string, term: string) => {
  const { terms, factors } = readMessage({ text: message });
  const at = terms.indexOf(term);
  return factors[at]! / (1 - (MESSAGE.trailing * at) / terms.length);
};

describe("readMessage", () => {
  test("gives a running number little weight, with and without its word", () => {
    expect(factorOf("check the parser against ADR-0024", "0024")).toBeCloseTo(MESSAGE.numbered);
    expect(factorOf("check the parser against ADR-0024", "adr0024")).toBeCloseTo(MESSAGE.numbered);
    expect(factorOf("check the parser against ADR-0024", "adr")).toBeCloseTo(1);
  });

  test("gives earlier words more weight", () => {
    const { factors } = readMessage({ text: "document the rationale for picking Go over Rust" });
    expect(factors[0]).toBe(1);
    expect([...factors].sort((a, b) => b - a)).toEqual(factors);
    expect(factors.at(-1)).toBeGreaterThan(1 - MESSAGE.trailing);
  });

  test("keeps the weight of standards, ports and years", () => {
    expect(factorOf("prepare the ISO 27001 audit", "27001")).toBeCloseTo(1);
    expect(factorOf("what listens on port 8080", "8080")).toBeCloseTo(1);
  });
});

const refused = (text: string) => refusals(text).map(([start, end]) => text.slice(start, end));

describe("refusals", () => {
  test("finds what a message rejects", () => {
    expect(refused("Which skill handles this and why is it not pdf-forms?")).toEqual(["pdf-forms"]);
    expect(refused("a plain table (no chart anywhere), please")).toEqual(["chart anywhere"]);
    expect(refused("use SQL instead of an ORM, and no migration")).toEqual(["an ORM", "migration"]);
  });

  test("finds what is done with or given up", () => {
    expect(refused("we're done designing surveys, what do the answers say")).toEqual(["designing surveys"]);
    expect(refused("we threw out nextjs last year, add a route")).toEqual(["nextjs last year"]);
    expect(refused("forget the dashboard for now, just the query")).toEqual(["dashboard for now"]);
    expect(refused("don't forget the tests")).toEqual([]);
    expect(refused("I forget the command that lists ports")).toEqual([]);
    expect(refused("when the job is done, send a report")).toEqual([]);
  });

  test("ignores negations that describe a state", () => {
    expect(refused("the build is not working")).toEqual([]);
    expect(refused("I am not sure which index to use")).toEqual([]);
    expect(refused("it no longer compiles")).toEqual([]);
  });

  test("covers at most five words", () => {
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

  test("ignores a question about the subject", () => {
    expect(refused("explain how event-sourcing works")).toEqual([]);
    expect(refused("what does the leaderboard look like after a run?")).toEqual([]);
    expect(refused("which skill should I use for a report?")).toEqual([]);
  });
});
