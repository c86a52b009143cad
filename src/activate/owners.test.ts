import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workspace } from "../../test/activation-workspace.ts";
import { temporaryTree } from "../../test/skill-tree.ts";
import { leftTasks, ownTask } from "./owners.ts";

const DAY_MS = 24 * 3_600_000;
/** No process has it: above the highest that the system gives. */
const NOBODY = 2 ** 30;
const now = () => Date.now();

/** Adds an owner to a task, or changes what the owners of this process say. */
function rewrite(root: string, task: string, change: object, keep = false): void {
  const file = join(root, "private", task, ".owners");
  const text = readFileSync(file, "utf8");
  const changed = `${JSON.stringify({ ...JSON.parse(text.trim()), ...change })}\n`;
  writeFileSync(file, keep ? text + changed : changed);
}

describe("a task that belongs to a process", () => {
  const begun = () => {
    const root = temporaryTree({});
    ownTask({ root, task: "Chat.1" });
    return root;
  };

  it("goes on while the process runs, and is left when it is gone", () => {
    const root = begun();
    expect(leftTasks(root, now())).toEqual([]);
    rewrite(root, "Chat.1", { pid: NOBODY });
    expect(leftTasks(root, now())).toEqual(["Chat.1"]);
  });

  it("is left if another process has the id now", () => {
    const root = begun();
    rewrite(root, "Chat.1", { started: "1" });
    expect(leftTasks(root, now())).toEqual(["Chat.1"]);
  });

  it("goes on while one of several processes runs", () => {
    const root = begun();
    rewrite(root, "Chat.1", { pid: NOBODY }, true);
    expect(leftTasks(root, now())).toEqual([]);
  });

  it("is left after a day if it belongs to another machine", () => {
    const root = begun();
    rewrite(root, "Chat.1", { machine: `not-${hostname()}`, pid: NOBODY });
    expect(leftTasks(root, now())).toEqual([]);
    expect(leftTasks(root, now() + 2 * DAY_MS)).toEqual(["Chat.1"]);
  });

  it("is noted once, however often it is used", () => {
    const root = begun();
    ownTask({ root, task: "Chat.1" });
    expect(readFileSync(join(root, "private/Chat.1/.owners"), "utf8").match(/"pid":/g)).toHaveLength(1);
  });

  it("survives a note that a crash has cut", () => {
    const root = begun();
    writeFileSync(join(root, "private/Chat.1/.owners"), '{"task": "Chat.1", "pi');
    expect(leftTasks(root, now())).toEqual([]);
    ownTask({ root, task: "Chat.1" });
    expect(leftTasks(root, now())).toEqual([]);
  });

  it("does not make one end that was begun to last", () => {
    const root = temporaryTree({});
    mkdirSync(join(root, "private/cli/.skills"), { recursive: true });
    ownTask({ root, task: "cli" });
    expect(existsSync(join(root, "private/cli/.owners"))).toBe(false);
  });
});

it("nothing is left where no task ever was", () => {
  expect(leftTasks(temporaryTree({}), now())).toEqual([]);
});

it("the consents and copies of a left task are removed, and those of no other", async () => {
  const { tasks, home } = await workspace();
  const ask = () => true;
  for (const task of ["left", "own"]) await tasks.activate("demo", { task, ask, endsWithProcess: true });
  await tasks.activate("demo", { task: "mine", ask });
  rewrite(join(home, ".repertoire"), "left", { pid: NOBODY });
  expect(await tasks.endLeft()).toEqual(["left"]);
  expect((await tasks.list()).map(({ id }) => id).sort()).toEqual(["mine", "own"]);
  expect(existsSync(join(home, ".repertoire/private/left"))).toBe(false);
  expect(existsSync(join(home, ".repertoire/private/own/.skills/demo"))).toBe(true);
});
