import { describe, expect, it } from "vitest";
import type { DreamSession } from "./sessions.ts";
import { findWishes } from "./wishes.ts";

const ABOUT = new Map([["invoice", "invoice Writes an invoice for a client."]]);

/** A session that used the skill in its first turn and went on with these messages. */
function session(id: string, ...next: readonly string[]): DreamSession {
  const turn = (message: string, at: number) => ({
    session: id,
    turn: at + 1,
    at,
    message,
    recalled: [],
    used: at === 0 ? ["invoice"] : [],
    failed: [],
    corrections: [],
    blamed: [],
    endedBadly: false,
  });
  return { id, at: 0, turns: ["write the invoice", ...next].map(turn), used: ["invoice"], remarks: [] };
}

function wishesOf(...sessions: readonly DreamSession[]): string[] {
  const steps = findWishes(sessions, ABOUT);
  for (let step = steps.next(); ; step = steps.next())
    if (step.done) return (step.value.get("invoice") ?? []).map(({ text }) => text);
}

describe("what is asked for after a skill", () => {
  it.each([
    ["the date goes at the top", "could you move the date to the top?"],
    ["shorter please", "can you make it a bit shorter?"],
    ["where is the VAT?", "and the VAT?"],
    ["bitte mit Logo des Vereins", "setz noch das Logo vom Verein rein"],
    ["as a PDF file, please", "I need a PDF file of it"],
  ])("is a wish if it comes in two sessions: %j, %j", (one, other) => {
    expect(wishesOf(session("a", one), session("b", other))).toEqual([one, other]);
  });

  it.each([
    ["thanks, looks good!", "thanks, this looks good"],
    ["great, go ahead", "ok, go ahead please"],
    ["the date goes at the top", "add the logo of the shop"],
    ["now write an invoice for the client Miller", "write the invoice for the client Smith"],
    ["no, that is wrong: the date goes to the top", "you forgot the date at the top"],
  ])("is none: %j, %j", (one, other) => {
    expect(wishesOf(session("a", one), session("b", other))).toEqual([]);
  });

  it("is none if one session says it twice, says it late, or after another skill", () => {
    const wish = "the date goes at the top";
    expect(wishesOf(session("a", wish, wish))).toEqual([]);
    expect(wishesOf(session("a", wish), session("b", "ok", "ok", "ok", wish))).toEqual([]);
    const other = session("b", "plan the sprint", wish);
    const turns = other.turns.map((turn, at) => (at === 1 ? { ...turn, used: ["plan"] } : turn));
    expect(wishesOf(session("a", wish), { ...other, turns })).toEqual([]);
  });
});
