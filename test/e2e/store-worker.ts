// Owns the other process of `store-processes.test.ts`: does one job on a store and prints what it knows as JSON lines.

import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { TurnFiles } from "../../src/stores/sqlite/turn-files.ts";

const [job, directory, label, amount] = process.argv.slice(2) as [string, string, string, string];
const clock = { now: () => new Date() };
const store = openSqliteStore({ directory, clock, onRebuild: () => print({ rebuilt: true }) });
const light = new TurnFiles({ directory, clock });

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

const JOBS: Record<string, (index: number) => void | Promise<void>> = {
  append(index) {
    const base = { at: Date.now(), session: label, turn: index + 1, skill: "mail", digest: "m1" } as const;
    store.journal.append([
      { ...base, kind: "activated", details: {} },
      { ...base, kind: "outcome", details: { result: index % 2 === 0 ? "success" : "failure" } },
    ]);
    print({ done: index });
  },
  inbox(index) {
    const base = { at: Date.now(), session: label, turn: index + 1, skill: "mail", digest: "m1" } as const;
    light.record([{ ...base, kind: "activated", details: {} }]);
    if (index % 10 === 0) store.journal.query({});
  },
  show(index) {
    const { first } = light.sessions.begin("shared", { key: `message-${index}`, message: "hello" });
    print({ first, mine: light.sessions.markShown("shared", [`skill-${index}`]).fresh });
  },
  async exclusive() {
    await store.exclusive(async () => {
      const before = Number(store.meta.get("counter") ?? 0);
      await sleep(1);
      store.meta.set("counter", String(before + 1));
    });
  },
  version(index) {
    store.versions.add({
      id: `${label}-${index}`,
      name: "mail",
      action: "save",
      at: Date.now(),
      author: label,
      files: [{ path: "SKILL.md", sha256: store.blobs.put(Buffer.from(`${index}`)), size: 1 }],
    });
    print({ done: index });
  },
};

for (let index = 0; index < Number(amount); index++) await JOBS[job]!(index);
store.close();
