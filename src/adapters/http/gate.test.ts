import { describe, expect, it } from "vitest";
import { rateLimit } from "./gate.ts";

function limited(callers = 10) {
  let now = 0;
  const limit = rateLimit({ burst: 2, perSecond: 0.5, callers, now: () => now });
  return { limit, pass: (seconds: number) => (now += seconds * 1000) };
}

describe("a rate limit", () => {
  it("allows a burst, then returns the seconds to wait, then allows more as time passes", () => {
    const { limit, pass } = limited();
    expect([1, 2, 3].map(() => limit("a"))).toEqual([0, 0, 2]);
    pass(1);
    expect(limit("a")).toBe(1);
    pass(1);
    expect([limit("a"), limit("a")]).toEqual([0, 2]);
  });

  it("counts each caller separately, and forgets the one that was silent longest", () => {
    const { limit } = limited(2);
    expect(["a", "a", "a", "b"].map((caller) => limit(caller))).toEqual([0, 0, 2, 0]);
    limit("c");
    expect(limit("a")).toBe(0);
  });
});
