import { existsSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { createLocalEmbedder } from "../src/embedders/local.ts";
import { ABSTAIN_BELOW } from "../src/recall/calibrate.ts";
import {
  buildLibrary,
  type EvalLibrary,
  type EvalMessage,
  nameOf,
  ownSkills,
  readLines,
  recallRanked,
} from "./harness.ts";

const file = (path: string) => new URL(path, import.meta.url).pathname;
const tablePath = file("../data/embedding/table.bin");

// Floors stand a few points below what is measured (README.md), so that a real loss fails and noise does not.
const FLOORS = { direct: 0.95, language: 0.9, paraphrase: 0.6, smallTalk: 0.05 } as const;

describe.skipIf(!existsSync(tablePath))("recall on our own set", () => {
  let library: EvalLibrary;
  beforeAll(async () => {
    library = await buildLibrary(ownSkills(file("own/skills.json")), createLocalEmbedder({ tablePath }));
  });
  const messages = readLines<EvalMessage>(file("own/messages.jsonl"));
  const inTop3 = (kind: string) => {
    const asked = messages.filter((m) => m.kind === kind && m.gold.length > 0);
    const found = asked.filter((m) =>
      recallRanked(library, m.query)
        .slice(0, 3)
        .some((r) => m.gold.includes(nameOf(library, r.id))),
    );
    return found.length / asked.length;
  };

  test("finds the skill for messages that share words with it", () => {
    expect(inTop3("direct")).toBeGreaterThanOrEqual(FLOORS.direct);
  });

  test("finds the skill for messages in other languages", () => {
    expect(inTop3("language")).toBeGreaterThanOrEqual(FLOORS.language);
  });

  test("finds the skill for paraphrases that share no word with it", () => {
    expect(inTop3("paraphrase")).toBeGreaterThanOrEqual(FLOORS.paraphrase);
  });

  test("stays silent on small talk in several languages", () => {
    const talk = [
      ...messages.filter((m) => m.kind === "small-talk"),
      ...readLines<EvalMessage>(file("own/smalltalk.jsonl")),
    ];
    const loud = talk.filter((m) => (recallRanked(library, m.query)[0]?.score ?? 0) >= ABSTAIN_BELOW);
    expect(loud.length / talk.length).toBeLessThanOrEqual(FLOORS.smallTalk);
  });
});
