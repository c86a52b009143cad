// What holds for every library and every message. Libraries here are small and random, messages are anything at all.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLocalEmbedder } from "../../src/embedders/local.ts";
import type { Skill } from "../../src/model/skill.ts";
import { RANKING } from "../../src/recall/rank.ts";
import { type IndexSettings, RecallIndex } from "../../src/recall/recall-index.ts";
import { type Recalled, recall } from "../../src/recall/recall-skills.ts";
import { NOTHING_KNOWN } from "../../src/recall/signals/effectiveness.ts";
import { headText, sectionTexts } from "../../src/recall/skill-document.ts";
import { bodySections } from "../../src/text/sections.ts";
import { growth, LINEAR } from "../growth.ts";
import { TRADES, workspace } from "../recall-workspace.ts";
import { skillText } from "../skill-tree.ts";
import { skillOf } from "../skills.fixture.ts";

const WORDS = "amber birch cedar delta ember fjord grove harbor inlet jetty knoll lagoon meadow".split(" ");
const STRANGE = "quartz rhombus saffron tundra umbra vellum".split(" ");

const settings: IndexSettings = {
  embedder: { id: "none", dimensions: 0, embed: () => [] },
  background: () => undefined,
};

interface Made {
  readonly skill: Skill;
  readonly body: string;
}

const words = (from: readonly string[], min: number, max: number) =>
  fc.array(fc.constantFrom(...from), { minLength: min, maxLength: max }).map((list) => list.join(" "));

const made = (from: readonly string[], prefix: string) =>
  fc
    .record({
      description: words(from, 2, 8),
      body: words(from, 0, 20),
      keyword: fc.option(fc.constantFrom(...from), { nil: undefined }),
    })
    .map(
      ({ description, body, keyword }) =>
        (at: number): Made => ({
          skill: {
            ...skillOf(`${prefix}-${at}`, {
              description,
              triggers: { keywords: keyword === undefined ? [] : [keyword], verbs: [], patterns: [] },
            }),
            digest: String(at).padStart(64, "0"),
          },
          body,
        }),
    );

const library = fc
  .array(made(WORDS, "skill"), { minLength: 1, maxLength: 8 })
  .map((all) => all.map((make, at) => make(at)));

async function indexOf(skills: readonly Made[], using = settings): Promise<RecallIndex> {
  const index = RecallIndex.empty(using);
  const bodies = new Map(skills.map(({ skill, body }) => [skill.name, body]));
  await index.update({
    skills: skills.map(({ skill }) => skill),
    readBody: ({ name }) => bodies.get(name)!,
  });
  return index;
}

const ask = (index: RecallIndex, message: string, using = settings): Promise<Recalled> =>
  recall(
    { message },
    {
      ...using,
      index,
      effectiveness: NOTHING_KNOWN,
      isVisible: () => true,
      precedence: () => 0,
      limit: 10,
    },
  );

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** The index keeps the vectors of sections in few bits, so that a cosine near the limit may come out above it. */
const PACKED_ERROR = 0.04;

describe("for any library and message", () => {
  test("the answer is the same twice, and in any order in which the skills were found", async () => {
    await fc.assert(
      fc.asyncProperty(
        library,
        words(WORDS, 1, 6),
        fc.infiniteStream(fc.nat()),
        async (skills, message, random) => {
          const shuffled = [...skills].sort(() => (random.next().value % 2 === 0 ? 1 : -1));
          const [index, other] = [await indexOf(skills), await indexOf(shuffled)];
          const answer = await ask(index, message);
          expect(await ask(index, message)).toEqual(answer);
          expect(await ask(other, message)).toEqual(answer);
        },
      ),
    );
  });

  test("the answer does not depend on how the index came to be", async () => {
    await fc.assert(
      fc.asyncProperty(library, library, words(WORDS, 1, 6), async (before, after, message) => {
        const renewed = after.map(({ skill, body }) => ({
          skill: { ...skill, digest: "f".repeat(64) },
          body,
        }));
        const fresh = await indexOf(renewed);
        const grown = await indexOf(before);
        const bodies = new Map(renewed.map(({ skill, body }) => [skill.name, body]));
        await grown.update({
          skills: renewed.map(({ skill }) => skill),
          readBody: ({ name }) => bodies.get(name)!,
        });
        expect(await ask(grown, message)).toEqual(await ask(fresh, message));
      }),
    );
  });

  test("scores are in range and in order, and every match explains itself", async () => {
    await fc.assert(
      fc.asyncProperty(library, words(WORDS, 1, 6), async (skills, message) => {
        const { matches, abstained } = await ask(await indexOf(skills), message);
        expect(abstained).toBe(matches.length === 0);
        matches.forEach(({ score, reasons }, place) => {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1.2);
          if (place > 0) expect(score).toBeLessThanOrEqual(matches[place - 1]!.score);
          expect(reasons.length).toBeGreaterThan(0);
        });
        const names = matches.flatMap(({ name, duplicates = [] }) => [name, ...duplicates]);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  test("a skill that has nothing to do with the message changes nothing about the answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        library,
        fc.array(made(STRANGE, "stranger"), { minLength: 1, maxLength: 40 }),
        words(WORDS, 1, 6),
        async (skills, strangers, message) => {
          const more = strangers.map((make, at) => make(100 + at));
          expect(await ask(await indexOf([...skills, ...more]), message)).toEqual(
            await ask(await indexOf(skills), message),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test("nor does one that is far from it in meaning", async () => {
    const embedder = createLocalEmbedder({ tablePath: "data/embedding/table.bin" });
    const meant = { embedder, background: embedder.idf };
    await fc.assert(
      fc.asyncProperty(
        library,
        made(STRANGE, "stranger"),
        words(WORDS, 1, 6),
        async (skills, make, message) => {
          const stranger = make(100);
          const said = embedder.embed([
            headText(stranger.skill),
            ...sectionTexts(bodySections(stranger.body)),
          ]);
          const asked = embedder.embedOne(message);
          fc.pre(said.every((vector) => dot(asked, vector) < RANKING.strangeMeaning - PACKED_ERROR));
          const before = await ask(await indexOf(skills, meant), message, meant);
          const after = await ask(await indexOf([...skills, stranger], meant), message, meant);
          const scores = new Map(after.matches.map(({ name, score }) => [name, score]));
          for (const { name, score } of before.matches) expect(scores.get(name)).toBe(score);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("whoever may see some skills only is answered as if there were no others", async () => {
    await fc.assert(
      fc.asyncProperty(library, words(WORDS, 1, 6), async (skills, message) => {
        const some = skills.filter((_, at) => at % 2 === 0);
        const names = new Set(some.map(({ skill }) => skill.name));
        const view = (await indexOf(skills)).among((name) => names.has(name));
        expect(await ask(view, message)).toEqual(await ask(await indexOf(some), message));
      }),
    );
  });
});

describe("no message breaks recall or takes long", () => {
  const noise = (length: number) => {
    let state = 1;
    return Array.from({ length }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return String.fromCharCode(state >>> 16);
    }).join("");
  };
  const MESSAGES: Readonly<Record<string, (size: number) => string>> = {
    "10 MB of words": (size) => "fill in the PDF form and bake sourdough bread ".repeat((10 * size) / 46),
    "10 MB without a blank": (size) => "a".repeat(10 * size),
    "10 MB of blanks": (size) => " ".repeat(10 * size),
    "10 MB of line ends": (size) => "\n".repeat(10 * size),
    "10 MB of slashes": (size) => "/".repeat(10 * size),
    "10 MB of mentions": (size) => "/pdf-forms ".repeat(size),
    "10 MB of hyphens": (size) => "a-".repeat(5 * size),
    "10 MB of dots": (size) => "a.".repeat(5 * size),
    "10 MB of quotes and skill": (size) => "'skill skill ".repeat(size),
    "10 MB of Chinese": (size) => "翻译这段话".repeat(2 * size),
    "10 MB of combining marks": (size) => `a${"\u0301".repeat(10 * size)}`,
    "10 MB of negations": (size) => "not without instead of ".repeat(size / 2),
    binary: (size) => noise(size),
    "unpaired surrogates": (size) => "\ud800 \udfff\ud800".repeat(size / 10),
    "zero bytes": (size) => "\u0000".repeat(size),
    questions: (size) => "why does it ".repeat(size),
    "a base64 line": (size) => "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(size / 4),
    emoji: (size) => "👩‍👩‍👧‍👦".repeat(size / 8),
  };
  test.each(Object.keys(MESSAGES))("%s", async (kind) => {
    const engine = workspace({
      ...TRADES,
      greeter: skillText("Greets.", 'triggers:\n  patterns: ["(a+)+$", "(.*)*x"]\n'),
    }).open();
    await engine.turn({ message: "warm up the engine with a PDF form" }).recall();
    await engine.turn({ message: "and once more with sourdough" }).recall();
    const recalling = (n: number) => {
      const message = MESSAGES[kind]!(n);
      return async () => {
        const { matches } = await engine.turn({ message }).recall();
        for (const { score } of matches) expect(score).toBeGreaterThanOrEqual(0);
      };
    };
    expect(await growth(recalling, 1 << 18)).toBeLessThan(LINEAR);
  });

  test("any text at all, in a session too", async () => {
    const space = workspace(TRADES);
    const own = space.open();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (message) => {
        const { matches } = await own.turn({ message, session: "any" }).recall();
        for (const { score } of matches) expect(Number.isFinite(score)).toBe(true);
        await own.turn({ message }).prompt();
      }),
    );
  });
});
