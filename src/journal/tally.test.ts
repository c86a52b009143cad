import { describe, expect, test } from "vitest";
import { memoryStore } from "../stores/memory/store.ts";
import type { NewEvent, Outcome } from "./events.ts";
import { effectivenessFrom, type TallyBook } from "./tally.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 4, 20);

/** The accounts after each of these turns activated `mail` and ended so. */
async function talliesAfter(outcomes: readonly Outcome[], digest = "m1") {
  const store = memoryStore();
  for (const [index, result] of outcomes.entries()) {
    const base = { at: NOW, session: "s", turn: index + 1 };
    await store.journal.append([
      { ...base, kind: "activated", skill: "mail", digest, details: {} },
      { ...base, kind: "outcome", details: { result } },
    ]);
  }
  return store.tallyBook();
}

/** `mail` with this SKILL.md. */
const mail = (digest = "m1") => ({ name: "mail", digest, directory: "/mail", path: "/mail/SKILL.md" });

const provide = (book: TallyBook, now = NOW, instructions = "") =>
  effectivenessFrom(book, { now, instructionsOf: () => instructions });

const times = (count: number, result: Outcome) => new Array<Outcome>(count).fill(result);

describe("deprioritisation", () => {
  test.each([
    ["four failures are too few to judge", [...times(4, "failure")], false],
    ["five failures of five", times(5, "failure"), true],
    ["four failures of five are more than 60%", [...times(4, "failure"), "success"], true],
    [
      "three failures of five are exactly 60%, not more",
      [...times(3, "failure"), ...times(2, "success")],
      false,
    ],
    ["neutral outcomes count for neither side", [...times(4, "neutral"), "failure"], true],
    ["no outcome but neutral ones judges nothing", times(8, "neutral"), false],
  ] as [string, Outcome[], boolean][])("%s", async (_, outcomes, expected) => {
    const provider = provide(await talliesAfter(outcomes));
    expect(provider.of(mail()).deprioritised).toBe(expected);
  });

  test("is forgiven once the failures have faded", async () => {
    const tallies = await talliesAfter(times(5, "failure"));
    const daysLater = (days: number) => provide(tallies, NOW + days * DAY).of(mail());
    expect(daysLater(60).deprioritised).toBe(true);
    expect(daysLater(120).deprioritised).toBe(false);
    expect(daysLater(120)).toMatchObject({ tries: 5, failed: 5 });
  });

  test("is not undone by a clock that was set back", async () => {
    const tallies = await talliesAfter(times(5, "failure"));
    expect(provide(tallies, NOW - DAY).of(mail()).deprioritised).toBe(true);
  });
});

describe("rate", () => {
  test("is smoothed: (s + 1) / (s + f + 2)", async () => {
    const tallies = await talliesAfter(["success", "success", "failure"]);
    expect(provide(tallies).of(mail()).rate).toBeCloseTo(3 / 5, 10);
  });

  test("goes back to one half as outcomes fade, half of them in a half-life", async () => {
    const tallies = await talliesAfter(times(4, "success"));
    const rate = (now: number) => provide(tallies, now).of(mail()).rate;
    expect(rate(NOW + 30 * DAY)).toBeCloseTo(3 / 4, 10);
    expect(rate(NOW + 3000 * DAY)).toBeCloseTo(1 / 2, 6);
  });

  test("of what nobody has used is one half", async () => {
    expect(provide(await talliesAfter([])).of(mail())).toEqual({
      tries: 0,
      worked: 0,
      failed: 0,
      rate: 0.5,
      deprioritised: false,
      lastUsedAt: 0,
    });
  });
});

test("a rewritten skill starts clean, and its parents' history is visible", async () => {
  const store = memoryStore();
  const edited = (digest: string, parent: string): NewEvent => ({
    kind: "edited",
    at: NOW,
    skill: "mail",
    digest,
    details: { parent },
  });
  for (let turn = 1; turn <= 5; turn++) {
    await store.journal.append([
      { kind: "activated", at: NOW, session: "s", turn, skill: "mail", digest: "m1", details: {} },
      { kind: "outcome", at: NOW, session: "s", turn, details: { result: "failure" } },
    ]);
  }
  await store.journal.append([edited("m2", "m1"), edited("m3", "m2")]);
  const provider = provide(await store.tallyBook());
  expect(provider.of(mail()).deprioritised).toBe(true);
  expect(provider.of(mail("m3"))).toMatchObject({ tries: 0, rate: 0.5, deprioritised: false });
  const tallies = await store.journal.tallies("mail");
  expect(tallies.map(({ digest, parent, failures }) => [digest, parent, failures])).toEqual([
    ["m1", undefined, 5],
    ["m2", "m1", 0],
    ["m3", "m2", 0],
  ]);
});

describe("the record of instructions", () => {
  /** After five activations of `mail` that failed, with this SKILL.md and these instructions. */
  async function failedFiveTimes(digest = "m1", instructions = "steps") {
    const store = memoryStore();
    for (let turn = 1; turn <= 5; turn++)
      await store.journal.append([
        {
          ...{ kind: "activated", at: NOW, session: "s", turn, skill: "mail", digest },
          details: { instructions },
        },
        { kind: "outcome", at: NOW, session: "s", turn, details: { result: "failure" } },
      ]);
    return store;
  }
  const activated = (turn: number, instructions: string, digest = "m1"): NewEvent => ({
    ...{ kind: "activated", at: NOW, session: "s", turn, skill: "mail", digest },
    details: { instructions },
  });

  test("is kept when only the front matter changes", async () => {
    const store = await failedFiveTimes();
    const provider = provide(await store.tallyBook(), NOW, "steps");
    expect(provider.of(mail("m2"))).toMatchObject({ tries: 5, failed: 5, deprioritised: true });
    await store.journal.append([activated(6, "steps", "m2")]);
    expect(provide(await store.tallyBook(), NOW, "steps").of(mail("m2"))).toMatchObject({
      tries: 6,
      failed: 5,
    });
  });

  test("starts anew when the body changes", async () => {
    const provider = provide(await (await failedFiveTimes()).tallyBook(), NOW, "other steps");
    expect(provider.of(mail("m2"))).toMatchObject({ tries: 0, deprioritised: false });
  });

  test("starts anew when a file changes under the same SKILL.md, before and after the next activation", async () => {
    const store = await failedFiveTimes();
    const now = async () => provide(await store.tallyBook(), NOW, "other files").of(mail());
    expect(await now()).toMatchObject({ tries: 0, deprioritised: false });
    await store.journal.append([activated(6, "other files")]);
    expect(await now()).toMatchObject({ tries: 1, failed: 0, deprioritised: false });
    expect(await store.journal.tallies("mail")).toMatchObject([{ activated: 6, failures: 5 }]);
  });

  test("asks for the present instructions only if the skill would be ranked lower", async () => {
    const asked = () => {
      throw new Error("asked");
    };
    const well = await talliesAfter(times(9, "success"));
    expect(effectivenessFrom(well, { now: NOW, instructionsOf: asked }).of(mail()).tries).toBe(9);
  });
});
