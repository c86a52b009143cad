import { describe, expect, test } from "vitest";
import { skillOf } from "../../../test/skills.fixture.ts";
import {
  packRemembered,
  REMEMBERED,
  RememberedBook,
  type RememberedMessage,
  USE_WEIGHT,
} from "../../journal/journal.ts";
import { Precedents, rememberedTerms } from "./use.ts";

const NOW = Date.UTC(2026, 10, 3, 12);
/** Common words as in general prose; every other word is rare. */
const COMMON: Readonly<Record<string, number>> = { use: 3, make: 4, file: 3.5, test: 4.5, fix: 6, ship: 6.4 };
const background = (word: string) => COMMON[word];
const skill = skillOf("release");
const DIGEST = skill.digest;

let turn = 0;
function remembered(text: string, more: Partial<RememberedMessage> = {}): RememberedMessage {
  const terms = rememberedTerms({ text }, background);
  turn++;
  return { skill: "release", digest: DIGEST, session: "s", turn, at: NOW, weight: 1, text, terms, ...more };
}

function precedents(message: string, known: readonly RememberedMessage[], now = NOW): Precedents {
  const book = new RememberedBook(packRemembered(known));
  return new Precedents({ text: message }, { book, now }, background);
}

const judged = (message: string, known: readonly RememberedMessage[], now = NOW) =>
  precedents(message, known, now).judge(skill);
const value = (...input: Parameters<typeof judged>) => judged(...input)?.value ?? 0;

const CHANGELOG = "write the changelog for the quarterly release";

describe("what was learned from use", () => {
  test("claims the skill for the same message, however short, and says when it was used", () => {
    expect(judged("ship it", [remembered("ship it")])).toMatchObject({
      kind: "claim",
      note: 'used for "ship it" on 3 Nov',
    });
    expect(value("ship it", [remembered("ship it")])).toBeGreaterThan(0.6);
    expect(precedents("Ship it!", [remembered("ship it")]).names).toEqual(["release"]);
  });

  test("claims less for a similar message, and nothing for one that shares common words or one rare word", () => {
    const known = [remembered(CHANGELOG)];
    const similar = value(
      "write the quarterly changelog of the billing service for auditors and partners",
      known,
    );
    expect(similar).toBeGreaterThan(0);
    expect(similar).toBeLessThan(value(CHANGELOG, known));
    for (const other of [
      "make a file and test it",
      "plan the quarterly offsite in Lisbon with hotel and train",
    ])
      expect(judged(other, known)).toBeUndefined();
  });

  test("counts more if several messages agree, and shows how many", () => {
    const known = [CHANGELOG, "quarterly changelog please", "changelog of the quarterly release"].map(
      (text) => remembered(text),
    );
    const several = judged(CHANGELOG, known);
    expect(several!.value).toBeGreaterThan(value(CHANGELOG, known.slice(0, 1)));
    expect(several!.note).toMatch(/, and 2 more$/);
  });

  test("counts less if such messages led to other skills too, but not if one turn used both", () => {
    const own = remembered(CHANGELOG);
    const elsewhere = remembered(CHANGELOG, { skill: "blog" });
    const together = { ...elsewhere, turn: own.turn };
    expect(value(CHANGELOG, [own, elsewhere])).toBeLessThan(value(CHANGELOG, [own]));
    expect(value(CHANGELOG, [own, together])).toBe(value(CHANGELOG, [own]));
  });

  test("fades with time", () => {
    const known = [remembered(CHANGELOG)];
    const values = [0, 1, 2, 4].map((lives) => value(CHANGELOG, known, NOW + lives * REMEMBERED.halfLifeMs));
    expect(values).toEqual([...values].sort((a, b) => b - a));
    expect(values[3]).toBeLessThan(0.1);
  });

  test("counts half for a skill whose content has changed since", () => {
    const changed = value(CHANGELOG, [remembered(CHANGELOG, { digest: "other" })]);
    expect(changed).toBeGreaterThan(0);
    expect(changed).toBeCloseTo(value(CHANGELOG, [remembered(CHANGELOG)], NOW + REMEMBERED.halfLifeMs), 10);
  });

  test("counts most for the skill that it should have been", () => {
    const meant = judged(CHANGELOG, [remembered(CHANGELOG, { weight: USE_WEIGHT.meant })]);
    expect(meant).toMatchObject({
      kind: "claim",
      note: expect.stringMatching(/^meant by "write the changelog/),
    });
    expect(meant!.value).toBeGreaterThan(0.95);
  });

  test("makes a skill doubtful that went badly, for similar messages only", () => {
    const known = [remembered(CHANGELOG, { weight: -1 })];
    expect(judged(CHANGELOG, known)).toMatchObject({
      kind: "doubt",
      value: expect.closeTo(0.4, 5),
      note: expect.stringMatching(/^went badly with "write the changelog/),
    });
    expect(judged("fix the failing login test", known)).toBeUndefined();
    expect(precedents(CHANGELOG, known).names).toEqual([]);
  });

  test("a success and a failure with the same message cancel each other", () => {
    const known = [remembered(CHANGELOG), remembered(CHANGELOG, { weight: -1 })];
    expect(judged(CHANGELOG, known)).toBeUndefined();
  });

  test("says nothing about a skill without messages", () => {
    expect(precedents(CHANGELOG, [remembered(CHANGELOG)]).judge(skillOf("other"))).toBeUndefined();
    expect(judged(CHANGELOG, [])).toBeUndefined();
  });
});

describe("the terms of a remembered message", () => {
  test("leave out words that say nothing, and are few however long the message is", () => {
    expect(rememberedTerms({ text: "use the file" }, background)).toHaveLength(1);
    expect(rememberedTerms({ text: "" }, background)).toEqual([]);
    const words = Array.from({ length: 400 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}x${i}q`);
    expect(rememberedTerms({ text: words.join(" ") }, background)).toHaveLength(32);
  });
});
