import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createLocalEmbedder } from "../embedders/local.ts";
import { createIntentModel, INTENTS, type IntentWeights } from "./intent.ts";

const data = join(import.meta.dirname, "../../data");
const weights = JSON.parse(readFileSync(join(data, "intent/weights.json"), "utf8")) as IntentWeights;
const local = createLocalEmbedder({ tablePath: join(data, "embedding/table.bin") });
const intentOf = createIntentModel(weights, (text) => local.embedOne(text));

describe("the intent of a message", () => {
  test.each([
    "deploy the staging branch to kubernetes and roll back if the health check fails",
    "write an nda for a freelancer",
    "why does our docker build fail on arm",
  ])("%s asks for work", (text) => {
    expect(intentOf({ text }).chances.work).toBeGreaterThan(0.5);
  });

  test.each([
    "thanks a lot!",
    "hi there",
    "yes, do that",
    "who won the world cup in 1998?",
    "ok cool",
    "lol",
  ])("%s does not", (text) => {
    expect(intentOf({ text }).chances.work).toBeLessThan(0.5);
  });

  test("is one of the intents, with chances that add up to 1, for any text", () => {
    for (const text of ["", " ", "\u0000", "🙂", "a".repeat(100_000), "\ud800"]) {
      const { intent, chances } = intentOf({ text });
      expect(INTENTS).toContain(intent);
      expect(Object.values(chances).reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1);
    }
  });

  test("of the first message of a process is that of any later one, though its phrases are looked up otherwise", () => {
    for (const text of [
      "thanks a lot!",
      "write an nda for a freelancer",
      "who won?",
      "zzz",
      "what is a b-tree?",
    ]) {
      const first = createIntentModel(weights, (given) => local.embedOne(given));
      expect(first({ text })).toEqual(intentOf({ text }));
    }
  });

  test("has its phrases in order, as the search expects them", () => {
    const phrases = weights.phrases
      .trim()
      .split("\n")
      .map((line) => line.split("\t")[0]!);
    expect(phrases).toEqual([...phrases].sort());
    expect(phrases.length).toBeGreaterThan(1000);
  });
});
