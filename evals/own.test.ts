import { existsSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { FigureName, SetFigures } from "./figures.ts";
import { measureOwn } from "./measure.ts";

const file = (path: string) => new URL(path, import.meta.url).pathname;

// Floors are a few points below what is measured without the encoder, so that a real loss fails and noise does not.
const FLOORS = {
  direct: 0.95,
  language: 0.9,
  paraphrase: 0.56,
  silent: 0.92,
  meant: 0.95,
  notMeant: 0.15,
} as const;

describe.skipIf(!existsSync(file("../data/embedding/table.bin")))("recall on our own set", () => {
  let measured: Record<string, SetFigures>;
  beforeAll(async () => {
    measured = await measureOwn(file("own"), { encoder: "off" });
  });
  const figure = (kind: string, name: FigureName) => measured[kind]?.macro[name]?.value;

  test("finds the skill for messages that share words with it", () => {
    expect(figure("direct", "hit3")).toBeGreaterThanOrEqual(FLOORS.direct);
  });

  test("finds the skill for messages in other languages", () => {
    expect(figure("language", "hit3")).toBeGreaterThanOrEqual(FLOORS.language);
  });

  test("finds the skill for paraphrases that share no word with it", () => {
    expect(figure("paraphrase", "hit3")).toBeGreaterThanOrEqual(FLOORS.paraphrase);
  });

  test("puts a name first that is meant, and not one that is not", () => {
    expect(figure("mentions", "firstRight")).toBeGreaterThanOrEqual(FLOORS.meant);
    expect(figure("mentions-not", "forbiddenFirst")).toBeLessThanOrEqual(FLOORS.notMeant);
  });

  test("stays silent on small talk in several languages", () => {
    expect(figure("small-talk", "silent")).toBeGreaterThanOrEqual(FLOORS.silent);
  });
});
