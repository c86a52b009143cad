// A process that lives on tidies once a day, without being asked.

import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { memoryStore } from "../stores/stores.ts";
import { openRepertoire } from "./engine.ts";

const HOUR_MS = 60 * 60 * 1000;

test("a server tidies once a day while it lives, and again when it ends on another day", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = Date.UTC(2026, 4, 20, 12);
  let tidied = 0;
  const home = temporaryTree({ "project/.keep": "" });
  const store = {
    ...memoryStore(),
    tidy() {
      tidied++;
      return [];
    },
  };
  const engine = openRepertoire({
    dir: join(home, "project"),
    home,
    env: {},
    store,
    clock: { now: () => new Date(now) },
    values: { "sources.bundled": false, "embedder.kind": "none" },
  });
  const live = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      now += HOUR_MS;
      await vi.advanceTimersByTimeAsync(HOUR_MS);
    }
  };
  await engine.dreams.proposals();
  await live(2);
  expect(tidied).toBe(1);
  await live(21);
  expect(tidied).toBe(1);
  await live(3);
  expect(tidied).toBe(2);
  now += 25 * HOUR_MS;
  await engine.close();
  expect(tidied).toBe(3);
});
