import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import type { Skill } from "../model/skill.ts";
import { SkillVectors } from "./encoder.ts";
import { documentDigest, skillDigest } from "./skill-document.ts";

const skill = { digest: "0123456789abcdef".repeat(4) } as Skill;

test.each([
  ["a skill", []],
  ["a skill with example messages", ["fill in this form"]],
])("the vector of %s is found by the digest that the index keeps", (_, messages) => {
  const path = join(temporaryTree({ ".keep": "" }), "x.vectors");
  const vectors = SkillVectors.open(path, 4);
  vectors.add(skill.digest, Float32Array.of(1, 0, 0, 0));
  vectors.save();
  const again = SkillVectors.open(path, 4);
  expect(again.rowOf(skillDigest(documentDigest(skill, messages)))).toBe(0);
});
