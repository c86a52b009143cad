import fc from "fast-check";
import { expect, test } from "vitest";
import { together } from "./signal.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });

test("claims add up within 0 and 1, and none takes anything away", () => {
  fc.assert(
    fc.property(share, share, (score, claim) => {
      const both = together(score, claim);
      expect(both).toBeLessThanOrEqual(1);
      expect(both).toBeGreaterThanOrEqual(Math.max(score, claim) - 1e-12);
    }),
  );
  expect(together(0.4, 1)).toBe(1);
  expect(together(0, 0.5)).toBe(0.5);
});
