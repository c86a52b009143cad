import { describe, expect, it } from "vitest";
import { TRADES, workspace } from "../../test/recall-workspace.ts";

const MESSAGE = { session: "s", message: "fill in this PDF form" };

describe("a turn", () => {
  it("recalls once, whether recall or prompt comes first", async () => {
    const engine = workspace(TRADES).open();
    const turn = engine.turn(MESSAGE);
    const prompt = await turn.prompt();
    expect(prompt.matches.length).toBeGreaterThan(0);
    expect((await turn.recall()).matches).toEqual(prompt.matches);
    const other = engine.turn({ ...MESSAGE, session: "other" });
    const recalled = await other.recall();
    expect((await other.prompt()).matches).toEqual(recalled.matches);
    expect((await engine.journal.session("other")).turn).toBe(1);
  });

  it("that a session has seen is shown again once its agent has lost its context", async () => {
    const engine = workspace(TRADES).open();
    const shown = async () =>
      (await engine.turn(MESSAGE).prompt({ context: "append" })).matches.map(({ name }) => name);
    const first = await shown();
    expect(first).not.toEqual([]);
    expect(await shown()).toEqual([]);
    await engine.forgetShown("s");
    expect(await shown()).toEqual(first);
  });
});
