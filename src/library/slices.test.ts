import { describe, expect, it } from "vitest";
import { asRequest, breathe, inSlices, inSlicesBehind, quiet } from "./slices.ts";

/** Steps that take a millisecond each and count themselves. */
function work(steps: number) {
  const done = { count: 0 };
  const run = function* (): Generator<undefined, string> {
    for (let n = 0; n < steps; n++) {
      const until = performance.now() + 1;
      while (performance.now() < until);
      done.count++;
      yield;
    }
    return "done";
  };
  return { done, steps: run() };
}

describe("work in slices", () => {
  it("goes to its end, awaited or behind requests", async () => {
    expect(await inSlices(work(12).steps)).toBe("done");
    expect(await inSlicesBehind(work(12).steps)).toBe("done");
  });

  it("lets others go on when many short works follow each other, or many pauses are asked for", async () => {
    for (const pieces of [() => inSlices(work(4).steps), () => work(4).steps.next() && breathe()]) {
      let turns = 0;
      const count = () => {
        turns++;
        timer = setImmediate(count);
      };
      let timer = setImmediate(count);
      for (let n = 0; n < 40; n++) await pieces();
      clearImmediate(timer);
      expect(turns).toBeGreaterThan(1);
    }
  });

  it("hands on what a step throws", async () => {
    const failing = (function* (): Generator<undefined, void> {
      yield;
      throw new Error("broken");
    })();
    await expect(inSlicesBehind(failing)).rejects.toThrow("broken");
  });

  it("behind requests gets far less done while a request runs than work that is awaited", async () => {
    const behind = work(80);
    const awaited = work(50);
    const running = inSlicesBehind(behind.steps);
    const before = behind.done.count;
    await asRequest(() => inSlices(awaited.steps));
    expect(awaited.done.count).toBe(50);
    expect(behind.done.count - before).toBeLessThan(40);
    expect(await running).toBe("done");
    expect(behind.done.count).toBe(80);
  });

  it("behind requests goes on at once when somebody comes to wait for it", async () => {
    const behind = work(20);
    let isAwaited = false;
    const running = inSlicesBehind(behind.steps, () => isAwaited);
    const answer = await asRequest(() => {
      isAwaited = true;
      return running;
    });
    expect(answer).toBe("done");
  });

  it("behind requests is not held up for ever by requests without a pause", async () => {
    let isOver = false;
    const requests = (async () => {
      while (!isOver) await asRequest(() => new Promise((answer) => setImmediate(answer)));
    })();
    expect(await inSlicesBehind(work(6).steps)).toBe("done");
    isOver = true;
    await requests;
  });

  it("goes on after a request that failed", async () => {
    await expect(asRequest(() => Promise.reject(new Error("no answer")))).rejects.toThrow("no answer");
    await quiet();
    expect(await inSlicesBehind(work(6).steps)).toBe("done");
  });
});
