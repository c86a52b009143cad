import { describe, expect, it } from "vitest";
import { SCOPE_LIMITS, Scopes } from "./scopes.ts";

function scopes(options: { limit?: number } = {}) {
  const ended: string[] = [];
  const time = { now: 0 };
  const clock = { now: () => new Date(time.now) };
  return {
    ended,
    time,
    scopes: new Scopes<string>({ clock, onEnd: (value) => ended.push(value), ...options }),
  };
}

describe("what is kept per client", () => {
  it("ends after an idle time, counted from its last use", () => {
    const { scopes: kept, ended, time } = scopes();
    kept.add("a", "A");
    kept.add("b", "B");
    time.now = SCOPE_LIMITS.idleMs;
    expect(kept.get("b")).toBe("B");
    time.now += 1;
    kept.sweep();
    expect(ended).toEqual(["A"]);
    expect(kept.get("a")).toBeUndefined();
    expect(kept.values()).toEqual(["B"]);
  });

  it("makes room by ending the one that was silent longest", () => {
    const { scopes: kept, ended } = scopes({ limit: 2 });
    kept.add("a", "A");
    kept.add("b", "B");
    kept.get("a");
    kept.add("c", "C");
    expect(ended).toEqual(["B"]);
  });

  it("ends each one once, and the rest when all end", () => {
    const { scopes: kept, ended } = scopes();
    kept.add("a", "A");
    kept.end("a");
    kept.end("a");
    kept.add("b", "B");
    kept.endAll();
    expect(ended).toEqual(["A", "B"]);
  });
});
