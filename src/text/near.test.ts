import { expect, it } from "vitest";
import { nearTo } from "./near.ts";

const NAMES = ["pdf-tables", "git-workflow", "marketing-plan", "marketing-copy", "list", "serve"];

it.each([
  ["pdf-tabels", ["pdf-tables"]],
  ["PDF-Table", ["pdf-tables"]],
  ["lsit", ["list"]],
  ["marketing", ["marketing-plan", "marketing-copy"]],
  ["workflow", ["git-workflow"]],
  ["git-workflow-v2", ["git-workflow"]],
  ["workflow-of-git", ["git-workflow"]],
  ["workflw", ["git-workflow"]],
  ["zzz", []],
  ["", []],
])("%s may mean %j", (typed, meant) => {
  expect(nearTo(typed, NAMES)).toEqual(meant);
});
