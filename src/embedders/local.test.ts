import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { codeOf } from "../model/errors.ts";
import { bundledTablePath } from "./embedders.ts";
import { createLocalEmbedder } from "./local.ts";

const folder = mkdtempSync(join(tmpdir(), "local-embedder-"));
afterAll(() => rmSync(folder, { recursive: true }));

const embedder = createLocalEmbedder({ tablePath: bundledTablePath() });
const closeness = (one: string, other: string): number => {
  const [a, b] = embedder.embed([one, other]) as [Float32Array, Float32Array];
  return a.reduce((sum, value, d) => sum + value * b[d]!, 0);
};
const lengthOf = (vector: Float32Array): number => Math.hypot(...vector);

/** Any code units, including lone surrogates and control characters. */
const anyText = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 500 })
  .map((units) => String.fromCharCode(...units));

describe("meaning", () => {
  test.each([
    ["switch the lamps off", "control the lights at home", "prepare the yearly tax declaration"],
    ["deploy our pods", "roll out workloads to a kubernetes cluster", "compose a melody for the piano"],
    [
      "is anything in this agreement dangerous",
      "check a legal contract for risky clauses",
      "resize pictures",
    ],
    ["set up k8s", "kubernetes cluster", "write a poem"],
  ])("%s is nearer to %s than to %s", (message, near, far) => {
    expect(closeness(message, near)).toBeGreaterThan(closeness(message, far) + 0.1);
  });

  test("polite openings hardly change a vector", () => {
    expect(closeness("could you please translate this letter", "translate this letter")).toBeGreaterThan(
      0.85,
    );
  });

  test("common words have a lower idf than rare ones, unknown words have none", () => {
    expect(embedder.idf("the")).toBeLessThan(2);
    expect(embedder.idf("kubernetes")).toBeGreaterThan(5);
    expect(embedder.idf("The")).toBe(embedder.idf("the"));
    expect(embedder.idf("qqzzxqv")).toBeUndefined();
  });
});

describe("vectors", () => {
  test("have unit length, or are zero if no word is known", () => {
    expect(lengthOf(embedder.embedOne("merge two files"))).toBeCloseTo(1, 5);
    expect(lengthOf(embedder.embedOne(""))).toBe(0);
    expect(lengthOf(embedder.embedOne("用这个工具"))).toBe(0);
    expect(embedder.embedOne("x")).toHaveLength(embedder.dimensions);
  });

  test("are the same for the same text after other texts", () => {
    const before = embedder.embedOne("write release notes notes notes");
    embedder.embed(["something else", "notes", "release"]);
    expect(embedder.embedOne("write release notes notes notes")).toEqual(before);
  });

  test("have length 0 or 1 for any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const length = lengthOf(embedder.embedOne(text));
        return length === 0 || Math.abs(length - 1) < 1e-4;
      }),
    );
  });

  test("depend only on the beginning of a very long text", () => {
    const head = "deploy the service ".repeat(2_000);
    expect(embedder.embedOne(head + "x y z ".repeat(1_700_000))).toEqual(embedder.embedOne(head));
  });
});

/** More rows than are read one by one, so that the whole file is read. */
const manyWords = readFileSync(
  new URL("../../scripts/embedding-table/technical-words.txt", import.meta.url),
  "utf8",
).split("\n");

describe("the table file", () => {
  test("is read on first use", () => {
    const lazy = createLocalEmbedder({ tablePath: join(folder, "absent.bin") });
    expect(() => lazy.embedOne("x")).toThrow(
      expect.objectContaining({ code: "ENOENT", path: join(folder, "absent.bin") }),
    );
  });

  test("gives the same vectors if read row by row or at once", () => {
    const fresh = createLocalEmbedder({ tablePath: bundledTablePath() });
    const before = fresh.embedOne("merge two scanned contracts");
    fresh.embed(manyWords);
    expect(fresh.embedOne("merge two scanned contracts")).toEqual(before);
  });

  test("is identified by its content in the embedder's id", () => {
    expect(embedder.id).toMatch(/^local-[0-9a-f]{8}$/);
  });

  test.each([
    ["one flipped bit", (bytes: Buffer) => bytes.fill(bytes[200_000]! ^ 1, 200_000, 200_001)],
    ["a missing tail", (bytes: Buffer) => bytes.subarray(0, bytes.length - 16)],
    ["another version", (bytes: Buffer) => bytes.fill(9, 4, 5)],
    ["other bytes", () => Buffer.from("not a table")],
    [
      "a flipped bit among the codes",
      (bytes: Buffer) => bytes.fill(bytes[4_000_000]! ^ 1, 4_000_000, 4_000_001),
    ],
  ])("is refused with %s", (_, damage) => {
    const path = join(folder, "damaged.bin");
    copyFileSync(bundledTablePath(), path);
    writeFileSync(path, damage(readFileSync(path)));
    let thrown: unknown;
    try {
      const damaged = createLocalEmbedder({ tablePath: path });
      damaged.embed(manyWords);
    } catch (error) {
      thrown = error;
    }
    expect(codeOf(thrown)).toBe("embedding-table-unreadable");
    expect(String(thrown)).toContain(path);
  });
});
