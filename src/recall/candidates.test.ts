import { describe, expect, test } from "vitest";
import { TRADES, workspace } from "../../test/recall-workspace.ts";
import { skillText } from "../../test/skill-tree.ts";
import { CANDIDATES, retrieve } from "./candidates.ts";

async function retrievalOf(message: string, options: { also?: string[] } = {}) {
  const index = await (await workspace(TRADES).open({ "embedder.kind": "none" }).turns.indexing()).current();
  const retrieval = retrieve({
    index,
    message: { text: message },
    vector: undefined,
    background: () => undefined,
    also: (options.also ?? []).map((name) => index.find(name)!),
  });
  return { index, ...retrieval };
}

async function retrieved(message: string, options: { also?: string[] } = {}) {
  const { index, candidates } = await retrievalOf(message, options);
  return candidates.map(({ id }) => index.text.key(id));
}

describe("candidates", () => {
  test("have a word of the message", async () => {
    expect(await retrieved("sourdough on the train")).toEqual(
      expect.arrayContaining(["sourdough-bread", "train-trips"]),
    );
    expect(await retrieved("zzyzx")).toEqual([]);
  });

  test("include the required skills, each once", async () => {
    expect(await retrieved("zzyzx", { also: ["pdf-forms", "pdf-forms"] })).toEqual(["pdf-forms"]);
  });

  test("come with the number of skills that have a word: all, if the word is too common to be indexed", async () => {
    const { index, skillsWith } = await retrievalOf("feed the sourdough with zzyzx");
    expect(skillsWith("sourdough")).toBe(1);
    expect(skillsWith("zzyzx")).toBe(0);
    expect(skillsWith("with")).toBe(index.text.size);
  });

  test("are limited in number in a large library", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`bread-${i}`, skillText(`Bakes bread number ${i}.`)]),
    );
    const answer = await workspace(many).open().turns.recall({ message: "bake bread" });
    expect(answer.considered).toBeLessThanOrEqual(CANDIDATES.lexical + CANDIDATES.meaning);
  });
});
