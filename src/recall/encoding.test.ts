import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { skillOf } from "../../test/skills.fixture.ts";
import { SkillVectors } from "./encoder.ts";
import { Encoding } from "./encoding.ts";

const folder = mkdtempSync(join(tmpdir(), "vectors-"));
afterAll(() => rmSync(folder, { recursive: true }));

const digest = (n: number) => String(n).padStart(4, "0").padEnd(64, "a");
const unit = (at: number, size = 32) => Float32Array.from({ length: size }, (_, i) => Number(i === at));

describe("the vectors of skills", () => {
  test("are found again by the skill's digest, after more were added and saved", () => {
    const path = join(folder, "kept.vectors");
    const vectors = SkillVectors.open(path, 32);
    for (let n = 0; n < 200; n++) vectors.add(digest(n), unit(n % 32));
    vectors.save();
    const opened = SkillVectors.open(path, 32);
    expect(opened.size).toBe(200);
    const cosineOf = opened.cosines(unit(7));
    expect(cosineOf(opened.rowOf(digest(7))!)).toBeCloseTo(1, 2);
    expect(cosineOf(opened.rowOf(digest(8))!)).toBeCloseTo(0, 2);
    expect(opened.rowOf(digest(999))).toBeUndefined();
  });

  test("of one skill are replaced, not added twice", () => {
    const vectors = SkillVectors.open(undefined, 32);
    vectors.add(digest(1), unit(1));
    vectors.add(digest(1), unit(2));
    expect(vectors.size).toBe(1);
    expect(vectors.cosines(unit(2))(vectors.rowOf(digest(1))!)).toBeCloseTo(1, 2);
  });

  test("start anew from a damaged, cut, foreign or missing file", () => {
    const path = join(folder, "damaged.vectors");
    const vectors = SkillVectors.open(path, 32);
    vectors.add(digest(1), unit(1));
    vectors.save();
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped[30]! ^= 1;
    for (const bytes of [flipped, whole.subarray(0, 25), Buffer.from("x"), Buffer.alloc(0)]) {
      writeFileSync(path, bytes);
      expect(SkillVectors.open(path, 32).size).toBe(0);
    }
    writeFileSync(path, whole);
    expect(SkillVectors.open(path, 64).size).toBe(0);
    expect(SkillVectors.open(join(folder, "none.vectors"), 32).size).toBe(0);
  });
});

describe("encoding", () => {
  const encoder = {
    id: "test",
    dimensions: 32,
    embedMessage: async () => unit(0),
    embedSkills: async (skills: readonly unknown[]) => skills.map((_, i) => unit(i)),
  };

  test("counts the skills without a vector, and none without an encoder", async () => {
    const skills = [skillOf("one"), skillOf("two")];
    const needs = {
      encoder: async () => encoder,
      cacheDir: mkdtempSync(join(folder, "cache-")),
      body: () => "",
    };
    expect(await new Encoding(needs).encode(skills, { most: 0 })).toBe(2);
    await new Encoding(needs).encode(skills);
    expect(await new Encoding(needs).encode(skills, { most: 0 })).toBe(0);
    expect(await new Encoding({ ...needs, encoder: undefined }).encode(skills)).toBe(0);
    expect(await new Encoding({ ...needs, encoder: async () => undefined }).encode(skills)).toBe(0);
  });

  test("serves the process if the vectors cannot be kept", async () => {
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    const encoding = new Encoding({
      encoder: async () => encoder,
      cacheDir: join(file, "cache"),
      body: () => "",
    });
    expect(await encoding.encode([skillOf("one"), skillOf("two")])).toBe(0);
  });
});
