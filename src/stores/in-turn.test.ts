import { executionAsyncResource } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { InTurn } from "./in-turn.ts";

describe("works in turn", () => {
  test("may wait for others inside, and never for themselves, not even through others", async () => {
    const [one, other] = [new InTurn(), new InTurn()];
    expect(await one.run(() => other.run(() => "done"))).toBe("done");
    await expect(one.run(() => other.run(() => one.run(() => "never")))).rejects.toMatchObject({
      code: "exclusive-within-exclusive",
    });
  });

  test("cost later promises nothing, however many there were", async () => {
    const carried = async () => {
      await Promise.resolve();
      return Object.getOwnPropertySymbols(executionAsyncResource()).length;
    };
    await new InTurn().run(() => {});
    const before = await carried();
    for (let each = 0; each < 20; each++) await new InTurn().run(() => {});
    expect(await carried()).toBe(before);
  });
});
