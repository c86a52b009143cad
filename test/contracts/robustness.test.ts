// Owns the promise that no SKILL.md, however broken, makes the parser throw, hang or leak a prototype.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/parse/limits.ts";
import { type ParseResult, parseSkill } from "../../src/parse/parse.ts";
import { growth, LINEAR } from "../growth.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/conformance", import.meta.url));
const SEEDS = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("SKILL.md"))
  .sort()
  .map((path) => readFileSync(join(FIXTURES, path)));

/** What does not hold although it should, whatever went in. */
function faults({ skill, diagnostics }: ParseResult): string[] {
  const found: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) found.push(what);
  };
  must(
    (skill === undefined) === diagnostics.some(({ severity }) => severity === "error"),
    "skipped if and only if an error says why",
  );
  for (const { code, message, fix, line } of diagnostics) {
    must(
      message !== "" && fix !== "" && !/undefined|\[object/.test(message),
      `a clear message: ${code} ${message}`,
    );
    must(line === undefined || (Number.isInteger(line) && line >= 1), `a line of the file: ${code} ${line}`);
  }
  if (!skill) return found;
  const { manifest, bodyLine } = skill;
  must(manifest.description.trim() !== "", "a description");
  must(manifest.brief.length <= 80 && !manifest.brief.includes("\n"), `a brief line: ${manifest.brief}`);
  must(Number.isInteger(bodyLine) && bodyLine >= 1, "a line where the body starts");
  must(
    Object.getPrototypeOf(manifest.metadata) === null && Object.getPrototypeOf(manifest.unknown) === null,
    "no prototypes",
  );
  must(JSON.stringify(skill).length > 0, "plain data");
  return found;
}

function holds(result: ParseResult): void {
  const found = faults(result);
  if (found.length > 0) expect(found).toEqual([]);
}

/** A small generator of its own, so that a failing run can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const SIGNS = [
  "---\n",
  "\n",
  "\t",
  ": ",
  "- ",
  "[",
  "]",
  "{",
  "}",
  "|\n",
  ">",
  "'",
  '"',
  "#",
  "&a ",
  "*a",
  "!!js ",
  "```yaml\n",
  "\0",
  "\ufeff",
  "\r\n",
  "\\",
  "name: x\n",
  "description: y\n",
  "metadata:\n  ",
];

type Mutation = (bytes: Buffer, random: (below: number) => number) => Buffer;

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  flip(bytes, random) {
    const copy = Buffer.from(bytes);
    for (let count = random(8); count >= 0 && copy.length > 0; count--)
      copy[random(copy.length)] = random(256);
    return copy;
  },
  cut: (bytes, random) => {
    const from = random(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + random(40))]);
  },
  splice(bytes, random) {
    const other = SEEDS[random(SEEDS.length)] as Buffer;
    return Buffer.concat([
      bytes.subarray(0, random(bytes.length + 1)),
      other.subarray(random(other.length + 1)),
    ]);
  },
  duplicate(bytes, random) {
    const from = random(bytes.length + 1);
    const piece = bytes.subarray(from, from + 1 + random(60));
    return Buffer.concat([
      bytes.subarray(0, from),
      ...Array(1 + random(200)).fill(piece),
      bytes.subarray(from),
    ]);
  },
  insert(bytes, random) {
    const at = random(bytes.length + 1);
    const sign = Buffer.from((SIGNS[random(SIGNS.length)] as string).repeat(1 + random(6)));
    return Buffer.concat([bytes.subarray(0, at), sign, bytes.subarray(at)]);
  },
  noise: (bytes, random) => {
    const at = random(bytes.length + 1);
    return Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from(Array.from({ length: random(300) }, () => random(256))),
      bytes.subarray(at),
    ]);
  },
};

describe("the parser stands", () => {
  it("10,000 mutated files in one process", () => {
    const random = randomFrom(20240607);
    const mutations = Object.values(MUTATIONS);
    for (let round = 0; round < 10_000; round++) {
      let bytes = SEEDS[round % SEEDS.length] as Buffer;
      for (let count = 1 + random(3); count > 0; count--)
        bytes = (mutations[random(mutations.length)] as Mutation)(bytes, random);
      const profile = round % 4 === 0 ? "strict" : "lenient";
      holds(parseSkill(bytes, "mutated/SKILL.md", { profile }));
    }
  });

  it("any piece repeated, in linear time", async () => {
    const random = randomFrom(20240607);
    for (let round = 0; round < 150; round++) {
      const seed = SEEDS[round % SEEDS.length] as Buffer;
      const from = random(seed.length + 1);
      const piece = seed.subarray(from, from + 1 + random(60));
      const parsing = (n: number) => {
        const pieces = Array<Buffer>(n).fill(piece);
        const bytes = Buffer.concat([seed.subarray(0, from), ...pieces, seed.subarray(from)]);
        return () => parseSkill(bytes, "repeated/SKILL.md");
      };
      // Both sizes are too long for the quick reader, so that the same one is measured twice.
      const n = Math.ceil(LIMITS.plainChars / Math.max(1, piece.length));
      expect(await growth(parsing, n), piece.toString()).toBeLessThan(LINEAR);
    }
  });

  it.each([
    ["lists in lists", `a:\n  ${"- ".repeat(500)}b`],
    ["maps in maps", `a: ${"{b: ".repeat(500)}`],
  ])("nesting without end, which it refuses before it goes down: %s", (_, front) => {
    const { diagnostics } = parseSkill(`---\nname: deep\n${front}\n---\n\nText.\n`, "deep/SKILL.md");
    expect(diagnostics.map(({ code }) => code)).toContain("yaml-too-deep");
  });

  it("any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => holds(parseSkill(bytes, "any/SKILL.md"))),
      { numRuns: 1_000 },
    );
  });

  it("any text between fences, lone surrogates and control characters included", () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    const anyUnits = fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
      .map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(fc.oneof(text, anyUnits), text, (yaml, body) => {
        holds(parseSkill(`---\n${yaml}\n---\n${body}`, "any/SKILL.md"));
        holds(parseSkill(`---\ndescription: ${yaml}\n---\n${body}`, "any/SKILL.md"));
      }),
      { numRuns: 400 },
    );
  });

  it("any sequence of YAML's and Markdown's signs", () => {
    const signs = fc.array(fc.oneof(fc.constantFrom(...SIGNS), fc.string({ maxLength: 6 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(signs, (parts) => holds(parseSkill(parts.join(""), "any/SKILL.md"))),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["one sign", (sign: string) => sign.repeat(120_000 / sign.length)],
    ["one sign in the front matter", (sign: string) => `---\n${sign.repeat(30_000 / sign.length)}\n---\n`],
    [
      "one sign in a value",
      (sign: string) => `---\ndescription: ${sign.repeat(30_000 / sign.length)}\n---\nBody`,
    ],
  ])("floods of %s", (_, flood) => {
    for (const sign of [
      ...SIGNS,
      "a: b: c\n",
      "- - ",
      "? ",
      "a",
      " ",
      "<!--",
      "''",
      "!a ",
      "&a &b ",
      "[[",
      "k: [",
      "`",
      "*_",
      "\n \n",
      "x: '\n",
      "---",
    ]) {
      holds(parseSkill(flood(sign), "flood/SKILL.md"));
    }
  });

  it("what a plain front matter says comes back as it was written", () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9 ,.()-]{0,60}[a-z]$/);
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/), word, word, (name, description, body) => {
        const { skill, diagnostics } = parseSkill(
          `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`,
          `${name}/SKILL.md`,
          { profile: "strict" },
        );
        expect(diagnostics).toEqual([]);
        expect(skill).toMatchObject({
          manifest: { declaredName: name, description },
          body: `${body}\n`,
          bodyLine: 5,
        });
      }),
    );
  });
});
