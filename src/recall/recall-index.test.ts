import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { skillOf } from "../../test/skills.fixture.ts";
import { SnapshotDamage } from "../library/library.ts";
import type { Skill, SkillManifest } from "../model/skill.ts";
import { RecallIndex, type UpdateInput } from "./recall-index.ts";
import { phraseStarts } from "./signals/triggers.ts";

const settings = { embedder: { id: "none", dimensions: 0, embed: () => [] }, background: () => undefined };
const input = (skills: readonly Skill[]): UpdateInput => ({
  skills,
  readBody: () => "# Title\n\nText.\n",
  generation: "first",
});

async function indexOf(skills: readonly Skill[]): Promise<RecallIndex> {
  const index = RecallIndex.empty(settings);
  await index.update(input(skills));
  return index;
}

const reached = (index: RecallIndex, words: ReadonlySet<string>, hasFiles: boolean) =>
  index.withinReach(words, hasFiles).map((doc) => index.text.key(doc));

const withTriggers = (name: string, keywords: string[]): Skill =>
  skillOf(name, { triggers: { keywords, verbs: [], patterns: [] } } satisfies Partial<SkillManifest>);

describe("an update", () => {
  test("lets others go on after every few skills", async () => {
    const skills = Array.from({ length: 100 }, (_, n) => skillOf(`skill-${n}`));
    let read = 0;
    const readAtPauses: number[] = [];
    const index = RecallIndex.empty(settings);
    await index.update({
      ...input(skills),
      readBody: () => String(read++),
      pause: async () => void readAtPauses.push(read),
    });
    const steps = readAtPauses.map((at, n) => at - (readAtPauses[n - 1] ?? 0));
    expect(readAtPauses.at(-1)).toBe(100);
    expect(Math.max(...steps)).toBeLessThanOrEqual(32);
  });

  test("leaves every skill that the index has readable while it goes on", async () => {
    const index = await indexOf([skillOf("old"), skillOf("kept")]);
    const seen = new Set<string>();
    await index.update({
      ...input([skillOf("kept"), ...Array.from({ length: 100 }, (_, n) => skillOf(`skill-${n}`))]),
      pause: async () => {
        for (const { doc } of index.skillDigests()) seen.add(index.skill(doc).name);
      },
    });
    expect(seen).toContain("kept");
    expect(seen).toContain("skill-0");
    expect(seen).not.toContain("old");
  });

  test("reads only what is new or changed", async () => {
    const index = await indexOf([skillOf("a"), skillOf("b")]);
    const read: string[] = [];
    const changed = { ...skillOf("b"), digest: "1".repeat(64) };
    const again = {
      ...input([skillOf("a"), changed, skillOf("c")]),
      readBody: (skill: Skill) => {
        read.push(skill.name);
        return "";
      },
    };
    expect(await index.update(again)).toBe(true);
    expect(read.sort()).toEqual(["b", "c"]);
    expect(await index.update(again)).toBe(false);
  });

  test("gives back each skill as it is now, never as it was", async () => {
    const index = await indexOf(["a", "b", "c", "d"].map((name) => skillOf(name)));
    const named = (name: string) => index.skill(index.find(name)!);
    expect(named("c").name).toBe("c");
    const changed = skillOf("c", { description: "Other." });
    await index.update(input([skillOf("b"), { ...changed, digest: "1".repeat(64) }, skillOf("d")]));
    expect(index.find("a")).toBeUndefined();
    for (const name of ["b", "c", "d"]) expect(named(name).name).toBe(name);
    expect(named("c").manifest.description).toBe("Other.");
  });
});

describe("a skill", () => {
  test("is found by identity first, then by alias", async () => {
    const index = await indexOf([
      skillOf("mcp/email"),
      skillOf("x", { declaredName: "Fancy Name" }),
      skillOf("email"),
    ]);
    const found = (key: string) => {
      const doc = index.find(key);
      return doc === undefined ? undefined : index.skill(doc).name;
    };
    expect(found("email")).toBe("email");
    expect(found("mcp/email")).toBe("mcp/email");
    expect(found("fancy-name")).toBe("x");
    for (const key of ["", "fancy", "name", "mcp", "nothing"]) expect(found(key)).toBeUndefined();
  });

  test("is within reach of a message by the first words of a trigger, whatever they are", async () => {
    const index = await indexOf([withTriggers("a", ["__proto__ x y"]), withTriggers("b", ["constructor"])]);
    expect(reached(index, phraseStarts("the __proto__ x z"), false)).toEqual(["a"]);
    expect(reached(index, phraseStarts("the __proto__ and x"), false)).toEqual([]);
    expect(reached(index, phraseStarts("a constructor"), false)).toEqual(["b"]);
    expect(reached(index, phraseStarts("toString valueOf"), false)).toEqual([]);
  });

  test("with paths is within reach only when files are open", async () => {
    const index = await indexOf([skillOf("a", { paths: ["*.ts"] })]);
    expect(reached(index, new Set(), false)).toEqual([]);
    expect(reached(index, new Set(), true)).toEqual(["a"]);
  });
});

describe("on disk", () => {
  test("a skill that the library does not have counts as damage", async () => {
    const path = join(temporaryTree(), "some.index");
    (await indexOf([skillOf("a")])).save(path);
    const opened = RecallIndex.open(path, settings, () => undefined);
    expect(() => opened.skill(opened.find("a")!)).toThrow(SnapshotDamage);
  });

  test("it is the same afterwards, reach and aliases included", async () => {
    const path = join(temporaryTree(), "some.index");
    const skill = withTriggers("a/b", ["__proto__", "hello there"]);
    const index = await indexOf([skill]);
    index.save(path);
    const opened = RecallIndex.open(path, settings, (name) => (name === "a/b" ? skill : undefined));
    expect(opened.generation).toBe("first");
    expect(reached(opened, phraseStarts("hello __proto__"), false)).toEqual(["a/b"]);
    expect(opened.skill(opened.find("b")!)).toBe(skill);
  });

  test("it is empty when there is no file", () => {
    const opened = RecallIndex.open(join(temporaryTree(), "none.index"), settings, () => undefined);
    expect(opened.text.size).toBe(0);
    expect(opened.generation).toBeUndefined();
  });
});
