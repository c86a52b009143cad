// Counts what a dream does: each skill is read once in a call, and the trial index changes as rarely as the gate allows.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { type DreamNeeds, Dreams } from "../../src/dream/dreams.ts";
import { RecallIndex } from "../../src/recall/recall-index.ts";
import { dreamWorkshop, type SeedSession, type SeedSkill, seeded } from "../dream-history.ts";

const SKILLS = seeded<SeedSkill>("skills.jsonl");

/** Dreams over the seeded history, with counts of refreshes, gathers, reads and index updates. */
async function counted(more: Partial<DreamNeeds> = {}) {
  const shop = await dreamWorkshop({
    skills: SKILLS,
    sessions: seeded<SeedSession>("history.jsonl"),
    gaps: false,
  });
  const { needs } = shop;
  const counts = { refreshes: 0, gathers: 0, reads: 0, indexUpdates: 0 };
  const update = RecallIndex.prototype.update;
  const spy = vi.spyOn(RecallIndex.prototype, "update").mockImplementation(function (
    this: RecallIndex,
    input,
  ) {
    counts.indexUpdates++;
    return update.call(this, input);
  });
  onTestFinished(() => spy.mockRestore());
  const { redirects } = needs.store;
  const dreams = new Dreams({
    ...needs,
    ...more,
    refresh: () => {
      counts.refreshes++;
      return needs.refresh();
    },
    readSkill: (skill) => {
      counts.reads++;
      return needs.readSkill(skill);
    },
    store: {
      ...needs.store,
      redirects: {
        ...redirects,
        list() {
          counts.gathers++;
          return redirects.list();
        },
      },
    },
  });
  const take = () => {
    const taken = { ...counts };
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] = 0;
    return taken;
  };
  return { ...shop, dreams, take };
}

it("refreshes once, reads each skill once, and tries each change alone and all together", async () => {
  const { dreams, take } = await counted();
  const { applied } = await dreams.run({ apply: true });
  expect(applied?.accepted).toHaveLength(3);
  // The unchanged library, each of the three changes by itself, and the three together.
  expect(take()).toEqual({ refreshes: 1, gathers: 1, reads: SKILLS.length, indexUpdates: 5 });
});

it("reports without any trial", async () => {
  const { dreams, take } = await counted();
  await dreams.report();
  expect(take()).toEqual({ refreshes: 1, gathers: 1, reads: SKILLS.length, indexUpdates: 0 });
});

it("accepts a single change in the call that proposed it without another trial", async () => {
  const { dreams, engine, take } = await counted();
  const body = (await engine.library.show("plan-sprint", { review: true })).body;
  const save = { name: "plan-sprint", content: `${body}\n5. Ask the team.\n`, sourceNames: ["plan-sprint"] };
  const { applied } = await dreams.submit(JSON.stringify({ toSave: [save] }), { apply: true });
  expect(applied?.accepted).toHaveLength(1);
  expect(take()).toEqual({ refreshes: 1, gathers: 1, reads: SKILLS.length, indexUpdates: 2 });
});

it("refreshes again when proposals are accepted in a separate call", async () => {
  const { dreams, take, learned } = await counted();
  const { proposals } = await dreams.run();
  expect(take()).toEqual({ refreshes: 1, gathers: 1, reads: SKILLS.length, indexUpdates: 4 });
  appendFileSync(join(learned, "backup-database/SKILL.md"), "\nAsk first.\n");
  const { accepted, declined } = await dreams.accept(proposals);
  expect(declined.map(({ refusals }) => refusals.map(({ code }) => code))).toEqual([["stale"]]);
  expect(accepted).toHaveLength(2);
  expect(take()).toEqual({ refreshes: 1, gathers: 1, reads: SKILLS.length, indexUpdates: 2 });
});

it("lists proposals without reading a skill", async () => {
  const { dreams, take } = await counted();
  await dreams.run();
  take();
  expect(await dreams.proposals("open")).toHaveLength(3);
  expect(take()).toEqual({ refreshes: 1, gathers: 0, reads: 0, indexUpdates: 0 });
});

it("reads the skills again before it applies if one has changed while the model was thinking", async () => {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const { dreams, take, learned } = await counted({
    model: async () => ({
      id: "slow",
      async generate({ purpose }) {
        if (purpose === "dream-consolidate")
          appendFileSync(join(learned, "backup-database/SKILL.md"), "\nAsk first.\n");
        return { text: '{"toSave": [], "toDelete": []}', usage };
      },
    }),
  });
  const { applied } = await dreams.run({ apply: true });
  expect(applied?.declined.map(({ title }) => title)).toEqual(["Link backup-database to related skills"]);
  expect(applied?.declined[0]?.refusals.map(({ code }) => code)).toEqual(["stale"]);
  expect(applied?.accepted).toHaveLength(2);
  expect(take()).toMatchObject({ gathers: 2, reads: 2 * SKILLS.length });
});
