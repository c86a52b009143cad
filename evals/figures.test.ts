import { describe, expect, test } from "vitest";
import type { Answer } from "./engine.ts";
import { estimate, figuresOf, judge, movedSince } from "./figures.ts";

const identity = (name: string) => (name === "copy-of-pdf" ? "pdf" : name);
const message = { query: "q", gold: [] as string[], not: [] as string[], source: "s", library: "l" };
const answer: Answer = {
  ranked: [["slides"], ["copy-of-pdf"], ["excel"]],
  shown: [
    { names: ["slides"], origin: "other" },
    { names: ["copy-of-pdf"], origin: "other" },
    { names: ["release"], origin: "bundled" },
    { names: ["excel"], origin: "see-also" },
  ],
  section: "- slides: decks\n- copy-of-pdf\n",
  tokens: 40,
  ms: 1,
};

describe("the judgement of an answer", () => {
  test("counts a copy as the right skill, wherever it is", () => {
    expect(judge({ ...message, gold: ["PDF"] }, answer, identity)).toMatchObject({
      hit1: 0,
      hit3: 1,
      firstRight: 0,
      shown3: 1,
      visible: 1,
    });
  });

  test("counts unwanted skills by their origin", () => {
    expect(judge({ ...message, gold: ["pdf"] }, answer, identity)).toMatchObject({
      unwanted: 3,
      unwantedBundled: 1,
      unwantedSeeAlso: 1,
      unwantedOther: 1,
    });
  });

  test("wants silence and no tokens for a message that needs nothing", () => {
    expect(judge(message, answer, identity)).toMatchObject({ silent: 0, idleTokens: 40, unwanted: 4 });
    expect(judge(message, { ...answer, shown: [], tokens: 0 }, identity)).toMatchObject({ silent: 1 });
  });

  test("says of a message with forbidden skills only whether one of them is first", () => {
    expect(judge({ ...message, not: ["slides"] }, answer, identity)).toEqual({ forbiddenFirst: 1 });
    expect(judge({ ...message, not: ["pdf"] }, answer, identity)).toEqual({ forbiddenFirst: 0 });
  });

  test("does not take a part of a longer name for the name", () => {
    const section = "- pdf-tables: reads tables\n";
    expect(judge({ ...message, gold: ["pdf"] }, { ...answer, section }, identity)).toMatchObject({
      visible: 0,
    });
  });
});

describe("the figures of a set", () => {
  const outcomes = [
    ...Array.from({ length: 30 }, (_, i) => ({ source: "large", outcome: { hit1: i < 15 ? 1 : 0 }, ms: i })),
    { source: "small", outcome: { hit1: 1 }, ms: 5 },
  ];

  test("give every source the same weight", () => {
    const { macro, sources } = figuresOf(outcomes, "seed");
    expect(macro.hit1?.value).toBe(0.75);
    expect(sources.large?.means.hit1).toBe(0.5);
  });

  test("have an interval around the value that is the same in every run", () => {
    const found = estimate([[0, 1, 0, 1, 1, 0, 0, 1]], "seed");
    expect(found).toEqual(estimate([[0, 1, 0, 1, 1, 0, 0, 1]], "seed"));
    expect(found.low).toBeLessThan(found.value);
    expect(found.high).toBeGreaterThan(found.value);
  });
});

describe("a comparison with a saved run", () => {
  const run = (hit1: number, forbiddenFirst: number) => ({
    tuned: {
      queries: {
        messages: 1,
        macro: {
          hit1: { value: hit1, low: 0, high: 1 },
          forbiddenFirst: { value: forbiddenFirst, low: 0, high: 1 },
        },
        sources: {},
        latency: { p50: 1, p95: 1 },
      },
    },
  });

  test("reports what moved, and as worse only what lost more than its tolerance", () => {
    const moved = movedSince(run(0.8, 0.1), run(0.797, 0.2));
    expect(moved.map(({ name, fell }) => [name, fell])).toEqual([
      ["hit1", false],
      ["forbiddenFirst", true],
    ]);
  });

  test("reports nothing if nothing moved or the sets are different ones", () => {
    expect(movedSince(run(0.8, 0.1), run(0.8, 0.1))).toEqual([]);
    expect(movedSince({}, run(0.8, 0.1))).toEqual([]);
  });
});
