import { expect, it } from "vitest";
import { workspace } from "../../../test/activation-workspace.ts";
import { endLeftTasks, newTask } from "./scopes.ts";

/** No process has it: above the highest that the system gives. */
const NOBODY = 2 ** 30;
const DAY_MS = 24 * 3_600_000;

it("ends tasks of crashed servers after a day, and no other tasks", async () => {
  const { tasks } = await workspace();
  const left = `mcp-${NOBODY}-ab`;
  const own = newTask();
  for (const task of [left, own, "mine"]) await tasks.activate("demo", { task, ask: () => true });
  const names = async () => (await tasks.list()).map(({ id }) => id).sort();
  const at = (ms: number) => ({ now: () => new Date(Date.now() + ms) });
  await endLeftTasks(tasks, at(0));
  expect(await names()).toEqual([own, left, "mine"].sort());
  await endLeftTasks(tasks, at(2 * DAY_MS));
  expect(await names()).toEqual([own, "mine"].sort());
});
