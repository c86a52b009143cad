import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ABSTAIN_BELOW } from "./calibrate.ts";
import { encodeEvidence } from "./evidence.ts";
import { createProbe } from "./features.ts";
import { readMessage } from "./features-message.ts";
import { type RankCandidate, rank } from "./rank.ts";

const skills = [
  {
    name: "pdf-forms",
    description: "Fill in PDF forms and extract their fields.",
    body: "# Forms\nMap values by field.",
  },
  {
    name: "scan-to-text",
    description: "Recognise text in scanned pages.",
    body: "# Scans\nDeskew, then recognise.",
  },
  { name: "trip-planning", description: "Plan trips by train.", body: "# Trips\nBook nights first." },
];

function probeOf(message: string) {
  const read = readMessage({ text: message });
  return createProbe({
    message: read,
    weights: read.factors.map((factor) => factor * 5),
    reach: 200,
  });
}

function candidatesOf(given: Partial<RankCandidate>[] = []): RankCandidate[] {
  return skills.map((skill, id) => ({
    id,
    evidence: encodeEvidence(skill),
    lexical: 1,
    meaning: 0.5,
    sectionMeaning: 0.5,
    ...given[id],
  }));
}

describe("rank", () => {
  test("ranks the skill whose words are in the message first", () => {
    const ranked = rank(probeOf("please fill in this PDF form for me"), candidatesOf([{ lexical: 3 }]));
    expect(ranked[0]!.id).toBe(0);
    expect(ranked[0]!.score).toBeGreaterThan(ABSTAIN_BELOW);
  });

  test("decides by meaning if no skill has enough words of the message", () => {
    const far = { lexical: 0, meaning: 0.3, sectionMeaning: 0.3 };
    const near = { lexical: 0, meaning: 0.8, sectionMeaning: 0.8 };
    const ranked = rank(probeOf("railway holiday with children"), candidatesOf([far, far, near]));
    expect(ranked[0]!.id).toBe(2);
  });

  test("ranks a skill lower if its description says that it is not for this", () => {
    const probe = probeOf("merge two scanned pages into one PDF");
    const of = (description: string) => ({ evidence: encodeEvidence({ ...skills[0]!, description }) });
    const points = (description: string) =>
      rank(probe, candidatesOf([of(description)])).find(({ id }) => id === 0)!.points;
    const open = points("Fill in PDF forms. Works with printers.");
    expect(points("Fill in PDF forms. Not for scanned pages.")).toBeLessThan(open - 1);
  });

  test("scores a skill lower, the closer the message is to what other skills in general are about", () => {
    const candidates = candidatesOf([{ lexical: 3 }]);
    const scores = [0.4, 0.6, 0.8].map((topic) => {
      const probe = { ...probeOf("please fill in this PDF form for me"), topic };
      return rank(probe, candidates)[0]!.score;
    });
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    const nats = (score: number) => Math.log(score / (1 - score));
    expect(nats(scores[0]!) - nats(scores[2]!)).toBeGreaterThan(0.5);
  });

  test("scores a skill higher if the word that it shares with the message is rare", () => {
    const read = readMessage({ text: "merge the fields" });
    const scoreWith = (rarity: number) => {
      const weights = read.factors.map((factor) => factor * rarity);
      return rank(createProbe({ message: read, weights, reach: 200 }), candidatesOf())[0]!.score;
    };
    expect(scoreWith(10)).toBeGreaterThan(scoreWith(3));
  });

  test("lowers the score of a one-word name that is in the message by chance", () => {
    const named = (name: string) =>
      candidatesOf().map((candidate) => ({
        ...candidate,
        meaning: 0.2,
        evidence: encodeEvidence({ name, description: "Loads decisions into the session.", body: "" }),
      }));
    const probe = probeOf("what is the next prime number after seventeen");
    expect(rank(probe, named("prime"))[0]!.score).toBeLessThan(ABSTAIN_BELOW);
  });

  test("lowers the score for a long message of which the skill contains almost nothing", () => {
    const message =
      "our warehouse robots lose their calibration overnight while pdf operators file angry complaints about cold coffee";
    const far = { meaning: 0.2, sectionMeaning: 0.2 };
    const ranked = rank(probeOf(message), candidatesOf([far, far, far]));
    const fitting = rank(probeOf("fill in PDF forms and extract their fields"), candidatesOf());
    expect(ranked[0]!.score).toBeLessThan(fitting[0]!.score * 0.7);
    const talk = { work: 0.05, world: 0, talk: 0.95, continue: 0, meta: 0, trivial: 0 };
    const asTalk = rank(probeOf(message), candidatesOf([far, far, far]), { intent: "talk", chances: talk });
    expect(asTalk[0]!.score).toBeLessThan(ABSTAIN_BELOW);
  });

  test("never returns a skill that the message rejects by name", () => {
    const ranked = rank(
      probeOf("fill the PDF form fields, but not pdf-forms"),
      candidatesOf([{ lexical: 9 }]),
    );
    expect(ranked.map((r) => r.id)).not.toContain(0);
  });

  test("explains the order by the contribution of each feature", () => {
    const [first] = rank(probeOf("fill PDF forms"), candidatesOf());
    const sum = first!.contributions.reduce((total, c) => total + c.value, 0);
    expect(sum).toBeCloseTo(first!.points, 9);
    expect(first!.contributions.map((c) => c.feature)).toContain("name");
  });

  test("folds a copy into the better one and lists it", () => {
    const candidates = candidatesOf();
    const copy = { ...candidates[0]!, id: 9, lexical: 0.5 };
    const [first, ...rest] = rank(probeOf("fill PDF forms"), [...candidates, copy]);
    expect(first!.duplicates).toEqual([9]);
    expect(rest.map((r) => r.id)).not.toContain(9);
  });

  test("gives a message without a topic a low score", () => {
    const quiet = candidatesOf([{ lexical: 0 }, { lexical: 0 }, { lexical: 0 }]);
    const chances = { work: 0.05, world: 0, talk: 0.95, continue: 0, meta: 0, trivial: 0 };
    const [best] = rank(probeOf("thanks, that is fine"), quiet, { intent: "talk", chances });
    expect(best!.score).toBeLessThan(ABSTAIN_BELOW);
  });

  test("gives the same result for any order of candidates", () => {
    const probe = probeOf("recognise text of a scanned PDF form");
    const forward = rank(probe, candidatesOf());
    const backward = rank(probe, candidatesOf().reverse());
    expect(backward.map((r) => [r.id, r.score])).toEqual(forward.map((r) => [r.id, r.score]));
  });

  test("keeps every score between 0 and 1 and in order, for any message", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (message) => {
        const scores = rank(probeOf(message), candidatesOf()).map((r) => r.score);
        scores.forEach((score, i) => {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          if (i > 0) expect(score).toBeLessThanOrEqual(scores[i - 1]!);
        });
      }),
    );
  });
});
