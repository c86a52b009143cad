import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { blockChecksums, checksum, longChecksum } from "./checksum.ts";

test("a changed byte changes the checksum, wherever it stands", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (bytes, at, flip) => {
        const changed = bytes.slice();
        const place = at % bytes.length;
        changed[place] = bytes[place]! ^ flip;
        expect(checksum(changed)).not.toBe(checksum(bytes));
      },
    ),
  );
});

test("the checksum depends on the bytes alone, not on where they lie in memory", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.integer({ min: 0, max: 7 }), (bytes, shift) => {
      const moved = new Uint8Array(bytes.length + shift);
      moved.set(bytes, shift);
      expect(checksum(moved.subarray(shift))).toBe(checksum(bytes));
    }),
  );
});

test("zeros of different lengths differ", () => {
  const sums = new Set(Array.from({ length: 64 }, (_, n) => checksum(new Uint8Array(n))));
  expect(sums.size).toBe(64);
});

test("the checksums of blocks are those of each 4 KB alone, the last one filled up to 16 bytes", () => {
  for (const length of [0, 1, 4095, 4096, 4097, 3 * 4096 + 17, 16 * 4096, 37 * 4096 + 5]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >>> 8) * 7) & 0xff);
    const filled = new Uint8Array(Math.ceil(length / 16) * 16);
    filled.set(bytes);
    const alone = Array.from({ length: Math.ceil(length / 4096) }, (_, i) =>
      checksum(filled.subarray(i * 4096, (i + 1) * 4096)),
    );
    // Twice, because what is left of longer bytes must not count.
    blockChecksums(new Uint8Array(50_000).fill(255));
    expect([...blockChecksums(bytes)]).toEqual(alone);
  }
});

test("a changed byte changes the long checksum, wherever it is", () => {
  const bytes = Uint8Array.from({ length: 2 * 4096 + 100 }, (_, i) => (i * 31) & 0xff);
  const sum = longChecksum(bytes);
  for (const place of [0, 4095, 4096, 8191, 8192, bytes.length - 1]) {
    const changed = bytes.slice();
    changed[place]! ^= 1;
    expect(longChecksum(changed)).not.toBe(sum);
  }
  expect(longChecksum(bytes.subarray(0, 8192))).not.toBe(sum);
});

test("the kernel and plain code give the same checksums", async () => {
  const bytes = Uint8Array.from({ length: 20 * 4096 + 77 }, (_, i) => (i * 7 + (i >>> 5)) & 0xff);
  const fast = blockChecksums(bytes);
  vi.resetModules();
  vi.stubGlobal("WebAssembly", undefined);
  try {
    const plain = await import("./checksum.ts");
    expect([...plain.blockChecksums(bytes)]).toEqual([...fast]);
  } finally {
    vi.unstubAllGlobals();
  }
});
