import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeEvidence, SEGMENT, sameName, sharePairs, termKey } from "./evidence.ts";
import { decodeEvidence, EvidenceReader } from "./evidence-reader.ts";

const skill = {
  name: "pdf-forms",
  description: "Fill PDF forms. Not for scanned paper.",
  triggers: ["fillable PDF"],
  body: "# Forms\n\nMap values by field name.\n\n## When not to use\nCooking.\n",
};

describe("evidence", () => {
  test("keeps the words of each part in reading order", () => {
    const { name, segments } = decodeEvidence(encodeEvidence(skill));
    expect(name.map((n) => n.key)).toEqual(["pdf", "form"].map(termKey));
    const of = (kind: number) => segments.filter((s) => s.kind === kind).map((s) => s.terms);
    expect(of(SEGMENT.description)).toEqual([["fill", "pdf", "form"].map(termKey)]);
    expect(of(SEGMENT.notFor)).toEqual([["scan", "paper"].map(termKey)]);
    expect(of(SEGMENT.triggers)).toHaveLength(1);
    expect(of(SEGMENT.section)).toHaveLength(1);
  });

  test("stores each thing that a skill is not for as its own segment, without the sections about it", () => {
    const { segments } = decodeEvidence(
      encodeEvidence({ ...skill, description: "Fill forms. Not for scanned paper, images or plain text." }),
    );
    expect(segments.filter((s) => s.kind === SEGMENT.notFor)).toHaveLength(2);
    expect(segments.some((s) => s.terms.includes(termKey("cook")))).toBe(false);
  });

  test("stores the rarity of each word of the name", () => {
    const bytes = encodeEvidence(skill, { rarity: (term) => (term === "pdf" ? 5 : 2) });
    expect(decodeEvidence(bytes).name.map((n) => n.rarity)).toEqual([5, 2]);
  });

  test("takes less than 16 kB for a long body", () => {
    const body = Array.from({ length: 40_000 }, (_, i) => `word${i % 5000}`).join(" ");
    expect(encodeEvidence({ ...skill, body }).length).toBeLessThan(16_000);
  });

  test("finds every term and its first places, in any order, and no other term", () => {
    const words = Array.from({ length: 1500 }, (_, i) => `w${(i * 7919) % 331}`);
    const reader = new EvidenceReader();
    reader.open(encodeEvidence({ name: "alpha", description: "beta", body: words.join(" ") }));
    // The name, a gap, the description, a gap.
    const bodyAt = 4;
    for (const n of [330, 0, 17, 16, 200, 1]) {
      const end = reader.placesOf(reader.find(termKey(`w${n}`)), 0);
      const places = words.flatMap((word, i) => (word === `w${n}` ? [bodyAt + i] : []));
      expect([...reader.places.subarray(0, end)]).toEqual(places.slice(0, 3));
    }
    expect(reader.find(termKey("absent"))).toBe(-1);
  });

  test("finds places that are far apart", () => {
    const words = Array.from({ length: 2900 }, (_, i) => (i % 2890 < 4 ? "zebra" : `w${i}`));
    const reader = new EvidenceReader();
    const parts = [words.slice(0, 1400), words.slice(1400)].map((part) => part.join(" "));
    reader.open(encodeEvidence({ name: "alpha", description: "beta", body: parts.join("\n") }));
    const end = reader.placesOf(reader.find(termKey("zebra")), 0);
    expect([...reader.places.subarray(0, end)]).toEqual([4, 5, 6, 4 + 2890 + 1]);
  });

  test("keeps a term's first place in each section, and neighbours among its first places", () => {
    const part = (n: number) => `## Part ${n}\n${"filler ".repeat(45)} pull request ${"pull ".repeat(20)}`;
    const { segments } = decodeEvidence(
      encodeEvidence({ ...skill, body: Array.from({ length: 6 }, (_, n) => part(n)).join("\n") }),
    );
    const sections = segments.filter((s) => s.kind === SEGMENT.section);
    expect(sections).toHaveLength(6);
    for (const { terms } of sections) expect(terms).toContain(termKey("pull"));
    const { terms } = sections[0]!;
    expect(terms[terms.indexOf(termKey("pull")) + 1]).toBe(termKey("request"));
  });

  test("finds every entry by its hash, in any order", () => {
    const reader = new EvidenceReader();
    reader.open(encodeEvidence({ ...skill, body: Array.from({ length: 900 }, (_, i) => `w${i}`).join(" ") }));
    const hashes = reader.vocabulary();
    expect(hashes.length).toBe(reader.vocabularySize);
    expect(hashes).toEqual(hashes.toSorted((a, b) => a - b));
    for (const order of [hashes, hashes.toReversed()])
      expect(order.map((hash) => hashes[reader.find(hash)])).toEqual(order);
  });

  test("reads a heading of any length", () => {
    const heading = Array.from({ length: 20_000 }, (_, i) => `h${i}`).join(" ");
    const { segments } = decodeEvidence(encodeEvidence({ ...skill, body: `## ${heading}\ntext` }));
    const section = segments.find(({ kind }) => kind === SEGMENT.section)!;
    expect(section.headingTerms).toBeGreaterThan(16_383);
    expect(section.terms.length).toBeGreaterThan(0);
  });

  test("rejects bytes of another version", () => {
    expect(() => decodeEvidence(new Uint8Array([99, 0, 0]))).toThrow(/evidence-version/);
  });

  test("packs and unpacks any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (description, body) => {
        const { segments } = decodeEvidence(encodeEvidence({ name: "x", description, body }));
        for (const { terms } of segments) expect(terms.every((t) => Number.isInteger(t))).toBe(true);
      }),
    );
  });
});

describe("sharePairs", () => {
  const long = (seed: string) =>
    Array.from({ length: 300 }, (_, i) => `${seed}${i} means ${seed}${i * 7}`).join(". ");

  test("is true for the same text, and for another only if little is asked", () => {
    const a = encodeEvidence({ ...skill, body: long("alpha") });
    expect(sharePairs(a, encodeEvidence({ ...skill, body: long("alpha") }), 1)).toBe(true);
    expect(sharePairs(a, encodeEvidence({ ...skill, body: long("beta") }), 0.3)).toBe(false);
    expect(sharePairs(a, encodeEvidence({ ...skill, body: long("beta") }), 0)).toBe(true);
  });

  test("is false for two texts without word pairs", () => {
    const empty = encodeEvidence({ name: "x", description: "", body: "" });
    expect(sharePairs(empty, empty, 0.4)).toBe(false);
  });

  test("agrees with the share of equal bytes for any signatures", () => {
    const signature = fc.uint8Array({ minLength: 55, maxLength: 55, max: 2 });
    fc.assert(
      fc.property(signature, signature, fc.constantFrom(0.4, 0.97), (a, b, least) => {
        const filled = [...a.keys()].slice(1, 49).filter((i) => a[i] !== 0 || b[i] !== 0);
        const same = filled.filter((i) => a[i] === b[i]).length;
        expect(sharePairs(a, b, least)).toBe(filled.length > 0 && same / filled.length >= least);
      }),
    );
  });

  test("compares names by their words", () => {
    expect(sameName(encodeEvidence(skill), encodeEvidence({ ...skill, name: "PDF forms", body: "" }))).toBe(
      true,
    );
    expect(sameName(encodeEvidence(skill), encodeEvidence({ ...skill, name: "pdf-merge" }))).toBe(false);
  });
});
