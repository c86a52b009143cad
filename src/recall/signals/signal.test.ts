import fc from "fast-check";
import { expect, test } from "vitest";
import { combineClaim } from "./signal.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });

test("claims add up within 0 and 1, and none lowers the score", () => {
  fc.assert(
    fc.property(share, share, share, (score, value, beside) => {
      for (const claim of [{ value }, { value, beside }]) {
        const both = combineClaim(score, claim);
        expect(both).toBeLessThanOrEqual(1);
        expect(both).toBeGreaterThanOrEqual(Math.max(score, value) - 1e-12);
      }
    }),
  );
  expect(combineClaim(0.4, { value: 1 })).toBe(1);
  expect(combineClaim(0, { value: 0.5 })).toBe(0.5);
});

test("a claim can be enough on its own and add little to a text that fits", () => {
  expect(combineClaim(0, { value: 0.3, beside: 0.1 })).toBe(0.3);
  expect(combineClaim(0.8, { value: 0.3, beside: 0.1 })).toBeCloseTo(0.82);
});
