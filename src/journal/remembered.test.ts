import { describe, expect, test } from "vitest";
import {
  packRemembered,
  REMEMBERED,
  RememberedBook,
  type RememberedMessage,
  strongest,
  weightNow,
  withRemembered,
} from "./remembered.ts";

const NOW = Date.UTC(2026, 10, 3);
const term = (hash: number, weight = 48) => hash * 256 + weight;

function message(more: Partial<RememberedMessage> = {}): RememberedMessage {
  return {
    skill: "mail",
    digest: "m1",
    session: "s1",
    turn: 1,
    at: NOW,
    weight: 1,
    text: "ship it — 日本",
    terms: [term(1), term(2), term(3)],
    ...more,
  };
}

const withoutTerms = ({ terms, ...rest }: RememberedMessage) => rest;

describe("a book of remembered messages", () => {
  const open = (...messages: RememberedMessage[]) => new RememberedBook(packRemembered(messages));

  test("finds messages by their terms and returns them whole", () => {
    const other = message({ skill: "plan", session: undefined, turn: undefined, terms: [term(0xffffff)] });
    const book = open(message(), other);
    expect(book.size).toBe(2);
    expect(book.similarTo([term(1), term(2), term(3)], 0.5)).toEqual([
      { message: withoutTerms(message()), likeness: 1, shared: 3 * 48, sharedTerms: 3 },
    ]);
    expect(book.similarTo([term(0xffffff)], 0.5)).toMatchObject([{ message: withoutTerms(other) }]);
    expect(book.similarTo([term(9)], 0)).toEqual([]);
    expect(book.similarTo([], 0)).toEqual([]);
  });

  test("compares rare terms more than common ones", () => {
    const book = open(message({ terms: [term(1, 80), term(2, 8)] }));
    const [rare] = book.similarTo([term(1, 80), term(3, 80)], 0);
    const [common] = book.similarTo([term(2, 8), term(3, 80)], 0);
    expect(rare!.likeness).toBeGreaterThan(0.6);
    expect(common!.likeness).toBeLessThan(0.05);
  });

  test("is empty if its bytes are damaged, of another format or missing", () => {
    const packed = packRemembered([message(), message({ turn: 2 })]);
    const other = packed.slice();
    other[0] = 99;
    for (const bytes of [new Uint8Array(0), packed.subarray(0, 7), packed.subarray(0, 30), other])
      expect(new RememberedBook(bytes).similarTo([term(1)], 0)).toEqual([]);
  });

  test("leaves out a message whose line is damaged", () => {
    const packed = packRemembered([message()]);
    expect(new RememberedBook(packed.subarray(0, packed.length - 3)).similarTo([term(1)], 0)).toEqual([]);
  });
});

describe("the weight of a message", () => {
  test("halves in the half-life, and once more if the content changed", () => {
    const now = NOW + REMEMBERED.halfLifeMs;
    expect(weightNow(message(), { now: NOW, content: "m1" })).toBe(1);
    expect(weightNow(message(), { now, content: "m1" })).toBeCloseTo(0.5);
    expect(weightNow(message(), { now, content: "m2" })).toBeCloseTo(0.25);
    expect(weightNow(message(), { now: NOW - 1000 })).toBe(1);
  });
});

describe("one more message", () => {
  test("replaces the one of its turn; a neutral outcome removes it", () => {
    const failed = message({ weight: -1 });
    expect(withRemembered([message()], failed)).toEqual([failed]);
    expect(withRemembered([message()], message({ weight: 0 }))).toEqual([]);
    expect(withRemembered([message()], message({ turn: 2 }))).toHaveLength(2);
  });

  test("does not weaken what was said about the same turn", () => {
    const meant = message({ weight: 3 });
    expect(withRemembered([meant], message())).toEqual([meant]);
  });

  test("of a skill that has enough drops an older one with the same terms, then the oldest", () => {
    const known = Array.from({ length: REMEMBERED.perSkill }, (_, turn) =>
      message({ turn, at: NOW + turn, terms: [term(turn)] }),
    );
    const again = message({ turn: 100, at: NOW + 100, terms: [term(7)] });
    const kept = withRemembered(known, again);
    expect(kept).toHaveLength(REMEMBERED.perSkill);
    expect(kept).not.toContain(known[7]);
    const another = withRemembered(known, message({ turn: 100, at: NOW + 100, terms: [term(100)] }));
    expect(another).not.toContain(known[0]);
    expect(another).toContain(known[7]);
  });
});

test("the strongest messages are kept: faded and weak ones go first", () => {
  const old = message({ turn: 1, at: NOW - 2 * REMEMBERED.halfLifeMs, weight: 3 });
  const weak = message({ turn: 2, weight: -0.5, terms: [term(4)] });
  const fresh = message({ turn: 3, weight: -1, terms: [term(5)] });
  expect(strongest([old, weak, fresh], { limit: 2, now: NOW })).toEqual([old, fresh]);
  expect(strongest([old, weak, fresh], { limit: 1, now: NOW })).toEqual([fresh]);
});
