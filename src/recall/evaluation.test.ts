import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withCode } from "../../test/errors.ts";
import { TRADES, workspace } from "../../test/recall-workspace.ts";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import { addCase, type EvalCase, type EvalReport, evaluate, readCases, regressions } from "./evaluation.ts";

const cases = (content: string, file = "messages.jsonl") =>
  readCases(join(temporaryTree({ [file]: content }), file));
const one = (query: string, more: Partial<EvalCase> = {}): EvalCase => ({
  query,
  gold: [],
  not: [],
  source: "tests",
  length: "short",
  ...more,
});

describe("cases", () => {
  test("are added to a file of lines, which is made if it is missing, and not to a list", () => {
    const root = temporaryTree({ "mine.jsonl": '{"query": "a", "gold": ["x"]}', "list.json": "[]" });
    for (const file of ["mine.jsonl", "new/cases.jsonl"])
      addCase(join(root, file), { query: "b\n“c”", gold: ["y"] });
    expect(readCases(join(root, "mine.jsonl")).map(({ query }) => query)).toEqual(["a", "b\n“c”"]);
    expect(readCases(join(root, "new/cases.jsonl"))).toMatchObject([{ query: "b\n“c”", gold: ["y"] }]);
    expect(() => addCase(join(root, "list.json"), { query: "b", gold: ["y"] })).toThrow(
      withCode("eval-not-lines"),
    );
  });

  test("are read from query/gold lines, with blank lines and Windows line ends ignored", () => {
    const text = [
      '{"query": "a b", "gold": ["X_Y"], "source": "s", "length": "long"}',
      "",
      '{"query": "c", "not": "z"}\r',
      "",
    ].join("\n");
    expect(cases(text)).toEqual([
      { query: "a b", gold: ["x-y"], not: [], source: "s", length: "long" },
      { query: "c", gold: [], not: ["z"], source: "messages", length: "short" },
    ]);
  });

  test("are read from a should_trigger list beside its skill", () => {
    const list = JSON.stringify([
      { query: "fill it", should_trigger: true },
      { query: "scan it", should_trigger: false },
    ]);
    for (const file of ["pdf-forms/evals/triggers.json", "pdf-forms/triggers.json"]) {
      expect(cases(list, file)).toMatchObject([
        { query: "fill it", gold: ["pdf-forms"], not: [], source: "triggers" },
        { query: "scan it", gold: [], not: ["pdf-forms"] },
      ]);
    }
  });

  test("get their length from their number of words", () => {
    const lines = [30, 31, 120, 121].map((count) =>
      JSON.stringify({ query: "w ".repeat(count).trim(), gold: null }),
    );
    expect(cases(lines.join("\n")).map(({ length }) => length)).toEqual([
      "short",
      "medium",
      "medium",
      "long",
    ]);
    expect(cases(lines[0]!)[0]!.gold).toEqual([]);
  });

  test("are an empty list for an empty file", () => {
    expect(cases("\n")).toEqual([]);
  });

  test.each([
    ["{", "eval-not-json", "messages.jsonl:1"],
    ['{"query": "a"}\nnonsense', "eval-not-json", "messages.jsonl:2"],
    ['{"gold": ["a"]}', "eval-no-query", '"query"'],
    ["null", "eval-no-query", '"query"'],
  ])("that cannot be read fail with their place: %j", (text, code, place) => {
    expect(() => cases(text)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(place) }),
    );
  });

  test("of a missing file fail with the path", () => {
    expect(() => readCases("/nowhere/x.jsonl")).toThrow(withCode("eval-unreadable"));
  });
});

describe("an evaluation", () => {
  test("gives figures per source and a mean in which each source counts the same", async () => {
    const engine = workspace(TRADES).open();
    const report = await evaluate(
      (turn, request) => engine.turns.recall(turn, request),
      [
        one("fill in this PDF form", { gold: ["pdf-forms"], source: "large" }),
        one("complete the PDF form fields", { gold: ["pdf-forms"], source: "large" }),
        one("flatten the PDF form", { gold: ["pdf-forms"], source: "large" }),
        one("bake sourdough bread", { gold: ["train-trips"], source: "small", length: "long" }),
      ],
    );
    expect(report.groups.large).toMatchObject({
      messages: 3,
      hit1: 1,
      recall3: 1,
      mrr: 1,
      ndcg10: 1,
      shown3: 1,
    });
    expect(report.groups.small).toMatchObject({ messages: 1, hit1: 0, shown3: 0 });
    expect(report.macro).toMatchObject({ messages: 4, hit1: 0.5, shown3: 0.5 });
    expect(Object.keys(report.latency).sort()).toEqual(["long", "short"]);
    expect(report).toMatchObject({ falseAlarms: null, forbiddenFirst: null });
  });

  test("counts small talk that recalls something, and forbidden skills that come first", async () => {
    const engine = workspace(TRADES).open();
    const report = await evaluate(
      (turn, request) => engine.turns.recall(turn, request),
      [
        one("hi"),
        one("fill in this PDF form"),
        one("bake sourdough bread", { not: ["sourdough-bread"] }),
        one("bake sourdough bread", { not: ["pdf-forms"] }),
      ],
    );
    expect(report).toMatchObject({ falseAlarms: 0.5, forbiddenFirst: 0.5, groups: {} });
    expect(report.macro.messages).toBe(0);
  });

  test("recalls only from a source's own library if one is given", async () => {
    const engine = workspace(TRADES).open();
    const message = one("bake bread on the train", { gold: ["train-trips"] });
    const libraries = { tests: ["Train_Trips", "garden-calendar"] };
    const report = await evaluate((turn, request) => engine.turns.recall(turn, request), [message], {
      libraries,
    });
    expect(report.groups.tests).toMatchObject({ hit1: 1 });
  });

  test("counts a copy as its original, whether listed in the table or folded by recall", async () => {
    const text = skillText(
      "Grooms poodles.",
      "",
      "# Poodles\n\nBrush the coat, trim the claws, dry the ears.\n",
    );
    const engine = workspace({ ...TRADES, poodle: text, "team/poodle": text }).open();
    const wanted = [one("groom the poodle", { gold: ["team/poodle"] })];
    expect((await evaluate((turn, request) => engine.turns.recall(turn, request), wanted)).macro.hit1).toBe(
      1,
    );
    const listed = [one("bake sourdough bread", { gold: ["loaf"] })];
    expect((await evaluate((turn, request) => engine.turns.recall(turn, request), listed)).macro.hit1).toBe(
      0,
    );
    expect(
      (
        await evaluate((turn, request) => engine.turns.recall(turn, request), listed, {
          duplicates: { "sourdough-bread": "loaf" },
        })
      ).macro.hit1,
    ).toBe(1);
  });

  test("does not count see-also matches", async () => {
    const bread = skillText("Bakes sourdough bread.", "see-also: [garden-calendar]\n");
    const engine = workspace({ ...TRADES, "sourdough-bread": bread }).open({ "embedder.kind": "none" });
    const report = await evaluate(
      (turn, request) => engine.turns.recall(turn, request),
      [one("bake sourdough bread", { gold: ["garden-calendar"] })],
    );
    expect(report.macro).toMatchObject({ recall3: 0, shown3: 0 });
  });

  test("writes no session and gives the same figures twice", async () => {
    const engine = workspace(TRADES).open();
    const all = [one("fill in this PDF form", { gold: ["pdf-forms"] }), one("hi")];
    const figures = async () => {
      const { latency: _, ...rest } = await evaluate(
        (turn, request) => engine.turns.recall(turn, request),
        all,
      );
      return rest;
    };
    expect(await figures()).toEqual(await figures());
  });
});

describe("regressions", () => {
  const report = (hit1: number, falseAlarms: number | null = null): EvalReport => ({
    groups: {},
    macro: { messages: 1, hit1, recall3: 1, recall5: 1, recall10: 1, mrr: 1, ndcg10: 1, shown3: 1 },
    falseAlarms,
    forbiddenFirst: null,
    latency: {},
    failures: [],
    unknown: [],
  });

  test("are figures that fell and alarms that rose by more than the tolerance", () => {
    expect(regressions(report(0.7), report(0.8))).toEqual([expect.stringMatching(/^hit1 .*80\.0 .*70\.0$/)]);
    expect(regressions(report(0.8, 0.2), report(0.8, 0.1))).toEqual([
      expect.stringMatching(/^falseAlarms .*10\.0 .*20\.0$/),
    ]);
  });

  test("are empty for figures that stayed, rose, or were not measured before", () => {
    expect(regressions(report(0.798), report(0.8))).toEqual([]);
    expect(regressions(report(0.9, 0.1), report(0.8, 0.2))).toEqual([]);
    expect(regressions(report(0.8, 0.9), report(0.8, null))).toEqual([]);
  });
});
