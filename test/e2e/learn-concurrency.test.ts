// Owns the promise that many processes may save, delete and read learned skills at once: no update lost, nobody stuck.

import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRepertoire } from "../../src/engine/engine.ts";
import { openLearned } from "../../src/engine/learned-part.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { buildWorker, type Worker } from "./support/worker.ts";

const PROCESSES = 16;
const CHANGES = 8;

let worker: Worker;
beforeAll(async () => {
  worker = await buildWorker("test/e2e/support/learn-worker.ts");
});
afterAll(() => worker.dispose());

test(`${PROCESSES} processes saving, deleting, counting and reading at once lose no update`, async () => {
  const root = mkdtempSync(join(worker.folder, "home-"));
  mkdirSync(join(root, "project"));
  const values = { "sources.bundled": false, cache: false, "embedder.kind": "none" };
  const engine = openRepertoire({ dir: join(root, "project"), home: root, env: {}, values });
  const store = openSqliteStore({ directory: join(root, ".repertoire"), clock: { now: () => new Date() } });
  const learnedSkills = openLearned(engine, store, { recall: async () => [] });
  await learnedSkills.save({ name: "counter", content: "Count 0.\n", author: "agent" });

  const started = Array.from({ length: PROCESSES }, (_, at) =>
    worker.start(["mix", root, String(at), String(CHANGES)]),
  );
  const ended = await Promise.all(started.map((each) => each.ended));
  for (const { status, errors } of ended) expect(`${status} ${errors}`).toBe("0 ");

  const acknowledged = ended.flatMap(({ lines }) => lines);
  const counted = acknowledged.filter((line) => line.counted === true).length;
  await engine.library.refresh();
  const counter = await learnedSkills.text(await engine.library.find("counter"));
  expect(counter.content).toContain(`\n\nCount ${counted}.\n`);
  const changes = acknowledged.filter(({ version }) => version !== undefined);
  for (const { version, name } of changes) expect(store.versions.get(String(version))?.name).toBe(name);
  for (const head of store.versions.heads()) {
    const versions = store.versions.list({ name: head.name });
    expect(versions.map(({ parent }) => parent)).toEqual([
      ...versions.slice(1).map(({ id }) => id),
      undefined,
    ]);
    expect((await learnedSkills.history(head.name)).state).toBe(head.files.length > 0 ? "there" : "archived");
  }
  console.log(
    `${PROCESSES} processes, ${changes.length} saves and deletes, ${counted} counted updates, 0 lost.`,
  );
  expect(counted).toBe((PROCESSES * CHANGES) / 4);
  store.close();
}, 180_000);
