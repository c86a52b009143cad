import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TRADES, workspace } from "../recall-workspace.ts";

const MESSAGE = "the paper application needs to be completed with our data";

describe("the trained encoder", () => {
  test("encodes a small library before the first answer, explains itself, and keeps the vectors", async () => {
    const space = workspace(TRADES);
    const engine = space.open({ "recall.encoder": "auto" });
    const { matches, near } = await engine.turns.recall({ message: MESSAGE });
    const notes = matches.flatMap(({ reasons }) => reasons.map(({ note }) => note));
    expect([...matches, ...near].map(({ name }) => name)).toContain("pdf-forms");
    expect(notes.length === 0 || notes.some((note) => note.includes("encoder"))).toBe(true);
    const cache = engine.turns.config.cacheDir!;
    expect(readdirSync(cache).filter((name) => name.endsWith(".vectors"))).toHaveLength(1);
    const again = await space.open({ "recall.encoder": "auto" }).turns.recall({ message: MESSAGE });
    expect(again.matches).toEqual(matches);
  });

  test("is left out if it is switched off", async () => {
    const engine = workspace(TRADES).open({ "recall.encoder": "off" });
    await engine.turns.recall({ message: MESSAGE });
    const cache = engine.turns.config.cacheDir!;
    expect(readdirSync(cache).filter((name) => name.endsWith(".vectors"))).toEqual([]);
  });

  test("counts as soon as a larger library is encoded", async () => {
    const skills = Object.fromEntries(
      Array.from({ length: 70 }, (_, i) => [`extra-${i}`, TRADES["pdf-forms"]!.replace("PDF", `PDF ${i}`)]),
    );
    const engine = workspace({ ...TRADES, ...skills }).open({ "recall.encoder": "auto" });
    await engine.turns.recall({ message: MESSAGE });
    const indexing = await engine.turns.indexing();
    expect(await indexing.encode({ most: 10 })).toBeGreaterThan(10);
    expect(await indexing.encode()).toBe(0);
    const { matches } = await engine.turns.recall({ message: "bake a sourdough loaf" });
    expect(matches[0]?.reasons.some(({ note }) => note.includes("encoder"))).toBe(true);
  });
});
