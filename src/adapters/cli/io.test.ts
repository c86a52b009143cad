import { afterEach, describe, expect, it, vi } from "vitest";
import { progressDisplay } from "./io.ts";

describe("the progress display", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("speaks of long work only, also when short work comes long after the start", () => {
    vi.useFakeTimers();
    const said: string[] = [];
    const streams = { out: () => {}, err: (text: string) => said.push(text), terminal: false, width: 80 };
    const progress = progressDisplay(streams, "reading");
    progress(1, 1);
    vi.advanceTimersByTime(60_000);
    progress(10, 19);
    expect(said).toEqual([]);
    for (let done = 1; done <= 5; done++) {
      vi.advanceTimersByTime(400);
      progress(done, 5);
    }
    expect(said).toEqual(["reading 3/5\n", "reading 4/5\n", "reading 5/5\n"]);
  });
});
