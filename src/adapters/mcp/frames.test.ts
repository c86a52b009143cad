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

it.each([
  ['{"jsonrpc":"2.0","id":7,"x":"', 7],
  ['{"id": "a-1", "x":"', "a-1"],
  ['{"x":"', null],
])("finds the request at the start of a line: %s", (head, id) => {
  const { frames, refused } = reader(1000);
  frames.read(Buffer.from(head));
  for (let part = 0; part < 100; part++) frames.read(Buffer.from("z".repeat(100)));
  frames.read(Buffer.from('"}\n'));
  expect(refused).toEqual([id]);
});
