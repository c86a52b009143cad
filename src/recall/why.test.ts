import { describe, expect, test } from "vitest";
import { TRADES, workspace } from "../../test/recall-workspace.ts";
import { skillText } from "../../test/skill-tree.ts";

describe("why", () => {
  test("gives place, score and reasons of a recalled skill", async () => {
    const engine = workspace(TRADES).open();
    const message = "fill in this PDF form";
    const why = await engine.library.why("pdf-forms", { message });
    const { matches } = await engine.turns.recall({ message });
    expect(why).toMatchObject({
      name: "pdf-forms",
      recalled: true,
      place: 1,
      ahead: [],
      fellShort: [],
      wouldMatch: [],
    });
    expect(why.score).toBeCloseTo(matches[0]!.score, 3);
    expect(why.reasons).toEqual(matches[0]!.reasons);
  });

  test("gives the missing fit of a skill that is not recalled, and what would have matched", async () => {
    const space = workspace({
      ...TRADES,
      greeter: skillText(
        "Greets visitors warmly.",
        'triggers:\n  keywords: [welcome]\n  patterns: ["greet\\\\s+\\\\w+"]\n',
      ),
    });
    const why = await space
      .open({ "embedder.kind": "none" })
      .library.why("greeter", { message: "fill in this PDF form" });
    expect(why.recalled).toBe(false);
    expect(why.reasons.map(({ signal }) => signal)).not.toContain("lexical");
    expect(why.fellShort).toEqual([
      expect.stringContaining(why.threshold.toFixed(2)),
      expect.not.stringMatching(/\d/),
    ]);
    expect(why.wouldMatch).toEqual(
      expect.arrayContaining([
        "/greeter",
        expect.stringContaining('"welcome"'),
        expect.stringContaining("greet\\s+\\w+"),
      ]),
    );
    expect(why.wouldMatch.join(" ")).toContain("visitors");
    expect(why.ahead[0]?.name).toBe("pdf-forms");
  });

  test("examines a skill that retrieval alone would not have found", async () => {
    const crowd = Object.fromEntries(
      Array.from({ length: 150 }, (_, i) => [`bread-${i}`, skillText(`Bakes bread number ${i}.`)]),
    );
    const space = workspace({ ...crowd, lonely: skillText("Zzyzx.") });
    const why = await space
      .open({ "embedder.kind": "none" })
      .library.why("lonely", { message: "bake bread" });
    expect(why).toMatchObject({ recalled: false, place: expect.any(Number) });
  });

  test("names the copy that is shown instead of a near-duplicate", async () => {
    const text = skillText(
      "Fills in PDF forms.",
      "",
      "# Forms\n\nList the fields, map the values, flatten the form.\n",
    );
    const space = workspace({ ...TRADES, "pdf-forms": text, "team/pdf-forms": text });
    const why = await space.open().library.why("team/pdf-forms", { message: "fill in this PDF form" });
    expect(why.recalled).toBe(false);
    expect(why.fellShort).toContainEqual(expect.stringMatching(/(?<!team\/)\bpdf-forms\b/));
  });

  test("uses the configured threshold and limit", async () => {
    const space = workspace(TRADES);
    const turn = { message: "fill in this PDF form" };
    const strict = await space
      .open({ "recall.threshold": 1, "recall.limit": 7 })
      .library.why("pdf-forms", turn);
    expect(strict).toMatchObject({ recalled: false, threshold: 1, limit: 7 });
  });

  test("fails for a skill that the model may not see", async () => {
    const space = workspace({ ...TRADES, secret: skillText("Secret.", "disable-model-invocation: true\n") });
    await expect(space.open().library.why("secret", { message: "x" })).rejects.toMatchObject({
      code: "skill-not-found",
    });
  });
});
