// Owns the promise that a dream being applied is applied whole or not at all, whenever the process is killed.
// REPERTOIRE_KILL_STRIDE tries every n-th step only; by default every one is tried.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDreams } from "../../src/engine/dream-part.ts";
import { openRepertoire } from "../../src/engine/engine.ts";
import { openLearned } from "../../src/engine/learned-part.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { dreamWorkshop, NOW, type SeedSkill, seeded, treeOf } from "../dream-history.ts";
import { buildWorker, type Worker } from "./support/worker.ts";

const STRIDE = Number(process.env.REPERTOIRE_KILL_STRIDE ?? 1);

let worker: Worker;
beforeAll(async () => {
  worker = await buildWorker("test/e2e/support/dream-worker.ts");
});
afterAll(() => worker.dispose());

/** The state that a new process finds after it has settled what the killed one left. */
async function stateAfter(root: string) {
  const clock = { now: () => new Date(NOW) };
  const values = { "sources.bundled": false, cache: false, "embedder.kind": "none" };
  const engine = openRepertoire({ dir: join(root, "p"), home: join(root, "home"), env: {}, values, clock });
  const store = openSqliteStore({ directory: join(root, "home/.repertoire"), clock });
  const learnedSkills = openLearned(engine, store, { recall: async () => [] });
  await openDreams(engine, { store, learned: learnedSkills }).recover();
  const state = {
    tree: treeOf(join(root, "home/.repertoire/skills")),
    states: [...new Set((await store.proposals.list()).map(({ state: each }) => each))],
    leadsTo: await store.redirects.resolve("changelog-entry"),
    pending: await store.meta.keys("dream.pending"),
  };
  store.close();
  return state;
}

async function runOn(root: string, dieAt: number) {
  const { ended } = worker.start([root, String(dieAt), String(NOW)]);
  return ended;
}

test("a dream killed at any step of its application is applied whole or not at all", {
  timeout: 600_000,
}, async () => {
  const seed = await dreamWorkshop({ skills: seeded<SeedSkill>("skills.jsonl"), embedder: "none" });
  const { dreams, engine, store, root } = seed;
  const merged = `${(await engine.library.show("write-changelog", { review: true })).body}\nAn entry for one release is one section.\n`;
  const better = `${(await engine.library.show("plan-sprint", { review: true })).body}5. Ask the team whether it is too much.\n`;
  const { proposals } = await dreams.submit(
    JSON.stringify({
      toSave: [
        { name: "write-changelog", content: merged, sourceNames: ["changelog-entry"] },
        { name: "plan-sprint", content: better, sourceNames: ["plan-sprint"] },
      ],
      toDelete: ["changelog-entry"],
    }),
  );
  expect(proposals).toHaveLength(2);
  const before = seed.tree();
  store.close();
  const folder = mkdtempSync(join(tmpdir(), "repertoire-dream-"));
  const copy = (name: string) => {
    const to = join(folder, name);
    cpSync(root, to, { recursive: true });
    return to;
  };
  try {
    const whole = copy("whole");
    const { lines, errors } = await runOn(whole, 0);
    expect(errors).toBe("");
    const total = Number(lines[0]?.steps);
    const applied = await stateAfter(whole);
    expect(applied).toMatchObject({ states: ["accepted"], leadsTo: "write-changelog", pending: [] });
    expect(applied.tree).not.toEqual(before);
    const untouched = { tree: before, states: ["open"], leadsTo: "changelog-entry", pending: [] };
    const seen = { applied: 0, untouched: 0 };
    for (let dieAt = 1; dieAt <= total; dieAt += STRIDE) {
      const root = copy(`at-${dieAt}`);
      const { status } = await runOn(root, dieAt);
      expect(`${dieAt}: ${status}`).toBe(`${dieAt}: SIGKILL`);
      const state = await stateAfter(root);
      const isApplied = state.states[0] === "accepted";
      expect({ dieAt, ...state }).toEqual({ dieAt, ...(isApplied ? applied : untouched) });
      seen[isApplied ? "applied" : "untouched"]++;
      rmSync(root, { recursive: true, force: true });
    }
    console.log(
      `killed at ${seen.applied + seen.untouched} of ${total} steps: ${seen.applied} applied, ${seen.untouched} untouched`,
    );
    expect(seen.untouched).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
