import { describe, expect, it } from "vitest";
import { namesFor, TRADES, workspace } from "../../test/recall-workspace.ts";
import { openRepertoire, type Repertoire } from "../engine/engine.ts";
import { REMEMBERED } from "../journal/journal.ts";
import { memoryStore } from "../stores/stores.ts";

const START = Date.UTC(2026, 10, 3, 12);

/** An engine over six skills, with a store of its own and a clock that can be moved. */
function learner(values: Readonly<Record<string, unknown>> = {}, skills = TRADES) {
  const space = workspace(skills);
  let now = START;
  const engine = openRepertoire({
    dir: space.project,
    home: space.home,
    env: {},
    values: { "sources.bundled": false, "consent.allow": ["*"], ...values },
    store: memoryStore(),
    clock: { now: () => new Date(now) },
  });
  const wait = (ms: number) => {
    now += ms;
  };
  return { engine, space, wait };
}

/** A turn in which a skill is activated. */
async function used(engine: Repertoire, message: string, skill: string, session = "s") {
  const turn = engine.turn({ session, message });
  await turn.recall();
  await engine.task("t", { session }).activate(skill);
  return turn;
}

const SHIP = "ship it";
const reasonsOf = async (engine: Repertoire, skill: string, message: string) =>
  (await engine.library.why(skill, { message })).reasons.filter(({ signal }) => signal === "use");

describe("recall that learns from use", () => {
  it("finds a skill by a message that went well before, although they share no word", async () => {
    const { engine } = learner();
    expect(await namesFor(engine, SHIP)).toEqual([]);
    await (await used(engine, SHIP, "database-migrations")).outcome("success");
    expect((await namesFor(engine, SHIP))[0]).toBe("database-migrations");
    expect(await namesFor(engine, { message: SHIP, session: "other" })).toEqual(["database-migrations"]);
  });

  it("explains it with the message and the day, and its reasons add up to the score", async () => {
    const { engine } = learner();
    await (await used(engine, SHIP, "database-migrations")).outcome("success");
    const { matches } = await engine.turns.recall({ message: SHIP });
    expect(matches[0]!.reasons[0]).toMatchObject({ signal: "use", note: 'used for "ship it" on 3 Nov' });
    const sum = matches[0]!.reasons.reduce((total, { value }) => total + value, 0);
    expect(sum).toBeCloseTo(matches[0]!.score, 3);
  });

  it("changes nothing for other messages", async () => {
    const { engine } = learner();
    const others = ["fill in this PDF form for me", "when do I sow tomatoes?", "thanks a lot!", "review it"];
    const ask = () =>
      Promise.all(others.map(async (message) => (await engine.turns.recall({ message })).matches));
    const before = await ask();
    await (await used(engine, SHIP, "database-migrations")).outcome("success");
    await (await used(engine, "zip the spreadsheets", "train-trips", "s2")).outcome("failure");
    expect(await ask()).toEqual(before);
  });

  it("fades with the clock", async () => {
    const { engine, wait } = learner();
    await (await used(engine, SHIP, "database-migrations")).outcome("success");
    const fresh = (await engine.turns.recall({ message: SHIP })).matches[0]!.score;
    wait(REMEMBERED.halfLifeMs);
    expect((await engine.turns.recall({ message: SHIP })).matches[0]!.score).toBeLessThan(fresh);
    wait(4 * REMEMBERED.halfLifeMs);
    expect(await namesFor(engine, SHIP)).toEqual([]);
  });

  it("lowers a skill that went badly, for messages like that one", async () => {
    const { engine } = learner();
    const message = "fill in this PDF form for me";
    const before = (await engine.turns.recall({ message })).matches[0]!;
    await (await used(engine, message, "pdf-forms")).outcome("failure");
    const after = await engine.library.why("pdf-forms", { message });
    expect(after.score).toBeLessThan(before.score);
    expect(after.reasons).toContainEqual({
      signal: "use",
      value: expect.closeTo(after.score - before.score, 1),
      note: expect.stringMatching(/^went badly with "fill in this PDF form/),
    });
    const other = "flatten the annual PDF so that printers accept it";
    expect(await reasonsOf(engine, "pdf-forms", other)).toEqual([]);
  });

  it("takes a later outcome of the turn instead of the earlier one", async () => {
    const { engine } = learner();
    const turn = await used(engine, SHIP, "database-migrations");
    await turn.outcome("failure");
    await turn.outcome("success");
    expect((await engine.journal.statsOf("database-migrations")).messages).toEqual([
      { text: SHIP, at: START, weight: 1 },
    ]);
    await turn.outcome("neutral");
    expect((await engine.journal.statsOf("database-migrations")).messages).toEqual([]);
  });

  it("remembers the message that led to the activation, not the one in which the outcome is told", async () => {
    const { engine } = learner();
    await used(engine, SHIP, "database-migrations");
    const later = engine.turn({ session: "s", message: "wonderful, that worked" });
    await later.recall();
    await later.outcome("success", { turn: 1 });
    const { messages } = await engine.journal.statsOf("database-migrations");
    expect(messages.map(({ text }) => text)).toEqual([SHIP]);
  });

  it("remembers what was asked before the message that only says to go on", async () => {
    const { engine } = learner();
    await engine.turn({ session: "s", message: "deploy the spreadsheets" }).recall();
    const turn = await used(engine, "yes, do it", "train-trips");
    await engine.turn({ session: "s", message: "and now something else entirely" }).recall();
    await turn.outcome("success");
    const { messages } = await engine.journal.statsOf("train-trips");
    expect(messages.map(({ text }) => text)).toEqual(["deploy the spreadsheets"]);
  });

  it("counts less for a skill whose content has changed", async () => {
    const { engine, space } = learner();
    await (await used(engine, SHIP, "database-migrations")).outcome("success");
    const [before] = await reasonsOf(engine, "database-migrations", SHIP);
    space.write("database-migrations", `${TRADES["database-migrations"]}\nOne more step.\n`);
    await engine.library.refresh();
    const [after] = await reasonsOf(engine, "database-migrations", SHIP);
    expect(after!.value).toBeLessThan(before!.value);
    expect(after!.value).toBeGreaterThan(0.2);
  });

  it("follows a skill to its new name", async () => {
    const { engine } = learner();
    await engine.learned.save({ name: "deploys", content: "Brings the service to production.\n" });
    await (await used(engine, SHIP, "deploys")).outcome("success");
    await engine.learned.rename("deploys", "rollout");
    expect(await namesFor(engine, SHIP)).toEqual(["rollout"]);
    expect((await engine.journal.statsOf("deploys")).messages).toHaveLength(1);
    await engine.learned.undo();
    expect(await namesFor(engine, SHIP)).toEqual(["deploys"]);
  });
});

describe("should have been", () => {
  const MESSAGE = "fill in this PDF form for me";

  it("puts the skill first for that message, and makes the mistaken ones doubtful", async () => {
    const { engine } = learner();
    const turn = await used(engine, MESSAGE, "pdf-forms");
    expect(await turn.shouldHaveBeen("incident-reports")).toEqual(["pdf-forms"]);
    const { matches } = await engine.turns.recall({ message: MESSAGE });
    expect(matches[0]).toMatchObject({
      name: "incident-reports",
      reasons: [{ signal: "use", note: 'meant by "fill in this PDF form for me" on 3 Nov' }],
    });
    expect((await engine.journal.statsOf("pdf-forms")).messages).toMatchObject([{ weight: -1 }]);
    const [event] = await engine.journal.query({ session: "s", kinds: ["feedback"] });
    expect(event).toMatchObject({
      turn: 1,
      details: { type: "correction", text: "should have been incident-reports" },
    });
  });

  it("takes skills that were only recalled before it as mistaken, less so", async () => {
    const { engine } = learner();
    const turn = engine.turn({ session: "s", message: MESSAGE });
    expect((await turn.recall()).matches[0]).toMatchObject({ name: "pdf-forms" });
    expect(await turn.shouldHaveBeen("incident-reports")).toContain("pdf-forms");
    expect((await engine.journal.statsOf("pdf-forms")).messages).toMatchObject([{ weight: -0.5 }]);
  });

  it("needs no session if the message is given", async () => {
    const { engine } = learner();
    await engine.turn({ message: SHIP }).shouldHaveBeen("train-trips");
    expect(await namesFor(engine, SHIP)).toEqual(["train-trips"]);
    await expect(engine.journal.shouldHaveBeen({ skill: "train-trips" })).rejects.toMatchObject({
      code: "no-session",
    });
    await expect(engine.turn({ message: SHIP }).shouldHaveBeen("nowhere")).rejects.toMatchObject({
      code: "skill-not-found",
    });
  });
});

describe("what was learned", () => {
  it("is forgotten for one skill or for all", async () => {
    const { engine } = learner();
    await engine.turn({ message: SHIP }).shouldHaveBeen("train-trips");
    await engine.turn({ message: "zip the spreadsheets" }).shouldHaveBeen("pdf-forms");
    expect(await engine.journal.forgetMessages("train-trips")).toEqual({ forgotten: 1 });
    expect(await namesFor(engine, SHIP)).toEqual([]);
    expect(await namesFor(engine, "zip the spreadsheets")).toEqual(["pdf-forms"]);
    expect(await engine.journal.forgetMessages()).toEqual({ forgotten: 1 });
    expect(await namesFor(engine, "zip the spreadsheets")).toEqual([]);
  });

  it("is neither gathered nor counted if recall.learn is false", async () => {
    const off = learner({ "recall.learn": false });
    await (await used(off.engine, SHIP, "database-migrations")).outcome("success");
    await off.engine.turn({ message: SHIP }).shouldHaveBeen("train-trips");
    expect((await off.engine.journal.statsOf("train-trips")).messages).toEqual([]);
    expect(await namesFor(off.engine, SHIP)).toEqual([]);
    const space = workspace(TRADES);
    const on = space.open();
    await on.turn({ message: SHIP }).shouldHaveBeen("train-trips");
    await on.close();
    expect(await namesFor(space.open(), SHIP)).toEqual(["train-trips"]);
    expect(await namesFor(space.open({ "recall.learn": false }), SHIP)).toEqual([]);
  });
});
