import fc from "fast-check";
import { expect, it } from "vitest";
import { FrameReader } from "./frames.ts";

function reader(limit: number) {
  const taken: string[] = [];
  const refused: (string | number | null)[] = [];
  const frames = new FrameReader(
    { take: (lines) => taken.push(lines.toString()), refuse: (id) => refused.push(id) },
    limit,
  );
  return { frames, taken, refused };
}

it("takes every line within the limit and refuses every other, however the input is cut", () => {
  const lines = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 });
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 30 }), (lengths, step) => {
      const { frames, taken, refused } = reader(20);
      const input = Buffer.from(lengths.map((length) => `${"x".repeat(length)}\n`).join(""));
      for (let at = 0; at < input.length; at += step) frames.read(input.subarray(at, at + step));
      const fits = (length: number) => length + 1 <= 20;
      expect(taken.join("")).toBe(
        lengths
          .filter(fits)
          .map((length) => `${"x".repeat(length)}\n`)
          .join(""),
      );
      expect(refused.length).toBe(lengths.filter((length) => !fits(length)).length);
    }),
  );
});

const LONG = "z".repeat(3000);

it.each([
  [{ jsonrpc: "2.0", id: 7, x: LONG }, 7],
  [{ id: "a-1", x: LONG }, "a-1"],
  [{ x: LONG }, null],
  // The official client writes it last, and arguments may have one of their own.
  [{ method: "tools/call", params: { arguments: { id: 3, x: LONG } }, jsonrpc: "2.0", id: 9 }, 9],
  [{ params: { id: 1, list: [{ id: 2 }], x: `"id":4,${LONG}"}` }, id: 'b"\\,2' }, 'b"\\,2'],
  [{ params: { id: 1, x: LONG } }, null],
  [{ x: LONG, id: { id: 5 } }, null],
  [{ x: LONG, id: LONG }, null],
])("finds the id of a request that is too large: case %#", (message, id) => {
  for (const step of [1, 100, 5000]) {
    const { frames, refused } = reader(1000);
    const input = Buffer.from(`${JSON.stringify(message)}\n`);
    for (let at = 0; at < input.length; at += step) frames.read(input.subarray(at, at + step));
    expect(refused).toEqual([id]);
  }
});
