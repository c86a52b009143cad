// Holds the promise that whatever plan is applied, its undo gives back every byte. REPERTOIRE_PLANS sets how many (25).

import { expect, it } from "vitest";
import { dreamWorkshop, type SeedSkill, seeded } from "../dream-history.ts";

const PLANS = Number(process.env.REPERTOIRE_PLANS ?? 25);

/** The same numbers every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

it("applies random plans and undoes each to the byte", { timeout: 3_600_000 }, async () => {
  const shop = await dreamWorkshop({
    skills: withFiles(seeded<SeedSkill>("skills.jsonl")),
    embedder: "none",
    limits: { least: 40 },
  });
  const { dreams, learnedSkills, engine, tree } = shop;
  const before = tree();
  const { skills } = await engine.library.current();
  const names = [...skills.keys()];
  const bodies = new Map([...skills].map(([name, skill]) => [name, engine.turns.reader.body(skill)]));
  const next = random(7);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const counts = { accepted: 0, refused: 0, idle: 0 };
  for (let round = 0; round < PLANS; round++) {
    const saves = Array.from({ length: 1 + Math.floor(next() * 3) }, (_, at) => {
      const roll = next();
      const [a, b] = [pick(names), pick(names)];
      const note = `\nNote ${round}-${at}: look twice, then ask.\n`;
      if (roll < 0.35) return { name: a, content: bodies.get(a)! + note, sourceNames: [a], seeAlso: [b] };
      if (roll < 0.6)
        return {
          name: a,
          content: `${bodies.get(a)!}\n${bodies.get(b)!}${note}`,
          sourceNames: [a, b],
          merge: b,
        };
      if (roll < 0.8)
        return {
          name: `new/skill-${round}-${at}`,
          description: `Does new thing ${round}.`,
          content: `# New\n\n${bodies.get(a)!}${note}`,
          sourceNames: [],
        };
      return { name: a, content: pick(["", "x", bodies.get(a)!.slice(0, 40)]) || "y", sourceNames: [b] };
    });
    const toDelete = [
      ...new Set([
        ...saves.flatMap((save) => ("merge" in save ? [save.merge] : [])),
        ...(next() < 0.2 ? [pick(names)] : []),
      ]),
    ];
    const { applied, declined } = await dreams.submit(JSON.stringify({ toSave: saves, toDelete }), {
      apply: true,
    });
    counts.refused += declined.length + (applied?.declined.length ?? 0);
    counts.accepted += applied?.accepted.length ?? 0;
    if (applied?.batch === undefined) {
      counts.idle++;
      expect(tree()).toEqual(before);
      continue;
    }
    expect(tree()).not.toEqual(before);
    await learnedSkills.undo(applied.batch);
    expect(tree()).toEqual(before);
  }
  console.log(`${PLANS} plans: ${JSON.stringify(counts)}`);
  expect(counts.accepted).toBeGreaterThan(PLANS / 4);
});

function withFiles(skills: readonly SeedSkill[]): SeedSkill[] {
  return skills.map((skill, at) =>
    at % 3 === 0
      ? { ...skill, files: { [`references/${skill.name}.md`]: `Notes on ${skill.name}.\n` } }
      : skill,
  );
}
